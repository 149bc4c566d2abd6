// Solves in the space of a GPU beside those on the CPU: graphs, the persistent kernel, every preconditioner.
#include <cmath>

#include "kernels/cuda/stream.hpp"
#include "kernels/solver/conjugate_gradients.hpp"
#include "kernels/solver/cuda/device_space.hpp"
#include "kernels/solver/device_space.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/linear_systems.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;

/// Whether one kernel does blocks of iterations.
enum class Persistence { yes, no };

SolverOptions with(Persistence persistence, const char* operator_name = "csr-vector") {
    const bool is_asked = persistence == Persistence::yes;
    return {.operator_name = operator_name, .use_persistent_kernel = is_asked, .persistent_at_any_size = is_asked};
}

constexpr Method kMethods[]{Method::chronopoulos_gear, Method::textbook};

template <class T>
struct Solved {
    SolveReport report;
    std::vector<T> x;
};

template <class T>
double tolerance() {
    return sizeof(T) == 8 ? 1e-8 : 1e-4;
}

template <class T>
Solved<T> solve_in(Space<T>& space, Method method, int check_every) {
    ConjugateGradients<T> iteration(space, method);
    const auto b = right_hand_side<T>(static_cast<index_t>(space.size()));
    Solved<T> solved{{}, std::vector<T>(b.size())};
    solved.report = iteration.solve(b, solved.x, {.rtol = tolerance<T>(), .check_every = check_every});
    return solved;
}

template <class T>
Solved<T> solve_on_cpu(const CsrMatrix<T>& a, const char* m, Method method) {
    Solver<T> solver(a.clone(), {.preconditioner = m, .method = method});
    const auto b = right_hand_side<T>(a.rows);
    Solved<T> solved{{}, std::vector<T>(b.size())};
    solved.report = solver.solve(b, solved.x, {.rtol = tolerance<T>()});
    return solved;
}

template <class T>
double largest(const std::vector<T>& v) {
    double most = 0;
    for (const T value : v) most = std::max(most, std::abs(static_cast<double>(value)));
    return most;
}

/// Both met the tolerance, in as many iterations but for rounding.
template <class T>
void expect_alike(const Solved<T>& found, const Solved<T>& expected) {
    ASSERT_TRUE(expected.report.converged()) << describe(expected.report);
    ASSERT_TRUE(found.report.converged()) << describe(found.report);
    EXPECT_NEAR(found.report.iterations, expected.report.iterations, 1 + 0.02 * expected.report.iterations);
    EXPECT_LE(found.report.residual, found.report.tolerance * 1.001);
    // Two solutions of that residual differ by its multiple: the condition of A, below 1e4 here.
    const double bound = 1e4 * tolerance<T>() * largest(expected.x);
    for (std::size_t i = 0; i < found.x.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(found.x[i]), static_cast<double>(expected.x[i]), bound) << "row " << i;
    }
}

class SpaceOnDevice : public OnDevice {
protected:
    template <class T>
    static void expect_as_on_cpu(const char* system, const char* m, Persistence persistence) {
        SCOPED_TRACE(std::string(system) + ' ' + m + (persistence == Persistence::yes ? " persistent" : " graph"));
        const auto a = generate<T>(system);
        const auto preconditioner = make_preconditioner<T>(m, a);
        const auto space = make_device_space<T>(a, preconditioner->parts(), with(persistence));
        for (const Method method : kMethods) {
            SCOPED_TRACE(method_name(method));
            const auto expected = solve_on_cpu<T>(a, m, method);
            const auto first = solve_in<T>(*space, method, 8);
            expect_alike(first, expected);
            // Graphs are replayed by now; vectors are others than before.
            const auto second = solve_in<T>(*space, method, 8);
            EXPECT_EQ(second.x, first.x) << "other bits the second time";
            EXPECT_EQ(second.report.iterations, first.report.iterations);
        }
    }

    /// In any number of thread blocks.
    template <class T>
    static void expect_persistent(const char* system, const PersistentTuning& tuning) {
        const auto a = generate<T>(system);
        const auto preconditioner = make_preconditioner<T>("jacobi", a);
        const auto divide = [&](int blocks, double row_cost) { return even_rows(a.row_ptrs, blocks, row_cost); };
        const auto plan =
            plan_persistent(a.rows, a.nnz(), divide, sizeof(T), persistent_limits(sizeof(T)), true, tuning);
        ASSERT_TRUE(plan) << system;
        SCOPED_TRACE(std::string(system) + ", " + plan->describe());
        const auto space = make_device_space<T>(a, preconditioner->parts(), with(Persistence::no));
        auto& on_device = dynamic_cast<DeviceSpace<T>&>(*space);
        on_device.set_persistent(std::make_unique<PersistentIterations<T>>(a, *plan, on_device.context()));
        for (const Method method : kMethods) {
            SCOPED_TRACE(method_name(method));
            const auto found = solve_in<T>(*space, method, 16);
            expect_alike(found, solve_on_cpu<T>(a, "jacobi", method));
            EXPECT_EQ(solve_in<T>(*space, method, 16).x, found.x) << "other bits the second time";
        }
    }
};

