/// Products y = A x of every operator of this build on a few generated matrices:
///
///     spmv_benchmark [--benchmark_filter=tile-omp]         OMP_NUM_THREADS=2 for other numbers of threads
///
/// Each benchmark is named <matrix>/<values>/<operator>[/<selector>]. Items are nonzeros, bytes follow the byte model.
/// `tilespmv bench` is the tool to compare operators with: it samples them in turn.
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "bench/harness/byte_model.hpp"
#include "bench/harness/experiment.hpp"
#include "bench/harness/product.hpp"
#include "selector/policy.hpp"
#include "tile/generate.hpp"

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
        last.expected = expected_product<V>(last.a, V{1}, last.x_span(), V{0}, {});
        name = matrix;
    }
    return last;
}

template <Value V>
void measure_product(::benchmark::State& state, const std::string& matrix, const Candidate<V>& candidate) {
    const Problem<V>& p = problem<V>(matrix);
    const auto product = make_host_product<V>(*candidate.info, candidate.selector, p.a, p.x_span());
    product->poison();
    product->run();
    const CheckResult check = product->check(p.expected);
    if (!check.ok) {
        state.SkipWithError(check.message().c_str());
        return;
    }
    for (auto _ : state) product->run();
    const std::uint64_t bytes = product_bytes({.matrix_bytes = product->matrix_bytes(),
                                               .rows = p.a.rows,
                                               .cols = p.a.cols,
                                               .value_bytes = static_cast<int>(sizeof(V))});
    state.SetItemsProcessed(state.iterations() * p.a.nnz());
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

template <Value V>
void register_matrix(const std::string& matrix) {
    for (const OperatorInfo<V>& info : operators<V>()) {
        const Candidate<V> candidate{&info, info.needs_tiles ? std::string(kDefaultSelector) : ""};
        const std::string name = fmt::format("{}/{}/{}{}{}", matrix, value_name<V>(), info.name,
                                             info.needs_tiles ? "/" : "", candidate.selector);
        ::benchmark::RegisterBenchmark(name.c_str(), measure_product<V>, matrix, candidate)
            ->UseRealTime()
            ->Unit(::benchmark::kMillisecond);
    }
}

}  // namespace

int main(int argc, char** argv) {
    for (const char* matrix : {"laplace2d:n=1000", "stencil27:n=56", "fem:n=27,dof=3", "fem:n=17,dof=6",
                               "block-dense:n=40000", "uniform:n=300000", "rmat:scale=18"}) {
        register_matrix<double>(matrix);
        register_matrix<float>(matrix);
    }
    ::benchmark::Initialize(&argc, argv);
    ::benchmark::RunSpecifiedBenchmarks();
}
