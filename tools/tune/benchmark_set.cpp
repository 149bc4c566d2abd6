#include "tools/tune/benchmark_set.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::tools {
namespace {

/// A kind of matrices, `gen:KIND:PARAMETER=SIZE[,options]`, in several sizes.
struct Family {
    std::string_view kind;
    std::string_view parameter;
    std::string_view options;
    std::vector<int> sizes;
};

// Sizes of a family lie about a factor of eight in nonzeros apart, and not where those of another lie.
const std::vector<Family> kFamilies{
    {"laplace2d", "n", "", {64, 160, 400, 1000, 2400}},
    {"laplace3d", "n", "", {16, 40, 80, 130, 190}},
    {"stencil27", "n", "", {10, 24, 48, 80}},
    {"fem", "n", "dof=3", {6, 14, 30, 50}},
    {"fem", "n", "dof=6", {5, 12, 26}},
    {"fem", "n", "dof=1,jitter=1", {12, 36, 90}},
    {"elasticity", "n", "", {8, 24}},
    {"banded", "n", "half=4", {2000, 100'000, 1'500'000}},
    {"banded", "n", "half=25", {1000, 20'000, 300'000}},
    {"banded", "n", "half=100", {4000}},
    {"block-dense", "n", "block=16,blocks_per_row=8", {1600, 20'000, 160'000}},
    {"block-dense", "n", "block=8,blocks_per_row=6", {40'000}},
    {"uniform", "n", "per_row=4", {5000, 100'000, 3'000'000}},
    {"uniform", "n", "per_row=16", {2000, 60'000, 1'000'000}},
    {"uniform", "n", "per_row=64", {500, 10'000, 200'000}},
    {"uniform", "n", "cols=5000,per_row=16", {200'000}},
    {"rmat", "scale", "degree=16", {11, 14, 17, 20}},
    {"kronecker", "scale", "degree=10", {16}},
    {"powerlaw", "n", "degree=16", {3000, 50'000, 800'000}},
    {"circuit", "n", "", {8000, 150'000, 2'500'000}},
    {"road-like", "n", "chain=2", {40, 300, 1200}},
    {"delaunay", "n", "", {5000, 80'000, 1'200'000}},
    {"rgg", "n", "degree=16", {3000, 60'000, 900'000}},
    {"kkt", "n", "", {5000, 100'000, 1'000'000}},
    {"qcd", "n", "nt=8", {4, 8, 14}},
    {"arrow", "n", "", {50'000}},
    {"hypersparse", "n", "nnz=400000", {2'000'000}},
    {"dense", "rows", "cols=1000", {100, 3000}},
    {"dense", "rows", "cols=3000", {3000}},
};

const std::vector<Family> kTiny{
    {"laplace2d", "n", "", {20, 60}},
    {"stencil27", "n", "", {8, 14}},
    {"uniform", "n", "per_row=9", {900, 7000}},
    {"rmat", "scale", "degree=8", {9, 12}},
};

template <class Families>
std::vector<std::string> sources_of(const Families& families) {
    std::vector<std::string> all;
    for (const Family& family : families) {
        for (const int size : family.sizes) {
            all.push_back(fmt::format("gen:{}:{}={}{}{}", family.kind, family.parameter, size,
                                      family.options.empty() ? "" : ",", family.options));
        }
    }
    return all;
}

}  // namespace

std::span<const BenchmarkSet> benchmark_sets() {
    static const std::vector<BenchmarkSet> sets{
        {"full", "generated matrices of many kinds, 10^4 to 5 * 10^7 nonzeros", sources_of(kFamilies)},
        {"tiny", "eight small ones, to try things", sources_of(kTiny)}};
    return sets;
}

const BenchmarkSet& find_benchmark_set(std::string_view name) {
    const auto found = std::ranges::find(benchmark_sets(), name, &BenchmarkSet::name);
    if (found != benchmark_sets().end()) return *found;
    std::vector<std::string_view> names;
    for (const BenchmarkSet& set : benchmark_sets()) names.push_back(set.name);
    throw Error(fmt::format("unknown set '{}'; there are {}", name, fmt::join(names, ", ")), ExitCode::usage);
}

}  // namespace tilespmv::tools
