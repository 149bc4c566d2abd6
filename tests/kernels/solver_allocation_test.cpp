// What `update_values` of solvers promises: with operators that take new values it allocates nothing. A program of its
// own, as operator new counts.
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/support/counting_new.hpp"
#include "tests/support/every_preconditioner.hpp"
#include "tile/csr.hpp"
#include "tile/generate/generate.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

class SolverAllocation : public ::testing::Test {
protected:
    /// Starts all threads of loops, which allocates.
    static void SetUpTestSuite() {
        parallel_for(0, 1000, 1, [](std::int64_t) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
    }
};

template <class F>
long allocations_of(F&& f) {
    const long before = allocations_so_far();
    f();
    return allocations_so_far() - before;
}

TEST_F(SolverAllocation, TheCounterCounts) {
    EXPECT_GT(allocations_of([] { std::vector<double>(1000).swap(*std::make_unique<std::vector<double>>()); }), 0);
    EXPECT_GT(allocations_of([] { Buffer<double>(100'000, 1.0); }), 0) << "buffers must be seen";
}

template <class T>
CsrMatrix<T> doubled(const CsrMatrix<T>& a) {
    auto twice = a.clone();
    for (T& value : twice.values) value *= 2;
    return twice;
}

/// Allocations of new values, the second time.
template <class T>
long allocations_of_new_values(Solver<T>& solver, const CsrMatrix<T>& a) {
    const std::span<const T> values(a.values.data(), a.values.size());
    solver.update_values(values);
    return allocations_of([&] { solver.update_values(values); });
}

template <class T>
void expect_none() {
    const auto a = generate<T>("laplace2d:n=60");
    const auto twice = doubled(a);
    for (const std::string op :
         {"csr-omp", "reference", "strip-omp", "tile-omp", "ell-omp", "dia-omp", "hyb-omp", "auto"}) {
        // An operator of M on tiles has to be `auto`, which converts.
        for (const auto& m : all_preconditioners(op == "tile-omp" ? "auto" : op)) {
            SCOPED_TRACE(op + ' ' + m);
            Solver<T> solver(a.clone(), {.operator_name = op, .preconditioner = m});
            EXPECT_EQ(allocations_of_new_values(solver, twice), 0);
        }
    }
}

TEST_F(SolverAllocation, NewValuesAllocateNothing) { expect_none<double>(); }
TEST_F(SolverAllocation, NewValuesAllocateNothingInFloat) { expect_none<float>(); }

// Only operators on tiles need something for the first ones: a map.
TEST_F(SolverAllocation, TheFirstNewValuesAllocateNothingEither) {
    const auto a = generate<double>("laplace2d:n=60");
    const auto twice = doubled(a);
    for (const auto* op : {"csr-omp", "strip-omp", "ell-omp", "dia-omp", "coo-omp", "hyb-omp"}) {
        SCOPED_TRACE(op);
        Solver<double> solver(a.clone(), {.operator_name = op, .preconditioner = "ssor-ai:operator=csr-omp"});
        EXPECT_EQ(allocations_of([&] { solver.update_values({twice.values.data(), twice.values.size()}); }), 0);
    }
}

// Ranks are threads, which are started for each call and take a little for themselves, whatever the size of the matrix.
TEST_F(SolverAllocation, NewValuesOfRanks) {
    constexpr int of_a_thread = 4;
    for (const auto* system : {"laplace2d:n=20", "laplace2d:n=60"}) {
        const auto a = generate<double>(system);
        const auto twice = doubled(a);
        for (const int ranks : {1, 3}) {
            for (const auto* op : {"csr-omp", "auto"}) {
                for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) {
                    SCOPED_TRACE(std::string(op) + ' ' + m + " on " + std::to_string(ranks));
                    auto solver = multi_gpu::make_cpu_ranked_solver(
                        a, {.ranks = ranks, .operator_name = op, .preconditioner = m});
                    solver.update_values(twice);
                    EXPECT_LE(allocations_of([&] { solver.update_values(twice); }),
                              ranks == 1 ? 0 : ranks * of_a_thread);
                }
            }
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
