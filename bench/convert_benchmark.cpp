/// Conversion of CSR to tiles: nonzeros per second, and whether the time grows linearly with them.
///
///     convert_benchmark [--benchmark_filter=fem]           OMP_NUM_THREADS=2 for other numbers of threads
///
/// Each benchmark is named <kind>/<selector>/<n>, where neighbouring n give four times the rows; _BigO and _RMS say how
/// well c * nnz fits. Items are nonzeros, bytes those of the tiles that are written.
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "selector/policy.hpp"
#include "tile/generate.hpp"

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
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<Kind> kinds{{"laplace2d:n={}", {250, 500, 1000}},
                                  {"stencil27:n=40,nz={}", {10, 40, 160}},
                                  {"fem:n=20,dof=3,nz={}", {10, 40, 160}},
                                  {"uniform:n={}", {25000, 100000, 400000}},
                                  {"rmat:scale={}", {14, 16, 18}}};
    for (const Kind& kind : kinds) {
        for (const char* selector : {"bytes", "paper-adaptive", "paper-deferred"}) {
            const std::string specification = kind.specification;
            const std::string name = specification.substr(0, specification.find(':'));
            auto* registered = benchmark::RegisterBenchmark(fmt::format("{}/{}", name, selector).c_str(),
                                                            measure_conversion, kind, selector);
            for (const auto n : kind.sizes) registered->Arg(n);
            registered->UseRealTime()->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
