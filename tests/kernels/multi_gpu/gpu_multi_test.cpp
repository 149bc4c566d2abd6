// Two GPUs or more: halos and sums by peer access, and by NCCL.
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/check.hpp"
#include "kernels/multi_gpu/peer_access.hpp"
#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "kernels/solver/solver_model.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/linear_systems.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

using solver::Method;
using ::testing::HasSubstr;
using testing::numbers;
using testing::relative_residual;

constexpr Method kMethods[]{Method::chronopoulos_gear, Method::textbook};

/// Skips, visibly, where there are not two GPUs or no way for them to exchange anything.
class SeveralGpus : public testing::OnDevice {
protected:
    void SetUp() override {
        testing::OnDevice::SetUp();
        if (IsSkipped()) return;
        TILESPMV_CUDA(cudaGetDeviceCount(&gpus_));
        if (gpus_ < 2) GTEST_SKIP() << "needs two GPUs, this machine has one";
        if (PeerAccess::open(gpus_) != nullptr) ways_.push_back(true);
        try {
            make_gpu_ranked_solver(generate<double>("laplace2d:n=3"), {.ranks = 2, .use_peer_access = false});
            ways_.push_back(false);
        } catch (const Error& error) {
            if (error.code() != ExitCode::unavailable) throw;
            if (ways_.empty()) GTEST_SKIP() << error.what();
        }
    }

    int gpus_ = 0;
    std::vector<bool> ways_;  ///< values of `use_peer_access` that are ways of their own
};

/// Its nonzeros on and below the diagonal: ranks receive from those before them alone.
CsrMatrix<double> lower_part(const CsrMatrix<double>& a) {
    std::vector<offset_t> row_ptrs{0};
    std::vector<index_t> col_idxs;
    std::vector<double> values;
    for (index_t row = 0; row < a.rows; ++row) {
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1] && a.col_idxs[p] <= row; ++p) {
            col_idxs.push_back(a.col_idxs[p]);
            values.push_back(a.values[p]);
        }
        row_ptrs.push_back(static_cast<offset_t>(values.size()));
    }
    return {a.rows, a.cols, Buffer<offset_t>(std::span<const offset_t>(row_ptrs)),
            Buffer<index_t>(std::span<const index_t>(col_idxs)), Buffer<double>(std::span<const double>(values))};
}

/// Five times, and again after 50 products that no sum comes between.
void expect_right(const CsrMatrix<double>& a, const RankedOptions& options) {
    const auto x = numbers<double>(a.cols, 1);
    auto ranks = make_gpu_ranked_solver(a, options);
    for (int again = 0; again < 6; ++again) {
        std::vector<double> y(static_cast<std::size_t>(a.rows), std::nan(""));
        ranks.multiply(x, y);
        const auto result = check_product<double>(expected_product<double>(a, 1, x, 0, {}), y);
        EXPECT_TRUE(result.ok) << result.message();
        if (again == 4) ranks.measure_product(50);
    }
}

TEST_F(SeveralGpus, MultiplyAsOne) {
    for (const bool use_peer_access : ways_) {
        const RankedOptions options{.ranks = gpus_, .preconditioner = "none", .use_peer_access = use_peer_access};
        for (const auto* spec : {"stencil27:n=20", "rmat:scale=10", "laplace2d:n=2", "circuit:n=3000"}) {
            SCOPED_TRACE(std::string(spec) + (use_peer_access ? " by peer access" : " by NCCL"));
            const auto a = generate<double>(spec);
            expect_right(a, options);
            expect_right(lower_part(a), options);
        }
    }
}

TEST_F(SeveralGpus, SolveAsRanksOnTheCpu) {
    for (const auto* spec : {"laplace2d:n=60,jump=100,block=5", "elasticity:n=7", "stencil27:n=14"}) {
        const auto a = generate<double>(spec);
        const auto b = numbers<double>(a.rows, 3);
        for (const auto* m : {"jacobi", "ssor-ai"}) {
            for (const Method method : kMethods) {
                SCOPED_TRACE(std::string(spec) + ' ' + m + ' ' + std::string(method_name(method)));
                const RankedOptions options{.ranks = gpus_, .preconditioner = m, .method = method};
                std::vector<double> x(b.size());
                std::vector<double> expected(b.size());
                const auto of_cpu = make_cpu_ranked_solver(a, options).solve(b, expected);
                auto gpus = make_gpu_ranked_solver(a, options);
                const auto of_gpus = gpus.solve(b, x);
                EXPECT_TRUE(of_gpus.converged()) << describe(of_gpus);
                EXPECT_NEAR(of_gpus.iterations, of_cpu.iterations, 1 + 0.02 * of_cpu.iterations);
                EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
                EXPECT_TRUE(gpus.solve(b, expected).converged());
                EXPECT_EQ(x, expected) << "not the same bits again";
            }
        }
    }
}

