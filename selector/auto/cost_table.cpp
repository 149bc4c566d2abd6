#include "selector/auto/cost_table.hpp"

#include <tuple>

#include <fmt/format.h>

#include "selector/auto/rank_operators.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

std::vector<Cost> costs_of(bool on_gpu, bool is_narrow = false) {
    std::vector<Cost> all;
    for (const KnownOperator& one : known_operators(on_gpu)) {
        for (Cost cost : one.costs) {
            const std::size_t place = cost.most_bytes <= kNear ? 0 : cost.most_bytes <= kCached ? 1 : 2;
            for (double& seconds : cost.seconds) seconds *= is_narrow ? one.without_avx512[place] : 1;
            all.push_back(cost);
        }
    }
    return all;
}

/// Of operators that have costs.
std::vector<Candidate> candidates_of(bool on_gpu) {
    std::vector<Candidate> all;
    for (const KnownOperator& one : known_operators(on_gpu)) {
        if (one.costs.empty()) continue;
        for (const Candidate& candidate : one.candidates) {
            all.push_back(candidate);
            all.back().name = one.name;
        }
    }
    return all;
}

}  // namespace

const CostTable& gpu_costs() {
    static const std::vector<Candidate> candidates = candidates_of(true);
    static const std::vector<Cost> costs = costs_of(true);
    static const CostTable table{"NVIDIA H200", "bench/NOTES.md, \"auto\"", candidates, costs};
    return table;
}

const CostTable& cpu_costs(int lanes) {
    static const std::vector<Candidate> candidates = candidates_of(false);
    static const std::vector<Cost> costs = costs_of(false), narrow_costs = costs_of(false, true);
    static const CostTable wide{"two threads of an EPYC and a Xeon", "bench/NOTES.md, \"auto\"", candidates, costs};
    static const CostTable narrow{"a Xeon held to AVX2", "bench/NOTES.md, \"AVX2\"", candidates, narrow_costs};
    return lanes < kMostLanes ? narrow : wide;
}

double bytes_as_csr(const MatrixFeatures& f) {
    return 8 * static_cast<double>(f.rows) + static_cast<double>(4 + f.value_bytes) * static_cast<double>(f.nnz);
}

double bytes_in_csr(const MatrixFeatures& f) { return bytes_as_csr(f) + vector_bytes(f); }

const Cost& cost_of(const CostTable& table, std::string_view name, const NumberSizes& sizes, double bytes) {
    const auto away = [&](const Cost& cost) {
        return std::tuple(distance(cost.sizes(), sizes), cost.most_bytes < bytes, cost.most_bytes);
    };
    const Cost* nearest = nullptr;
    for (const Cost& cost : table.costs) {
        if (cost.name == name && (nearest == nullptr || away(cost) < away(*nearest))) nearest = &cost;
    }
    if (nearest != nullptr) return *nearest;
    throw Error(
        fmt::format("no costs of operator {} on {}: add them to choice.cpp of its folder", name, table.machine));
}

}  // namespace tilespmv
