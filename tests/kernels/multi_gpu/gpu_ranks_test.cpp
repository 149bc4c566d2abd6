// Ranks that share one GPU, by a communicator that waits on the host; and one rank alone. What needs more GPUs is in
// gpu_multi_test.cpp.
#include <algorithm>

#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/multi_gpu/communicated_halo.hpp"
#include "kernels/multi_gpu/device_rank_operator.hpp"
#include "kernels/multi_gpu/rank_threads.hpp"
#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// What the ranks show each other when they meet.
struct Shown {
    const HaloPlan* plan = nullptr;
    const void* sent = nullptr;
};

class OneGpu final : public Communicator {
public:
    OneGpu(Meeting& meeting, std::vector<Shown>& shown, int rank) : meeting_(meeting), shown_(shown), rank_(rank) {}

    [[nodiscard]] int size() const override { return meeting_.ranks(); }
    void exchange(const HaloPlan& plan, const void* sent, void* halo, std::size_t value_bytes, void* stream) override {
        const auto on = static_cast<cudaStream_t>(stream);
        TILESPMV_CUDA(cudaStreamSynchronize(on));
        shown_[static_cast<std::size_t>(rank_)] = {&plan, sent};
        meeting_.wait();
        for (const Parcel& parcel : plan.receives) {
            const Shown& from = shown_[static_cast<std::size_t>(parcel.rank)];
            const Parcel& same = *std::ranges::find(from.plan->sends, rank_, &Parcel::rank);
            TILESPMV_CUDA(cudaMemcpyAsync(
                static_cast<std::byte*>(halo) + static_cast<std::size_t>(parcel.first) * value_bytes,
                static_cast<const std::byte*>(from.sent) + static_cast<std::size_t>(same.first) * value_bytes,
                static_cast<std::size_t>(parcel.count) * value_bytes, cudaMemcpyDeviceToDevice, on));
        }
        TILESPMV_CUDA(cudaStreamSynchronize(on));
        meeting_.wait();
    }
    void all_gather(const double*, int, double*, void*) override { ADD_FAILURE() << "a product has no sums"; }

private:
    Meeting& meeting_;
    std::vector<Shown>& shown_;
    int rank_;
};

/// y = alpha * A * x + beta * y by ranks that share the GPU. Every rank multiplies twice, the first time by NaN.
template <class V>
std::vector<V> multiply_on_ranks(const CsrMatrix<V>& a, int ranks, const std::string& name, double alpha,
                                 const std::vector<V>& x, double beta, std::vector<V> y) {
    const auto rows = partition_by_nonzeros({a.row_ptrs.data(), a.row_ptrs.size()}, ranks);
    const auto plans = make_halo_plans(a, rows, a.rows == a.cols ? rows : partition_evenly(a.cols, ranks));
    Meeting meeting(ranks);
    std::vector<Shown> shown(static_cast<std::size_t>(ranks));
    run_ranks(meeting, [&](int rank) {
        const HaloPlan& plan = plans[static_cast<std::size_t>(rank)];
        const auto matrix = make_rank_matrix(a, plan);
        const cuda::Stream stream;
        OneGpu communicator(meeting, shown, rank);
        auto halo = std::make_unique<CommunicatedHalo<V>>(plan, communicator, stream.get());
        const DeviceRankOperator<V> op(matrix, plan, name, std::move(halo), stream.get());
        EXPECT_EQ(op.nnz(), matrix.interior.nnz() + matrix.boundary.nnz());
        const auto own_x =
            std::span(x).subspan(static_cast<std::size_t>(plan.first_col), static_cast<std::size_t>(plan.cols));
        const auto own_y =
            std::span(y).subspan(static_cast<std::size_t>(plan.first_row), static_cast<std::size_t>(plan.rows));
        const std::vector<V> nan(own_x.size(), std::numeric_limits<V>::quiet_NaN());
        const cuda::DeviceBuffer<V> poison(std::span<const V>(nan), stream.get());
        const cuda::DeviceBuffer<V> from(own_x, stream.get());
        cuda::DeviceBuffer<V> scratch(own_y.size(), stream.get());
        cuda::DeviceBuffer<V> to(std::span<const V>(own_y), stream.get());
        op.apply(1, poison.span(), 0, scratch.span(), stream.get());
        op.apply(alpha, from.span(), beta, to.span(), stream.get());
        to.download(own_y, stream.get());
        stream.synchronize();
    });
    return y;
}