TEST_F(SeveralGpus, TakeNewValuesAndEmptyParts) {
    auto a = generate<float>("laplace2d:n=40");
    auto b = numbers<float>(a.rows, 4);
    std::vector<index_t> starts(static_cast<std::size_t>(gpus_) + 1, a.rows);
    starts.front() = 0;
    const auto expect_solves = [&](const RankedOptions& options) {
        auto gpus = make_gpu_ranked_solver(a, options);
        std::vector<float> x(b.size());
        EXPECT_TRUE(gpus.solve(b, x, {.rtol = 1e-5}).converged());
        for (float& value : a.values) value *= 2;
        for (float& value : b) value = 1 - value;
        gpus.update_values(a);
        EXPECT_TRUE(gpus.solve(b, x, {.rtol = 1e-5}).converged());
        EXPECT_LE(relative_residual(a, b, x), 1.01e-5);
    };
    for (const bool use_peer_access : ways_) {
        for (const Method method : kMethods) {
            SCOPED_TRACE(std::string(method_name(method)) + (use_peer_access ? " by peer access" : " by NCCL"));
            RankedOptions options{.ranks = gpus_, .method = method, .use_peer_access = use_peer_access};
            expect_solves(options);
            options.partition = Partition(starts);
            expect_solves(options);
        }
    }
}

/// The graph Laplacian of a grid: A 1 = 0.
CsrMatrix<double> laplacian() {
    auto a = generate<double>("laplace2d:n=20");
    for (index_t row = 0; row < a.rows; ++row) {
        double* diagonal = nullptr;
        double others = 0;
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            if (a.col_idxs[p] == row) {
                diagonal = &a.values[p];
            } else {
                others += a.values[p];
            }
        }
        *diagonal = -others;
    }
    return a;
}

// Between the sums of an iteration stand those of means, which no recurrence takes.
TEST_F(SeveralGpus, KeepOutAConstantNullSpace) {
    const auto a = laplacian();
    auto b = numbers<double>(a.rows, 5);
    const double mean = std::accumulate(b.begin(), b.end(), 0.0) / a.rows;
    for (double& value : b) value -= mean;
    for (const Method method : kMethods) {
        SCOPED_TRACE(method_name(method));
        auto gpus = make_gpu_ranked_solver(a, {.ranks = gpus_, .method = method, .constant_null_space = true});
        std::vector<double> x(b.size());
        std::vector<double> again(b.size());
        EXPECT_TRUE(gpus.solve(b, x).converged());
        EXPECT_NEAR(std::accumulate(x.begin(), x.end(), 0.0), 0, 1e-6);
        EXPECT_LE(relative_residual(a, b, x), 1e-7);
        EXPECT_TRUE(gpus.solve(b, again).converged());
        EXPECT_EQ(x, again) << "not the same bits again";
    }
}

