// What `update_values` of solvers promises on a GPU: but for the first new values, for which they make room, nothing is
// allocated, neither memory of the GPU nor pinned memory of the host. And what solvers of a matrix that is there
// promise: they do not copy it to the host. A program of its own, as calls of CUDA are counted.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cuda/stream.hpp"
#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/counting_cuda.hpp"
#include "tests/support/every_preconditioner.hpp"
#include "tests/support/linear_systems.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

template <class F>
long allocations_of(F&& f) {
    const long before = device_allocations_so_far();
    f();
    return device_allocations_so_far() - before;
}

template <class F>
long bytes_to_host_of(F&& f) {
    const long before = bytes_to_host_so_far();
    f();
    return bytes_to_host_so_far() - before;
}

// Where there is no GPU the calls fail, and count.
TEST(DeviceAllocation, TheCounterCounts) {
    void* memory = nullptr;
    const auto counts = [](const char* function, auto&& call) {
        const long before = calls_so_far(function);
        EXPECT_EQ(allocations_of(call), 1) << function;
        EXPECT_EQ(calls_so_far(function), before + 1) << function;
        static_cast<void>(cudaGetLastError());
    };
    const auto give_back = [&](auto&& free) {
        if (memory != nullptr) static_cast<void>(free(memory));
        memory = nullptr;
    };
    const auto free_device = [](void* p) { return cudaFree(p); };
    const auto free_host = [](void* p) { return cudaFreeHost(p); };
    counts("cudaMalloc", [&] { static_cast<void>(cudaMalloc(&memory, 256)); });
    give_back(free_device);
    counts("cudaMallocAsync", [&] { static_cast<void>(cudaMallocAsync(&memory, 256, nullptr)); });
    give_back(free_device);
    counts("cudaMallocFromPoolAsync",
           [&] { static_cast<void>(cudaMallocFromPoolAsync(&memory, 256, nullptr, nullptr)); });
    give_back(free_device);
    counts("cudaMallocManaged", [&] { static_cast<void>(cudaMallocManaged(&memory, 256, cudaMemAttachGlobal)); });
    give_back(free_device);
    counts("cudaMallocHost", [&] { static_cast<void>(cudaMallocHost(&memory, 256)); });
    give_back(free_host);
    counts("cudaHostAlloc", [&] { static_cast<void>(cudaHostAlloc(&memory, 256, cudaHostAllocDefault)); });
    give_back(free_host);
}

template <class T>
CsrMatrix<T> doubled(const CsrMatrix<T>& a) {
    auto twice = a.clone();
    for (T& value : twice.values) value *= 2;
    return twice;
}

template <class T>
std::span<const T> values_of(const CsrMatrix<T>& a) {
    return {a.values.data(), a.values.size()};
}

class AllocationOnDevice : public OnDevice {};

// What is counted is what the library calls.
TEST_F(AllocationOnDevice, ASolverAllocatesWhenItIsMade) {
    const auto a = generate<double>("laplace2d:n=20");
    EXPECT_GT(allocations_of([] { cuda::DeviceBuffer<double>(1000, cudaStream_t{}); }), 0);
    EXPECT_GT(allocations_of([&] { Solver<double>(a.clone(), {.backend = Backend::cuda}); }), 4);
}

/// Of new values, the second time, and of a solve with them.
template <class T>
void expect_none(Solver<T>& solver, const CsrMatrix<T>& a, double rtol) {
    const auto twice = doubled(a);
    const auto b = right_hand_side<T>(a.rows);
    std::vector<T> x(b.size());
    ASSERT_TRUE(solver.solve(b, x, {.rtol = rtol}).converged());
    solver.update_values(values_of(twice));
    ASSERT_TRUE(solver.solve(b, x, {.rtol = rtol}).converged());
    EXPECT_EQ(allocations_of([&] { solver.update_values(values_of(a)); }), 0);
    EXPECT_EQ(allocations_of([&] { solver.solve(b, x, {.rtol = rtol}); }), 0) << "a solve";
}

