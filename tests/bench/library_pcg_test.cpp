#include <gtest/gtest.h>

#include "bench/harness/cuda_library_pcg.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/linear_systems.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using LibraryPcgOnDevice = OnDevice;

// What we are compared with must be right, too.
TEST_F(LibraryPcgOnDevice, SolvesAsTheCpuDoes) {
    for (const char* system : {"laplace2d:n=40", "stencil27:n=9", "laplace2d:n=2"}) {
        SCOPED_TRACE(system);
        const auto a = generate<double>(system);
        const auto b = right_hand_side(a.rows);
        std::vector<double> expected(b.size());
        solver::Solver<double> cpu(a.clone(), {.method = solver::Method::textbook});
        const auto report = cpu.solve(b, expected);
        const auto m = solver::make_preconditioner<double>("jacobi", a);
        const auto& d = m->parts().inverse_diagonal;
        for (const int algorithm : {1, 2}) {
            const auto library = bench::make_library_pcg(a, {d.data(), d.size()}, algorithm);
            for (int run = 0; run < 3; ++run) {  // calls, then a graph
                std::vector<double> x(b.size());
                const auto found = library->solve(b, x, 1e-8, 8, 1000);
                EXPECT_TRUE(found.converged);
                EXPECT_NEAR(found.iterations, report.iterations, 1 + 0.02 * report.iterations);
                for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-4) << i;
            }
        }
    }
}

TEST_F(LibraryPcgOnDevice, StopsAtTheLimit) {
    const auto a = generate<double>("laplace2d:n=40");
    const std::vector<double> d(static_cast<std::size_t>(a.rows), 0.25);
    const std::vector<double> b(d.size(), 1);
    std::vector<double> x(b.size());
    const auto report = bench::make_library_pcg(a, d, 1)->solve(b, x, 1e-12, 4, 8);
    EXPECT_FALSE(report.converged);
    EXPECT_EQ(report.iterations, 8);
}

}  // namespace
}  // namespace tilespmv::testing
