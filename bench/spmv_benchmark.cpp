/// Products y = A x of every operator for the CPU and, if there is one, the GPU on a few generated matrices:
///
///     spmv_benchmark [--benchmark_filter=tile-omp]         OMP_NUM_THREADS=2 for other numbers of threads
///
/// Each benchmark is named <matrix>/<values>/<operator>[/<selector>]. Items are nonzeros, bytes follow the byte model.
/// `tilespmv bench` is the tool to compare operators with: it samples them in turn.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/harness/byte_model.hpp"
#include "bench/harness/candidate.hpp"
#include "bench/harness/cpu_device.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/product.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"

namespace {

using namespace tilespmv;
using namespace tilespmv::bench;

template <Value V>
struct Problem {
    CsrMatrix<V> a;
    Buffer<V> x;
    ExpectedProduct expected;

    [[nodiscard]] std::span<const V> x_span() const { return {x.data(), x.size()}; }
};

// The last matrix asked for: benchmarks of one matrix follow each other.
template <Value V>
const Problem<V>& problem(const std::string& matrix) {
    static std::string name;
    static Problem<V> last;
    if (name != matrix) {
        last.a = generate<V>(matrix);
        last.x = make_x<V>(last.a.cols);
        last.expected = expected_product<V>(last.a, 1, last.x_span(), 0, {});
        name = matrix;
    }
    return last;
}

template <Value V>
void measure_product(::benchmark::State& state, const std::string& matrix, const Candidate<V>& candidate,
                     Device& device) {
    const Problem<V>& p = problem<V>(matrix);
    const auto product = candidate.bind(p.a, p.x_span())();
    product->poison();
    product->run();
    const CheckResult check = product->check(p.expected);
    if (!check.ok) {
        state.SkipWithError(check.message().c_str());
        return;
    }
    for (auto _ : state) {
        device.stopwatch().start();
        product->run();
        state.SetIterationTime(device.stopwatch().stop());
    }
    const std::uint64_t bytes = product_bytes({.matrix_bytes = product->matrix_bytes(),
                                               .rows = p.a.rows,
                                               .cols = p.a.cols,
                                               .value_bytes = static_cast<int>(sizeof(V))});
    state.SetItemsProcessed(state.iterations() * p.a.nnz());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

template <Value V>
void register_matrix(const std::string& matrix, Device& device) {
    for (const OperatorEntry& entry : operators<V>(device.backend())) {
        const auto candidate = make_candidate<V>(device, std::string(entry.name), std::string(kDefaultSelector));
        const std::string name = fmt::format("{}/{}/{}{}{}", matrix, value_name<V>(), candidate.operator_name,
                                             candidate.selector.empty() ? "" : "/", candidate.selector);
        ::benchmark::RegisterBenchmark(name.c_str(), measure_product<V>, matrix, candidate, std::ref(device))
            ->UseManualTime()
            ->Unit(::benchmark::kMillisecond);
    }
}

// Null without an available GPU.
std::unique_ptr<Device> find_gpu() {
    try {
        return make_cuda_device();
    } catch (const Error& error) {
        if (error.code() != ExitCode::unavailable) throw;
        return nullptr;
    }
}

}  // namespace

int main(int argc, char** argv) {
    CpuDevice cpu;
    const auto gpu = find_gpu();
    for (const char* matrix : {"laplace2d:n=1000", "stencil27:n=56", "fem:n=27,dof=3", "fem:n=17,dof=6",
                               "block-dense:n=40000", "uniform:n=300000", "rmat:scale=18"}) {
        for (Device* device : {static_cast<Device*>(&cpu), gpu.get()}) {
            if (!device) continue;
            register_matrix<double>(matrix, *device);
            register_matrix<float>(matrix, *device);
        }
    }
    ::benchmark::Initialize(&argc, argv);
    ::benchmark::RunSpecifiedBenchmarks();
}
