/// Conversion of CSR to tiles: nonzeros per second, and whether the time grows linearly with them.
///
///     OMP_NUM_THREADS=2 convert_benchmark --benchmark_repetitions=3 [--benchmark_filter=fem]
///
/// Each benchmark is named <kind>/<selector>/<n>, where neighbouring n give four times the rows; _BigO and _RMS say how
/// well c * nnz fits. Items are nonzeros, bytes those of the tiles that are written. Those called update give a matrix
/// new values: tiles by a ValueMap, strips by a StripValueMap, the operator strip-omp by update_values; beside them,
/// copy copies as many values. Items are values.
#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/harness/memory.hpp"
#include "formats/convert.hpp"
#include "kernels/registry.hpp"
#include "kernels/strip/strip_value_map.hpp"
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

using Values = std::span<const double>;
/// Gives a matrix new values.
using Update = std::function<void(Values)>;

Update update_of_tiles(const CsrMatrix<double>& csr) {
    auto tiles = std::make_shared<TileMatrix<double>>(convert(csr, *make_policy(kDefaultSelector)));
    auto map = std::make_shared<ValueMap>(csr, *tiles);
    return [tiles, map](Values values) { map->update(*tiles, values); };
}

Update update_of_strips(const CsrMatrix<double>& csr) {
    auto strips = std::make_shared<StripMatrix<double>>(make_strip_matrix(csr));
    auto map = std::make_shared<StripValueMap>(*strips);
    return [strips, map](Values values) { map->update(*strips, values); };
}

Update update_of_strip_omp(const CsrMatrix<double>& csr) {
    std::shared_ptr<Operator<double>> op = make_operator<double>("strip-omp:updatable=1", {&csr});
    return [op](Values values) { op->update_values(values); };
}

Update copy_of_values(const CsrMatrix<double>& csr) {
    auto copy = std::make_shared<Buffer<double>>(csr.values.size());
    return [copy](Values values) {
        constexpr std::int64_t grain = 1 << 16;
        parallel_ranges(0, std::ssize(values), grain, [&](std::int64_t first, std::int64_t last) {
            std::copy(values.begin() + first, values.begin() + last, copy->begin() + first);
        });
    };
}

struct NamedUpdate {
    const char* name;
    Update (*make)(const CsrMatrix<double>&);
};
constexpr NamedUpdate kUpdates[]{{"update", update_of_tiles},
                                 {"update-strips", update_of_strips},
                                 {"update-strip-omp", update_of_strip_omp},
                                 {"copy", copy_of_values}};

void measure_update(benchmark::State& state, const char* specification, const NamedUpdate& named) {
    const auto csr = generate<double>(specification);
    const Update update = named.make(csr);
    const Values values(csr.values.data(), csr.values.size());
    for (auto _ : state) {
        update(values);
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
    for (const char* matrix :
         {"laplace2d:n=2000", "stencil27:n=91", "fem:n=44,dof=3", "qcd:n=12", "uniform:n=1250000"}) {
        for (const NamedUpdate& update : kUpdates) {
            benchmark::RegisterBenchmark(fmt::format("{}/{}", update.name, matrix).c_str(), measure_update, matrix,
                                         update)
                ->UseRealTime()
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
