/// Opening archives of 20 million nonzeros, from the page cache, with all checks:
///
///     OMP_NUM_THREADS=2 open_benchmark [--benchmark_filter=stencil27]
///
/// Each benchmark is named <matrix>/<selector>.
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tile/archive/archive.hpp"
#include "tile/generate/generate.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tilespmv;

void measure_open(benchmark::State& state, const std::string& matrix, const std::string& selector) {
    const auto file = fs::temp_directory_path() / fmt::format("tilespmv-open-{}.tsp", getpid());
    write_archive<double>(file, convert(generate<double>(matrix), *make_policy(selector)), formats::format_table());
    const auto bytes = static_cast<double>(fs::file_size(file));
    TileMatrix<double> a;
    for (auto _ : state) {
        a = open_archive<double>(file, formats::format_table());
        state.PauseTiming();
        state.counters["Mnnz"] = static_cast<double>(a.nnz) * 1e-6;
        state.counters["Mtiles"] = static_cast<double>(a.tiles.size()) * 1e-6;
        a = {};
        state.ResumeTiming();
    }
    state.counters["file_MB"] = bytes * 1e-6;
    state.SetBytesProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * bytes));
    fs::remove(file);
}

}  // namespace

int main(int argc, char** argv) {
    for (const char* matrix : {"banded:n=400000", "stencil27:n=91", "fem:n=44,dof=3", "laplace2d:n=2000",
                               "uniform:n=2000000,per_row=10", "rmat:scale=20,degree=21"}) {
        for (const char* selector : {"bytes", "paper-tuned", "paper-tuned-deferred"}) {
            benchmark::RegisterBenchmark(fmt::format("{}/{}", matrix, selector).c_str(), measure_open, matrix, selector)
                ->UseRealTime()
                ->Iterations(20)  // given, so that the archive is made once
                ->Unit(benchmark::kMillisecond);
        }
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
