// What `Solver::update_values` promises: with csr-omp it allocates nothing. A program of its own, as operator new
// counts.
#include <memory>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/solver/solve.hpp"
#include "tests/support/counting_new.hpp"
#include "tile/buffer.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

template <class F>
long allocations_of(F&& f) {
    const long before = allocations_so_far();
    f();
    return allocations_so_far() - before;
}

TEST(SolverAllocation, TheCounterCounts) {
    EXPECT_GT(allocations_of([] { std::vector<double>(1000).swap(*std::make_unique<std::vector<double>>()); }), 0);
    EXPECT_GT(allocations_of([] { Buffer<double>(100'000, 1.0); }), 0) << "buffers must be seen";
}

template <class T>
void expect_none() {
    const auto a = generate<T>("laplace2d:n=60");
    auto values = a.clone().values;
    for (T& value : values) value *= 2;
    for (const auto* m : {"none", "jacobi", "block-jacobi:size=3", "ssor-ai:order=1,operator=csr-omp",
                          "ssor-ai:order=2,operator=csr-omp", "ssor-ai:order=2,form=explicit,operator=csr-omp",
                          "jacobi:values=float32"}) {
        SCOPED_TRACE(m);
        if (sizeof(T) == 4 && std::string_view(m).ends_with("float32")) continue;
        Solver<T> solver(a.clone(), {.operator_name = "csr-omp", .preconditioner = m});
        EXPECT_EQ(allocations_of([&] { solver.update_values({values.data(), values.size()}); }), 0);
    }
}

TEST(SolverAllocation, NewValuesAllocateNothing) { expect_none<double>(); }
TEST(SolverAllocation, NewValuesAllocateNothingInFloat) { expect_none<float>(); }

TEST(SolverAllocation, AnOperatorThatIsMadeAgainDoesAllocate) {
    const auto a = generate<double>("laplace2d:n=60");
    Solver<double> solver(a.clone(), {.operator_name = "strip-omp"});
    EXPECT_GT(allocations_of([&] { solver.update_values({a.values.data(), a.values.size()}); }), 0);
}

}  // namespace
}  // namespace tilespmv::testing
