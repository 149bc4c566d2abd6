#include "selector/auto/rank_operators.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tilespmv {
namespace {

constexpr double kMeasuredThreads = 2;  ///< of the CPU's table

double tiles_of(const MatrixFeatures& f) {
    return f.tile_nonzeros > 0 ? static_cast<double>(f.nnz) / f.tile_nonzeros : 0;
}

double preparation(const Candidate& candidate, const Cost& cost, const OperatorQuestion& q) {
    if (candidate.is_made_from_tiles && q.has_tiles) return 0;
    const std::array<double, 4> amounts{1, static_cast<double>(q.features.nnz), static_cast<double>(q.features.rows),
                                        tiles_of(q.features)};
    double seconds = 0;
    for (std::size_t i = 0; i < amounts.size(); ++i) seconds += cost.preparation[i] * amounts[i];
    return seconds;
}

void add_reason(const Work& parts, RankedOperator& ranked) {
    static constexpr std::array<std::string_view, kTerms> kMeanings{
        "the launch and latency", "reading the matrix, x and y",
        "the work of nonzeros",   "gathers of x from caches",
        "the work of rows",       "the longest row, whose parts wait for each other"};
    const auto most = static_cast<std::size_t>(std::ranges::max_element(parts) - parts.begin());
    ranked.mostly = kMeanings[most];
    ranked.mostly_share = ranked.seconds > 0 ? parts[most] / ranked.seconds : 0;
}

/// How much longer each term takes on a GPU than on the one that was measured. A chain is of latencies, which differ
/// little from GPU to GPU.
Work slowdown(const Gpu& gpu, const MatrixFeatures& f) {
    const Gpu measured = measured_gpu(f.value_bytes);
    const double launches = gpu.tuning.memory.launch_seconds / measured.tuning.memory.launch_seconds;
    const double threads = measured.multiprocessors / std::max(1.0, static_cast<double>(gpu.multiprocessors));
    const double x_bytes = static_cast<double>(f.value_bytes) * std::max(1.0, static_cast<double>(f.cols));
    const double gathers = memory_seconds(x_bytes, gpu.tuning.memory) / memory_seconds(x_bytes, measured.tuning.memory);
    return {launches, 1, threads, gathers, threads, 1};
}

RankedOperator predict(const Candidate& candidate, const Cost& cost, const Cost& prepared, const OperatorQuestion& q) {
    const MatrixFeatures& f = q.features;
    RankedOperator ranked;
    ranked.specification = candidate.name;
    if (!candidate.options.empty()) ranked.specification += fmt::format(":{}", candidate.options);
    ranked.matrix_bytes = candidate.matrix_bytes(f);
    ranked.work = work_of(candidate, f);
    const double bytes = ranked.matrix_bytes + vector_bytes(f);
    of(ranked.work, Term::memory) = q.gpu ? memory_seconds(bytes, q.gpu->tuning.memory) : bytes;
    const double scale = q.gpu ? 1 : kMeasuredThreads / std::max(q.threads, 1);
    Work parts = q.gpu ? slowdown(*q.gpu, f) : Work{1, 1, 1, 1, 1, 1};
    for (std::size_t i = 0; i < kTerms; ++i) {
        parts[i] *= scale * cost.seconds[i] * ranked.work[i];
        ranked.seconds += parts[i];
    }
    if (q.gpu) {
        const double launch = q.gpu->tuning.memory.launch_seconds;
        parts[0] += launch;
        ranked.seconds += launch;
    }
    ranked.preparation_seconds = scale * preparation(candidate, prepared, q);
    add_reason(parts, ranked);
    return ranked;
}

}  // namespace

double memory_seconds(double bytes, const MemoryTuning& memory) {
    const double beyond = std::clamp(bytes / memory.l2_bytes - 1, 0.0, 1.0);
    return bytes * (beyond / memory.read_bytes_per_s + (1 - beyond) / memory.l2_bytes_per_s);
}

Work csr_work(const MatrixFeatures& f) {
    const auto nnz = static_cast<double>(f.nnz);
    return {1, 0, nnz, nnz * f.x_sectors, static_cast<double>(f.rows), 0};
}

Work work_of(const Candidate& candidate, const MatrixFeatures& f) {
    Work work = csr_work(f);
    if (candidate.adapt != nullptr) candidate.adapt(f, work);
    return work;
}

double vector_bytes(const MatrixFeatures& f) {
    return static_cast<double>(f.value_bytes) * (static_cast<double>(f.rows) + static_cast<double>(f.cols));
}

std::string why(const RankedOperator& one, offset_t nnz) {
    const double bytes = nnz == 0 ? 0 : one.matrix_bytes / static_cast<double>(nnz);
    if (one.mostly.empty()) return fmt::format("{:.1f} bytes a nonzero; by its own prediction", bytes);
    return fmt::format("{:.1f} bytes a nonzero; {:.0f}% of the time for {}", bytes, 100 * one.mostly_share, one.mostly);
}

double pays_after(const RankedOperator& a, const RankedOperator& b) {
    if (a.preparation_seconds < b.preparation_seconds) return 0;
    if (a.seconds >= b.seconds) return -1;
    return std::ceil((a.preparation_seconds - b.preparation_seconds) / (b.seconds - a.seconds));
}

std::vector<RankedOperator> rank_operators(const OperatorQuestion& question) {
    return rank_operators(question, question.gpu ? gpu_costs() : cpu_costs(question.lanes));
}

std::vector<RankedOperator> rank_operators(const OperatorQuestion& question, const CostTable& table) {
    const MatrixFeatures& f = question.features;
    const double bytes = bytes_in_csr(f);
    std::vector<RankedOperator> ranked;
    for (const Candidate& candidate : table.candidates) {
        if (candidate.suits != nullptr && !candidate.suits(f)) continue;
        const auto of = [&](std::string_view name) -> const Cost& { return cost_of(table, name, f.sizes(), bytes); };
        const auto prepared_as = candidate.prepared_as.empty() ? candidate.name : candidate.prepared_as;
        ranked.push_back(predict(candidate, of(candidate.name), of(prepared_as), question));
    }
    ranked.insert(ranked.end(), question.registered.begin(), question.registered.end());
    std::ranges::stable_sort(ranked, {}, [&](const auto& one) { return one.total_seconds(question.products); });
    return ranked;
}

}  // namespace tilespmv
