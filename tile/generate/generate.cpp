#include "tile/generate/generate.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"
#include "tile/generate/generator.hpp"

namespace tilespmv {
namespace {

constexpr std::array kGenerators{
    &synthetic::kLaplace2d,  &synthetic::kLaplace3d, &synthetic::kStencil27,  &synthetic::kFem,
    &synthetic::kElasticity, &synthetic::kBanded,    &synthetic::kBlockDense, &synthetic::kUniform,
    &synthetic::kRmat,       &synthetic::kKronecker, &synthetic::kDelaunay,   &synthetic::kRgg,
    &synthetic::kRoadLike,   &synthetic::kPowerlaw,  &synthetic::kCircuit,    &synthetic::kArrow,
    &synthetic::kKkt,        &synthetic::kQcd,       &synthetic::kDense,      &synthetic::kHypersparse,
    &synthetic::kWeb,        &synthetic::kPoseGraph, &synthetic::kVolumes,
};

const synthetic::Generator& find_generator(std::string_view name) {
    const auto found = std::ranges::find(kGenerators, name, [](const auto* g) { return g->info.name; });
    if (found != kGenerators.end()) return **found;
    std::vector<std::string_view> names;
    for (const auto& info : generators()) names.push_back(info.name);
    throw Error(fmt::format("unknown generator '{}'; there are {}", name, fmt::join(names, ", ")), ExitCode::usage);
}

}  // namespace

std::span<const GeneratorInfo> generators() {
    static const auto infos = [] {
        std::array<GeneratorInfo, kGenerators.size()> all;
        std::ranges::transform(kGenerators, all.begin(), [](const auto* g) { return g->info; });
        return all;
    }();
    return infos;
}

template <Value V>
CsrMatrix<V> generate(std::string_view specification) {
    const Options options("generator", specification);
    const synthetic::Generator& generator = find_generator(options.name());
    const synthetic::Parameters parameters(generator.info, options);
    synthetic::Generated made = generator.make(parameters);
    return synthetic::with_values<V>(specification, std::move(made), parameters.seed());
}

#define TILESPMV_INSTANTIATE(V) template CsrMatrix<V> generate(std::string_view);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