constexpr const char* kSystems[]{"laplace2d:n=1", "laplace2d:n=3", "laplace2d:n=40", "stencil27:n=9", "laplace3d:n=13"};
constexpr const char* kPreconditioners[]{"jacobi", "ssor-ai"};

TEST_F(SpaceOnDevice, GraphsAsOnTheCpu) {
    for (const auto* system : kSystems) expect_as_on_cpu<double>(system, "jacobi", Persistence::no);
    for (const auto* m : kPreconditioners) expect_as_on_cpu<double>("laplace2d:n=40", m, Persistence::no);
}
TEST_F(SpaceOnDevice, GraphsAsOnTheCpuInFloat) {
    for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) expect_as_on_cpu<float>("laplace2d:n=40", m, Persistence::no);
}
TEST_F(SpaceOnDevice, PersistentAsOnTheCpu) {
    for (const auto* system : kSystems) {
        expect_as_on_cpu<double>(system, "jacobi", Persistence::yes);
        expect_as_on_cpu<float>(system, "jacobi", Persistence::yes);
    }
}
TEST_F(SpaceOnDevice, WithoutPreconditioner) {
    const auto a = generate<double>("laplace2d:n=40");
    PreconditionerParts<double> parts;
    parts.size = a.rows;
    for (const auto persistence : {Persistence::no, Persistence::yes}) {
        const auto space = make_device_space<double>(a, parts, with(persistence));
        for (const Method method : kMethods) {
            // The diagonal of a 5-point grid is constant: M = I takes the same steps.
            expect_alike(solve_in<double>(*space, method, 8), solve_on_cpu(a, "jacobi", method));
        }
    }
}

TEST_F(SpaceOnDevice, GridsOfThreadBlocks) {
    expect_persistent<double>("laplace2d:n=100", {});
    expect_persistent<float>("laplace3d:n=20", {});
    expect_persistent<double>("laplace2d:n=40", {.threads = 128, .least_block_rows = 1000});
    expect_persistent<double>("laplace2d:n=13", {.threads = 256, .least_block_rows = 1});
    expect_persistent<double>("laplace3d:n=60", {});  // A does not fit, or hardly
    expect_persistent<double>("stencil27:n=30", {.most_row_threads = 4});
}

// The iteration stops where it is, whatever is left of the block.
TEST_F(SpaceOnDevice, BlocksStopAtTheEnd) {
    const auto a = generate<double>("laplace2d:n=20");
    const auto m = make_preconditioner<double>("jacobi", a);
    for (const auto persistence : {Persistence::no, Persistence::yes}) {
        const auto space = make_device_space<double>(a, m->parts(), with(persistence));
        for (const Method method : kMethods) {
            const auto one_by_one = solve_in<double>(*space, method, 1);
            const auto in_blocks = solve_in<double>(*space, method, 500);
            EXPECT_EQ(in_blocks.report.iterations, one_by_one.report.iterations);
            EXPECT_EQ(in_blocks.x, one_by_one.x);
        }
    }
}

TEST_F(SpaceOnDevice, TellsWhatIsNotPositiveDefinite) {
    auto a = generate<double>("laplace2d:n=20");
    for (double& value : a.values) value = -value;
    PreconditionerParts<double> parts;
    parts.size = a.rows;
    for (const auto persistence : {Persistence::no, Persistence::yes}) {
        const auto space = make_device_space<double>(a, parts, with(persistence));
        for (const Method method : kMethods) {
            EXPECT_EQ(solve_in<double>(*space, method, 8).report.end, End::not_positive_definite);
        }
    }
}