TEST_F(SeveralGpus, ExchangeByNcclToTheBitsOfPeerAccess) {
    if (ways_.size() < 2) GTEST_SKIP() << "there is one way: " << (ways_.front() ? "peer access" : "NCCL");
    for (const Method method : kMethods) {
        for (const bool constant_null_space : {false, true}) {  // with means, sums that no recurrence takes
            SCOPED_TRACE(method_name(method));
            const auto a = constant_null_space ? laplacian() : generate<double>("laplace2d:n=60,jump=100,block=5");
            const auto b = numbers<double>(a.rows, 3);
            RankedOptions options{.ranks = gpus_, .method = method, .constant_null_space = constant_null_space};
            auto by_peers = make_gpu_ranked_solver(a, options);
            options.use_peer_access = false;
            auto gathered = make_gpu_ranked_solver(a, options);
            EXPECT_THAT(by_peers.reports().front().how, HasSubstr("peer access"));
            EXPECT_THAT(gathered.reports().front().how, HasSubstr("NCCL"));
            for (const int check_every : {0, 7}) {
                std::vector<double> x(b.size());
                std::vector<double> expected(b.size());
                const solver::SolveOptions goal{.max_iterations = 300, .check_every = check_every};
                const auto of_peers = by_peers.solve(b, expected, goal);
                const auto of_gathered = gathered.solve(b, x, goal);
                EXPECT_EQ(of_gathered.end, of_peers.end) << describe(of_gathered);
                EXPECT_EQ(of_gathered.iterations, of_peers.iterations);
                EXPECT_EQ(of_gathered.residual, of_peers.residual);
                EXPECT_EQ(x, expected);
            }
            if (!constant_null_space) {
                std::vector<double> x(b.size());
                EXPECT_TRUE(gathered.solve(b, x).converged());
                EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
            }
        }
    }
}

TEST_F(SeveralGpus, SolveByTheRecurrenceThatIsPredictedToBeTheFaster) {
    const auto a = generate<double>("laplace2d:n=60,jump=100");
    const auto b = numbers<double>(a.rows, 3);
    const SolverMachine no_waits{.bytes_per_s = 1};
    std::vector<double> other;
    for (const bool waits : {true, false}) {
        RankedOptions options{.ranks = gpus_};
        if (!waits) options.machine = &no_waits;
        auto chosen = make_gpu_ranked_solver(a, options);
        EXPECT_EQ(chosen.method(), waits ? Method::chronopoulos_gear : Method::textbook) << chosen.method_reason();
        EXPECT_NE(chosen.method_reason(), "");
        auto asked = make_gpu_ranked_solver(a, {.ranks = gpus_, .method = chosen.method()});
        std::vector<double> x(b.size());
        std::vector<double> expected(b.size());
        EXPECT_TRUE(chosen.solve(b, x).converged());
        EXPECT_TRUE(asked.solve(b, expected).converged());
        EXPECT_EQ(x, expected);
        EXPECT_NE(x, other) << "roundings of both recurrences differ";
        other = x;
    }
}

TEST_F(SeveralGpus, HaveAPreconditionerThatOneChooses) {
    for (const auto* spec : {"laplace2d:n=60,jump=100,block=5", "elasticity:n=7"}) {
        SCOPED_TRACE(spec);
        const auto a = generate<double>(spec);
        const auto b = numbers<double>(a.rows, 3);
        auto gpus = make_gpu_ranked_solver<double>(a, {.ranks = gpus_, .preconditioner = "auto"}, {b});
        const auto& choice = gpus.preconditioner_choice();
        for (const auto& trial : choice.trials) EXPECT_EQ(trial.refusal, "") << trial.specification;
        EXPECT_NE(choice.specification, "auto");
        std::vector<double> x(b.size()), expected(b.size());
        const auto report = gpus.solve(b, x);
        EXPECT_TRUE(report.converged()) << choice.specification << ": " << describe(report);
        EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
        auto asked = make_gpu_ranked_solver<double>(
            a, {.ranks = gpus_, .partition = gpus.partition(), .preconditioner = choice.specification});
        asked.solve(b, expected);
        EXPECT_EQ(x, expected);
    }
}

TEST_F(SeveralGpus, ReportAFailureOfOne) {
    auto a = generate<double>("laplace2d:n=20");
    for (offset_t p = a.row_ptrs[390]; p < a.row_ptrs[391]; ++p) {
        if (a.col_idxs[p] == 390) a.values[p] = -1;
    }
    EXPECT_THROW(make_gpu_ranked_solver(a, {.ranks = 2}), Error);
}

TEST_F(SeveralGpus, MeasureTheStepsOfAProduct) {
    const auto a = generate<double>("stencil27:n=60");
    auto gpus = make_gpu_ranked_solver(a, {.ranks = gpus_});
    const auto times = gpus.measure_product(50);
    for (const double seconds : {times.product, times.halo, times.interior, times.boundary}) {
        EXPECT_GT(seconds, 0);
        EXPECT_LT(seconds, 0.1);
    }
}

}  // namespace
}  // namespace tilespmv::multi_gpu
