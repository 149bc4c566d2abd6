/// Products of tile-omp and csr-omp against Eigen's row-major product, all with one thread, sampled in turn:
///
///     eigen_benchmark [matrix...]       generator specifications; a few classes by default
///
/// One line a matrix: milliseconds of Eigen's product, and how often the others fit into it (medians of the rounds).
/// Ends with the geometric means.
#include <algorithm>
#include <array>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <Eigen/SparseCore>

#include "bench/harness/product.hpp"
#include "bench/harness/sampling.hpp"
#include "bench/harness/statistics.hpp"
#include "formats/convert.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tile/generate/generate.hpp"

namespace {

using namespace tilespmv;
using namespace tilespmv::bench;

using EigenMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, offset_t>;

EigenMatrix to_eigen(const CsrMatrix<double>& a) {
    const std::vector<offset_t> cols(a.col_idxs.begin(), a.col_idxs.end());
    return Eigen::Map<const EigenMatrix>(a.rows, a.cols, a.nnz(), a.row_ptrs.data(), cols.data(), a.values.data());
}

/// Speed-ups over Eigen: of tile-omp, then of csr-omp.
std::array<double, 2> measure(const std::string& matrix) {
    const auto a = generate<double>(matrix);
    const auto tiles = convert(a, *make_policy(kDefaultSelector));
    const auto eigen = to_eigen(a);
    const auto x = make_x<double>(a.cols);
    Eigen::VectorXd eigen_y(a.rows);
    Buffer<double> y(static_cast<std::size_t>(a.rows));
    const Source<double> source(a, tiles);
    const auto tile = make_operator<double>("tile-omp", source);
    const auto csr = make_operator<double>("csr-omp", source);
    const Eigen::Map<const Eigen::VectorXd> eigen_x(x.data(), a.cols);
    const auto apply = [&](const Operator<double>& op) { op.apply(1, {x.data(), x.size()}, 0, {y.data(), y.size()}); };
    SteadyStopwatch stopwatch;
    const std::array workloads{
        Workload{.run = [&] { eigen_y.noalias() = eigen * eigen_x; }, .stopwatch = &stopwatch},
        Workload{.run = [&] { apply(*tile); }, .stopwatch = &stopwatch},
        Workload{.run = [&] { apply(*csr); }, .stopwatch = &stopwatch},
    };
    const auto timings = sample_in_turn(workloads, {.min_samples = 10, .max_samples = 200, .min_seconds = 1});
    std::array<double, 2> speedups{};
    for (std::size_t i = 0; i < speedups.size(); ++i) {
        speedups[i] = summarize(paired_ratios(timings[0].seconds, timings[i + 1].seconds)).median;
    }
    fmt::print("{:<28} {:>11} nonzeros  Eigen {:>8.2f} ms  tile-omp {:.2f} x  csr-omp {:.2f} x\n", matrix, a.nnz(),
               1e3 * summarize(timings[0].seconds).median, speedups[0], speedups[1]);
    return speedups;
}

}  // namespace

int main(int argc, char** argv) try {
    omp_set_num_threads(1);
    std::vector<std::string> matrices(argv + 1, argv + argc);
    if (matrices.empty()) {
        matrices = {"laplace2d:n=2000", "laplace3d:n=140", "stencil27:n=90",    "fem:n=45,dof=3",
                    "fem:n=28,dof=6",   "banded:n=400000", "uniform:n=1250000", "rmat:scale=20"};
    }
    std::array<std::vector<double>, 2> all;
    for (const auto& matrix : matrices) {
        const auto speedups = measure(matrix);
        for (std::size_t i = 0; i < all.size(); ++i) all[i].push_back(speedups[i]);
    }
    fmt::print("geometric mean: tile-omp {:.2f} x, csr-omp {:.2f} x\n", geometric_mean(all[0]), geometric_mean(all[1]));
} catch (const std::exception& error) {
    fmt::print(stderr, "eigen_benchmark: {}\n", error.what());
    return 1;
}