template <class T>
void expect_none_of(const char* system, double rtol) {
    const auto a = generate<T>(system);
    for (const std::string op : {"auto", "csr-vector", "csr-merge", "strip", "csr5", "tile:updatable=1"}) {
        for (const auto& m : all_preconditioners(op == "tile:updatable=1" ? "auto" : op)) {
            for (const bool persists : {false, true}) {
                if (persists && m.find("ssor") != std::string::npos) continue;  // never in one kernel
                SCOPED_TRACE(op + ' ' + m + (persists ? ", one kernel" : ", graphs"));
                Solver<T> solver(a.clone(), {.backend = Backend::cuda,
                                             .operator_name = op,
                                             .preconditioner = m,
                                             .use_persistent_kernel = persists});
                expect_none(solver, a, rtol);
            }
        }
    }
}

TEST_F(AllocationOnDevice, NewValuesAllocateNothing) { expect_none_of<double>("laplace2d:n=60", 1e-8); }
TEST_F(AllocationOnDevice, NewValuesAllocateNothingInFloat) { expect_none_of<float>("laplace2d:n=30", 1e-4); }

// More than a megabyte is copied through pinned memory, which is there after the first copies.
TEST_F(AllocationOnDevice, NewValuesOfManyNonzerosAllocateNothing) {
    const auto a = generate<double>("laplace3d:n=50");
    for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) {
        SCOPED_TRACE(m);
        Solver<double> solver(a.clone(), {.backend = Backend::cuda, .preconditioner = m});
        expect_none(solver, a, 1e-8);
    }
}

TEST_F(AllocationOnDevice, NewValuesOfAnAutomaticChoiceAllocateNothing) {
    const auto a = generate<double>("elasticity:n=8");
    Solver<double> solver(a.clone(), {.backend = Backend::cuda, .preconditioner = "auto"});
    SCOPED_TRACE(solver.preconditioner_choice().specification);
    expect_none(solver, a, 1e-8);
}

// The matrix lies on the GPU, and its values change there.
TEST_F(AllocationOnDevice, NewValuesOfAMatrixThatIsThereAllocateNothing) {
    const MatrixOnGpu<std::int64_t> there(generate<double>("laplace2d:n=60"));
    const auto& view = there.view;
    for (const std::string op : {"csr-vector", "auto"}) {
        for (const std::string m : {"jacobi", "ssor-ai"}) {
            SCOPED_TRACE(op + ' ' + m);
            Solver<double> solver(view, {.operator_name = op, .preconditioner = m});
            solver.take_new_values();
            EXPECT_EQ(allocations_of([&] { solver.take_new_values(); }), 0);
        }
    }
}

// Trials have a right-hand side on the host.
TEST_F(AllocationOnDevice, ASystemThatIsThereIsNotCopiedToTheHost) {
    const auto a = generate<double>("laplace2d:n=300");  // one kernel does the iterations
    const MatrixOnGpu<std::int32_t> there(a);
    EXPECT_EQ(bytes_to_host_of([&] { check_symmetry(there.view, 1e-12); }), 0);
    EXPECT_GE(bytes_to_host_of([&] { static_cast<void>(Source<double>(there.view).csr()); }), 12 * a.nnz());
    for (const std::string op : {"csr-vector", "auto"}) {
        for (const std::string m : {"none", "jacobi", "ssor-ai:operator=csr-vector", "ssor-ai", "auto"}) {
            SCOPED_TRACE(op + ' ' + m);
            const auto bytes = bytes_to_host_of(
                [&] { Solver<double>(there.view, {.operator_name = op, .preconditioner = m}).take_new_values(); });
            EXPECT_LT(bytes, m == "auto" ? 12 * a.rows : a.rows);
        }
    }
}

TEST_F(AllocationOnDevice, NewValuesOfOneRankAllocateNothing) {
    const auto a = generate<double>("laplace2d:n=60");
    for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) {
        SCOPED_TRACE(m);
        auto ranks = multi_gpu::make_gpu_ranked_solver(a, {.preconditioner = m});
        ranks.update_values(a);
        EXPECT_EQ(allocations_of([&] { ranks.update_values(a); }), 0);
    }
}

TEST_F(AllocationOnDevice, AnOperatorThatIsMadeAgainDoesAllocate) {
    const auto a = generate<double>("laplace2d:n=60");
    Solver<double> solver(a.clone(), {.backend = Backend::cuda, .operator_name = "tile"});
    solver.update_values(values_of(a));
    EXPECT_GT(allocations_of([&] { solver.update_values(values_of(a)); }), 0);
}

}  // namespace
}  // namespace tilespmv::testing
