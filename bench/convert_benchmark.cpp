/// Conversion of CSR to tiles: nonzeros per second, and whether the time grows linearly with them.
///
///     OMP_NUM_THREADS=2 convert_benchmark --benchmark_repetitions=3 [--benchmark_filter=fem]
///
/// Each benchmark is named <kind>/<selector>/<n>, where neighbouring n give four times the rows; _BigO and _RMS say how
/// well c * nnz fits. Items are nonzeros, bytes those of the tiles that are written. Those called update give a matrix
/// new values by a ValueMap; beside them, copy copies as many values. Items are values.
#include <algorithm>
#include <span>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/harness/memory.hpp"
#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tile/generate/generate.hpp"
#include "tile/parallel.hpp"

namespace {

using namespace tilespmv;

struct Kind {
    const char* specification;  // with {} for n
    std::vector<std::int64_t> sizes;
};

void measure_conversion(benchmark::State& state, const Kind& kind, const std::string& selector) {
    const auto csr = generate<double>(fmt::format(fmt::runtime(kind.specification), state.range(0)));
    const auto policy = make_policy(selector);
    TileMatrix<double> tiles;
    for (auto _ : state) {
        state.PauseTiming();
        tiles = {};
        state.ResumeTiming();
        tiles = convert(csr, *policy);
    }
    state.SetItemsProcessed(state.iterations() * csr.nnz());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(tiles.bytes()));
    state.SetComplexityN(csr.nnz());
    state.counters["Mnnz"] = static_cast<double>(csr.nnz()) * 1e-6;
    state.counters["Mtiles"] = static_cast<double>(tiles.tiles.size()) * 1e-6;
}

void measure_update(benchmark::State& state, const char* specification, bool is_copy) {
    const auto csr = generate<double>(specification);
    auto tiles = convert(csr, *make_policy(kDefaultSelector));
    const ValueMap map(csr, tiles);
    const std::span<const double> values(csr.values.data(), csr.values.size());
    Buffer<double> copy(values.size());
    constexpr std::int64_t grain = 1 << 16;
    for (auto _ : state) {
        if (is_copy) {
            parallel_ranges(0, csr.nnz(), grain, [&](std::int64_t first, std::int64_t last) {
                std::copy(values.begin() + first, values.begin() + last, copy.begin() + first);
            });
        } else {
            map.update<double>(tiles, values);
        }
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * csr.nnz());
}

}  // namespace

int main(int argc, char** argv) {
    bench::keep_freed_memory();  // or large matrices alone would pay for new pages at every conversion
    // About 1, 5, 20 and 80 million nonzeros each.
    const std::vector<Kind> kinds{{"laplace2d:n={}", {500, 1000, 2000, 4000}},
                                  {"stencil27:n=40,nz={}", {30, 120, 480, 1920}},
                                  {"fem:n=14,dof=3,nz={}", {30, 120, 480, 1920}},
                                  {"uniform:n={}", {75000, 300000, 1200000, 4800000}},
                                  {"rmat:scale={}", {16, 18, 20, 22}}};
    for (const Kind& kind : kinds) {
        for (const char* selector : {"bytes", "paper-tuned", "paper-tuned-deferred"}) {
            const std::string specification = kind.specification;
            const std::string name = specification.substr(0, specification.find(':'));
            auto* registered = benchmark::RegisterBenchmark(fmt::format("{}/{}", name, selector).c_str(),
                                                            measure_conversion, kind, selector);
            for (const auto n : kind.sizes) registered->Arg(n);
            registered->UseRealTime()->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);
        }
    }
    for (const char* matrix : {"laplace2d:n=2000", "stencil27:n=91", "fem:n=44,dof=3", "uniform:n=1250000"}) {
        for (const bool is_copy : {false, true}) {
            const std::string name = fmt::format("{}/{}", is_copy ? "copy" : "update", matrix);
            benchmark::RegisterBenchmark(name.c_str(), measure_update, matrix, is_copy)
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