/// In the accumulator of V itself: the sum of the interior is rounded to V before that of the boundary is added.
template <class V>
void expect_right(const CsrMatrix<V>& a, int ranks, const std::string& name) {
    constexpr auto accumulator = sizeof(V) == sizeof(float) ? Accumulator::float32 : Accumulator::float64;
    const auto x = testing::numbers<V>(a.cols, 1);
    const auto y = testing::numbers<V>(a.rows, 2);
    const auto fresh = check_product<V>(
        expected_product<V>(a, 1, x, 0, {}),
        multiply_on_ranks<V>(a, ranks, name, 1, x, 0, std::vector<V>(y.size(), std::numeric_limits<V>::quiet_NaN())),
        accumulator);
    EXPECT_TRUE(fresh.ok) << fresh.message();
    const auto added = check_product<V>(expected_product<V>(a, -1, x, 1, y),
                                        multiply_on_ranks<V>(a, ranks, name, -1, x, 1, y), accumulator);
    EXPECT_TRUE(added.ok) << added.message();
}

class Ranks : public testing::OnDevice {};
class SanitizerRanks : public testing::OnDevice {};

TEST_F(Ranks, MultiplyTheBattery) {
    for (const auto& [name, a] : testing::matrix_battery()) {
        for (const int ranks : {1, 2, 3}) {
            SCOPED_TRACE(name + " on " + std::to_string(ranks));
            expect_right(a, ranks, "csr-vector");
        }
        SCOPED_TRACE(name + " in float32");
        expect_right(convert_values<float>(a), 2, "csr-merge");
    }
}

TEST_F(Ranks, ChooseOperatorsForThemselves) {
    const auto a = generate<double>("stencil27:n=14");
    for (const auto* name : {"auto", "sell", "csr-inode"}) expect_right(a, 3, name);
}

TEST_F(SanitizerRanks, MultiplyAndSolve) {
    expect_right(generate<double>("laplace2d:n=9"), 3, "csr-vector");
    const auto a = generate<double>("laplace2d:n=7");
    auto alone = make_gpu_ranked_solver(a, {.operator_name = "csr-vector"});
    const auto b = testing::numbers<double>(a.rows, 1);
    std::vector<double> x(b.size());
    EXPECT_TRUE(alone.solve(b, x).converged());
}

TEST_F(Ranks, OneChoosesAPreconditioner) {
    const auto a = generate<double>("elasticity:n=8");
    const auto b = testing::numbers<double>(a.rows, 3);
    auto gpu = make_gpu_ranked_solver<double>(a, {.preconditioner = "auto"}, {b});
    EXPECT_EQ(gpu.preconditioner_choice().trials.size(), 3U);
    std::vector<double> x(b.size());
    EXPECT_TRUE(gpu.solve(b, x).converged()) << gpu.preconditioner_choice().specification;
}

TEST_F(Ranks, OneIsTheSameSolver) {
    auto a = generate<double>("elasticity:n=5");
    const auto b = testing::numbers<double>(a.rows, 3);
    for (const auto* m : {"jacobi", "ssor-ai"}) {
        for (const auto method : {solver::Method::chronopoulos_gear, solver::Method::textbook}) {
            SCOPED_TRACE(std::string(m) + ' ' + std::string(method_name(method)));
            auto gpu =
                make_gpu_ranked_solver(a, {.operator_name = "csr-vector", .preconditioner = m, .method = method});
            auto cpu = make_cpu_ranked_solver(a, {.preconditioner = m, .method = method});
            std::vector<double> x(b.size());
            std::vector<double> expected(b.size());
            const auto of_cpu = cpu.solve(b, expected);
            const auto of_gpu = gpu.solve(b, x);
            EXPECT_TRUE(of_gpu.converged());
            EXPECT_NEAR(of_gpu.iterations, of_cpu.iterations, 1 + 0.02 * of_cpu.iterations);
            EXPECT_TRUE(gpu.solve(b, expected).converged());
            EXPECT_EQ(x, expected) << "not the same bits again";
            EXPECT_GT(gpu.measure_product(3).product, 0);
        }
    }
}

TEST_F(Ranks, OneChoosesItsRecurrenceByFiguresOfTheGpu) {
    const auto small = make_gpu_ranked_solver(generate<double>("laplace2d:n=30"), {});
    EXPECT_EQ(small.method(), solver::Method::chronopoulos_gear);
    EXPECT_NE(small.method_reason(), "");
    const auto large = make_gpu_ranked_solver(generate<double>("laplace2d:n=2000"), {.preconditioner = "none"});
    EXPECT_EQ(large.method(), solver::Method::textbook);
}

TEST_F(Ranks, AreAtMostAsManyAsGpus) {
    const auto a = generate<double>("laplace2d:n=9");
    int gpus = 0;
    TILESPMV_CUDA(cudaGetDeviceCount(&gpus));
    EXPECT_EQ(test::message_of([&] { make_gpu_ranked_solver(a, {.ranks = 1000}); }),
              "4: 1000 GPUs were asked for, this machine has " + std::to_string(gpus) + "; ask for at most as many");
}

}  // namespace
}  // namespace tilespmv::multi_gpu