TEST_F(SpaceOnDevice, TakesNewValues) {
    const auto a = generate<double>("laplace2d:n=30");
    auto changed = a.clone();
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto at = static_cast<std::size_t>(k);
            if (a.col_idxs[at] == static_cast<index_t>(row))
                changed.values[at] += 0.5 + 0.001 * static_cast<double>(row);
        }
    }
    for (const auto* name : {"csr-vector", "ell"}) {  // ell is made again
        for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) {
            SCOPED_TRACE(std::string(name) + ' ' + m);
            const bool is_diagonal = std::string_view(m) == "jacobi";
            for (const auto persistence : {Persistence::no, is_diagonal ? Persistence::yes : Persistence::no}) {
                auto current = a.clone();
                const auto preconditioner = make_preconditioner<double>(m, current);
                const auto space = make_device_space<double>(current, preconditioner->parts(), with(persistence, name));
                expect_alike(solve_in<double>(*space, Method::chronopoulos_gear, 8),
                             solve_on_cpu(a, m, Method::chronopoulos_gear));
                std::ranges::copy(changed.values, current.values.begin());
                preconditioner->update_values(current);
                space->update_values(current);
                expect_alike(solve_in<double>(*space, Method::chronopoulos_gear, 8),
                             solve_on_cpu(changed, m, Method::chronopoulos_gear));
            }
        }
    }
}

TEST_F(SpaceOnDevice, TakesOperatorsOfTheCallers) {
    const auto a = generate<double>("laplace2d:n=30");
    auto half = a.clone();  // M = I / 4
    half.row_ptrs = Buffer<offset_t>(static_cast<std::size_t>(a.rows) + 1);
    half.col_idxs = Buffer<index_t>(static_cast<std::size_t>(a.rows));
    half.values = Buffer<double>(static_cast<std::size_t>(a.rows), 0.25);
    for (index_t row = 0; row <= a.rows; ++row) half.row_ptrs[static_cast<std::size_t>(row)] = row;
    for (index_t row = 0; row < a.rows; ++row) half.col_idxs[static_cast<std::size_t>(row)] = row;
    const cuda::Stream stream;
    const auto of_a = cuda::make_device_operator<double>("csr-merge", a, Accumulator::float64, stream.get());
    const auto of_m = cuda::make_device_operator<double>("csr-vector", half, Accumulator::float64, stream.get());
    const auto space = make_device_space<double>(*of_a, of_m.get());
    for (const Method method : kMethods)
        expect_alike(solve_in<double>(*space, method, 8), solve_on_cpu(a, "jacobi", method));
}

TEST_F(SpaceOnDevice, KeepsOutAConstantNullSpace) {
    auto a = generate<double>("laplace2d:n=24");
    for (std::size_t row = 0; row < static_cast<std::size_t>(a.rows); ++row) {  // rows that add up to 0
        double others = 0;
        std::size_t diagonal = 0;
        for (auto k = static_cast<std::size_t>(a.row_ptrs[row]); k < static_cast<std::size_t>(a.row_ptrs[row + 1]);
             ++k) {
            if (a.col_idxs[k] == static_cast<index_t>(row))
                diagonal = k;
            else
                others += a.values[k];
        }
        a.values[diagonal] = -others;
    }
    const auto b = right_hand_side<double>(a.rows);
    std::vector<std::vector<double>> x(2, std::vector<double>(b.size()));
    int iterations[2]{};
    for (const auto backend : {Backend::cpu, Backend::cuda}) {
        const int at = backend == Backend::cpu ? 0 : 1;
        Solver<double> solver(a.clone(), {.backend = backend,
                                          .operator_name = backend == Backend::cpu ? "csr-omp" : "csr-vector",
                                          .method = Method::chronopoulos_gear,
                                          .constant_null_space = true});
        const auto report = solver.solve(b, x[static_cast<std::size_t>(at)], {.check_every = 4});
        EXPECT_TRUE(report.converged()) << describe(report);
        iterations[at] = report.iterations;
    }
    EXPECT_NEAR(iterations[0], iterations[1], 2);
    for (std::size_t i = 0; i < b.size(); ++i) ASSERT_NEAR(x[0][i], x[1][i], 1e-5 * largest(x[0]));
}

class SanitizerSpace : public SpaceOnDevice {};

TEST_F(SanitizerSpace, Graphs) {
    for (const auto* m : {"jacobi", "ssor-ai:w=1.2"}) expect_as_on_cpu<double>("laplace2d:n=7", m, Persistence::no);
    expect_as_on_cpu<float>("laplace2d:n=7", "jacobi", Persistence::no);
}
TEST_F(SanitizerSpace, PersistentGrid) {
    expect_persistent<double>("laplace2d:n=9", {.threads = 64});
    expect_persistent<float>("stencil27:n=5", {.threads = 128});
}

}  // namespace
}  // namespace tilespmv::testing
