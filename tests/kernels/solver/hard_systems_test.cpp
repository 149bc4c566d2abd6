// Systems at the edge of what the types hold, singular ones, and wrong inputs: a solve says that it has converged only
// where the x that it hands out does solve the system.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/registry.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;
using test::message_of;
using ::testing::HasSubstr;

constexpr const char* kPreconditioners[]{"none", "jacobi", "ssor-ai", "ssor-ai:w=1.2"};
constexpr double kNotNumbers[]{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};

template <class T>
CsrMatrix<T> scaled(CsrMatrix<T> a, double factor) {
    for (T& value : a.values) value = static_cast<T>(factor * double{value});
    return a;
}

CsrMatrix<double> diagonal(double first, double second) {
    return matrix_of_entries(2, {{{0, 0}, first}, {{1, 1}, second}});
}

CsrMatrix<double> given(const std::string& name) {
    return read_matrix_market<double>(TILESPMV_SOLVE_DATA "/" + name + ".mtx");
}

class HardSystems : public ::testing::TestWithParam<Method> {
protected:
    template <class T>
    static SolveReport solve(const CsrMatrix<T>& a, const std::vector<T>& b, std::vector<T>& x,
                             const SolveOptions& options = {}, const char* m = "none") {
        Solver<T> solver(a.clone(), {.preconditioner = m, .method = GetParam()});
        x.resize(b.size());
        return solver.solve(b, x, options);
    }
};

INSTANTIATE_TEST_SUITE_P(Methods, HardSystems, ::testing::ValuesIn(kMethods), [](const auto& method) {
    return method.param == Method::textbook ? "Textbook" : "ChronopoulosGear";
});

TEST_P(HardSystems, MatricesOfAnySizeOfNumbers) {
    const auto expect_solved = []<class T>(T, int exponent, double b_size, double rtol) {
        const auto a = scaled(generate<T>("laplace2d:n=12"), std::pow(10.0, exponent));
        auto b = right_hand_side<T>(a.rows);
        for (T& value : b) value = static_cast<T>(double{value} * b_size);
        for (const auto* m : kPreconditioners) {
            std::vector<T> x;
            const auto report = solve(a, b, x, {.rtol = rtol}, m);
            EXPECT_TRUE(report.converged()) << exponent << ' ' << b_size << ' ' << m << ": " << describe(report);
            EXPECT_LE(relative_residual(a, b, x), sizeof(T) == 8 ? 1.001e-8 : 1.01e-5) << exponent << ' ' << m;
        }
    };
    for (const int exponent : {-290, -200, -150, -95, -80, -40, 40, 80, 95, 150, 200, 290}) {
        expect_solved(double{}, exponent, std::pow(10.0, exponent), 1e-8);
        if (std::abs(exponent) < 280) expect_solved(double{}, exponent, 1, 1e-8);  // or x is out of range
    }
    for (const int exponent : {-36, -30, -20, -10, 10, 20, 30, 36})
        expect_solved(float{}, exponent, std::pow(10.0, exponent), 1e-5);
}

TEST_P(HardSystems, ASolutionOutOfRangeIsNotConverged) {
    std::vector<double> x;
    // x would be 1e310, then 1e-310, of which the type holds some bits, then 1e-400.
    EXPECT_EQ(solve(diagonal(1e-10, 2e-10), {1e300, 1e300}, x).end, End::not_a_number);
    EXPECT_FALSE(solve(diagonal(1e10, 2e10), {1e-310, 1e-310}, x, {.rtol = 1e-15}).converged());
    EXPECT_FALSE(solve(diagonal(1e200, 2e200), {1e-200, 1e-200}, x).converged());
    EXPECT_TRUE(solve(diagonal(1e10, 2e10), {1e-298, 1e-298}, x).converged());
    std::vector<float> x32;
    const auto tiny = convert_values<float>(diagonal(1e-10, 2e-10));
    EXPECT_EQ(solve<float>(tiny, {1e30F, 1e30F}, x32, {.rtol = 1e-5}).end, End::not_a_number);
    EXPECT_FALSE(
        solve<float>(convert_values<float>(diagonal(1e10, 2e10)), {1e-36F, 1e-36F}, x32, {.rtol = 1e-5}).converged());
}

TEST_P(HardSystems, GuessesThatAreNoneCountAsZero) {
    const auto a = generate<double>("laplace2d:n=12");
    for (const double guess : {1.0, 1e200, std::nan(""), HUGE_VAL}) {
        for (const double size : {1e-200, 1e-100, 1.0, 1e200}) {
            auto b = right_hand_side(a.rows);
            for (double& value : b) value *= size;
            std::vector<double> x(b.size(), guess);
            const auto report = solve(a, b, x, {.start_from_x = true});
            EXPECT_TRUE(report.converged()) << guess << ' ' << size << ": " << describe(report);
            EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
        }
    }
    // An unknown without an entry: nothing but the guess says what it is.
    const auto singular = matrix_of_entries(2, {{{0, 0}, 1}});
    std::vector<double> x{1, HUGE_VAL};
    EXPECT_TRUE(solve(singular, {1, 0}, x, {.start_from_x = true}).converged());
    EXPECT_EQ(x, (std::vector<double>{1, 0}));
}

TEST_P(HardSystems, AZeroRightHandSideDoesNotHideAMatrixOfNoNumbers) {
    for (const double bad : kNotNumbers) {
        for (const double b_size : {0.0, 1.0}) {
            std::vector<double> x;
            const auto report = solve(diagonal(1, bad), {b_size, 0}, x);
            EXPECT_EQ(report.end, End::not_a_number);
            EXPECT_EQ(report.history.size(), 1U);
        }
    }
    std::vector<double> x;
    const auto report = solve(diagonal(1, 2), {0, 0}, x);
    EXPECT_TRUE(report.converged());
    EXPECT_EQ(report.history.size(), 1U);
}

TEST_P(HardSystems, ANonFiniteToleranceMakesNoSuccess) {
    std::vector<double> x;
    EXPECT_EQ(solve(diagonal(1, 2), {1, HUGE_VAL}, x, {.atol = HUGE_VAL}).end, End::not_a_number);
    EXPECT_TRUE(solve(diagonal(1, 2), {1, 1}, x, {.atol = HUGE_VAL}).converged());
}

/// A path with weights, whose rows add up to 0 but for rounding.
CsrMatrix<double> weighted_path(index_t size) {
    std::map<std::pair<index_t, index_t>, double> entries;
    for (index_t i = 0; i + 1 < size; ++i) {
        const double weight = 1.5 + std::sin(3.0 * i + 0.1);
        entries[{i, i + 1}] = entries[{i + 1, i}] = -weight;
        entries[{i, i}] += weight;
        entries[{i + 1, i + 1}] += weight;
    }
    return matrix_of_entries(size, entries);
}

TEST_P(HardSystems, SingularSystemsWithBOutsideOfTheRange) {
    const auto expect_singular = [](const SolveReport& report, index_t size, const std::string& what) {
        EXPECT_EQ(report.end, End::singular) << size << ' ' << what << ": " << describe(report);
        EXPECT_LE(report.iterations, 2 * size + 2) << what;
    };
    for (const index_t size : {3, 5, 12, 60, 200}) {
        for (const auto& a : {path_laplacian(size), weighted_path(size)}) {
            const auto b = right_hand_side(size);
            for (const auto* m : kPreconditioners) {
                std::vector<double> x;
                expect_singular(solve(a, b, x, {}, m), size, m);
                if (size <= 12 && std::string(m) == "none") {
                    EXPECT_LT(eigen(x).norm(), 1e6 * eigen(b).norm()) << "a step was made along 1";
                }
            }
            std::vector<float> x32;
            const auto in_float = solve(convert_values<float>(a), right_hand_side<float>(size), x32, {.rtol = 1e-5});
            if (size < 200) expect_singular(in_float, size, "float32");
            EXPECT_FALSE(in_float.converged());
        }
    }
    const auto a = matrix_of_entries(2, {{{0, 0}, 1}});
    std::vector<double> x;
    EXPECT_EQ(solve(a, {1, 1}, x).end, End::singular);
    EXPECT_TRUE(solve(a, {1, 0}, x).converged()) << "b is in its range";
}

// ||r|| grows by orders of magnitude on the way.
TEST_P(HardSystems, IllConditionedOnesAreNotTakenForSingular) {
    for (const auto* spec :
         {"laplace2d:n=30,jump=1e6,block=5", "laplace2d:n=30,jump=1e12,block=3", "laplace2d:n=30,aniso=1e-9"}) {
        const auto a = generate<double>(spec);
        for (const auto* m : kPreconditioners) {
            std::vector<double> x;
            const auto report = solve(a, right_hand_side(a.rows), x, {}, m);
            EXPECT_NE(report.end, End::singular) << spec << ' ' << m << ": " << describe(report);
        }
    }
}

TEST_P(HardSystems, ANullSpaceThatTheMatrixDoesNotHaveIsRefused) {
    const SolverOptions options{.method = GetParam(), .constant_null_space = true};
    const std::string refusal =
        "1: constant vectors are not the null space of the matrix: row 1 adds up to 3, not to 0; solve without a null "
        "space";
    const auto spd = given("spd3");
    EXPECT_EQ(message_of([&] { Solver<double>(spd.clone(), options); }), refusal);
    EXPECT_EQ(message_of([&] { Solver<double>(spd.clone(), {.preconditioner = "auto", .constant_null_space = true}); }),
              refusal);
    EXPECT_EQ(message_of([&] { Solver<double>(spd.clone(), make_preconditioner<double>("jacobi", spd), options); }),
              refusal);
    const auto path = path_laplacian(3);
    Solver<double> solver(path.clone(), options);
    EXPECT_THAT(message_of([&] { solver.update_values(std::vector<double>(path.values.size(), 2)); }),
                HasSubstr("row 1 adds up to 4"));
    // Of operators nobody knows the rows: then no x solves the system.
    const auto op = make_operator<double>("csr-omp", spd);
    std::vector<double> x(3);
    EXPECT_FALSE(Solver<double>(*op, nullptr, options).solve(std::vector<double>{1, 0, 0}, x).converged());
}

TEST_P(HardSystems, ANullSpaceIsTheMatrixsWithinRounding) {
    auto a = path_laplacian(50);
    for (std::size_t i = 0; i < a.values.size(); ++i) a.values[i] *= 1 + 1e-15 * static_cast<double>(i % 3);
    Solver<double> solver(a.clone(), {.method = GetParam(), .constant_null_space = true});
    std::vector<double> x(50);
    EXPECT_TRUE(solver.solve(right_hand_side(50), x).converged());
}

TEST(Symmetry, IsMeasuredByTheSizeOfTheRows) {
    constexpr double tolerance = 1e-14;
    for (const auto* name : {"explicit_zero_one_side", "rounding_one_side", "triangles"}) {
        EXPECT_EQ(message_of([&] { check_symmetry(given(name), tolerance); }), "0: ") << name;
    }
    const auto of = [](double upper, double lower) {
        return matrix_of_entries(2, {{{0, 0}, 1e-6}, {{0, 1}, upper}, {{1, 0}, lower}, {{1, 1}, 1e6}});
    };
    EXPECT_EQ(message_of([&] { check_symmetry(of(1e-15, -1e-15), tolerance); }), "0: ");
    EXPECT_THAT(message_of([&] { check_symmetry(of(1e-13, -1e-13), tolerance); }),
                HasSubstr("row 1, column 2 is 1e-13, across the diagonal -1e-13"));
    EXPECT_THAT(message_of([&] { check_symmetry(of(0.5, 0.5 + 1e-13), tolerance); }), HasSubstr("not symmetric"));
    EXPECT_THAT(message_of([&] {
                    check_symmetry(matrix_of_entries(2, {{{0, 0}, 1}, {{1, 0}, 0.1}, {{1, 1}, 1}}), tolerance);
                }),
                HasSubstr("row 2, column 1 is 0.1, across the diagonal 0"));
    // Of matrices without a diagonal, which are not positive definite, entries have only each other.
    EXPECT_THAT(message_of([&] {
                    check_symmetry(matrix_of_entries(2, {{{0, 1}, 1e-30}}), tolerance);
                }),
                HasSubstr("not symmetric"));
}

TEST(Symmetry, OneSideAloneIsSolvedByEveryPreconditioner) {
    for (const auto* name : {"explicit_zero_one_side", "rounding_one_side", "triangles"}) {
        const auto a = given(name);
        const auto b = right_hand_side(a.rows);
        for (const auto* m : {"auto", "jacobi", "ssor-ai", "ssor-ai:w=1.2"}) {
            for (const auto* op : {"auto", "csr-omp", "tile-omp", "strip-omp", "dia-omp"}) {
                Solver<double> solver(a.clone(), {.operator_name = op, .preconditioner = m});
                std::vector<double> x(b.size());
                EXPECT_TRUE(solver.solve(b, x).converged()) << name << ' ' << m << ' ' << op;
                EXPECT_LE(relative_residual(a, b, x), 1.001e-8);
            }
        }
    }
}

TEST(TrialVector, ThatIsNotFiniteIsRefused) {
    const auto a = given("spd3");
    for (const double bad : kNotNumbers) {
        const std::vector<double> b{1, bad, 2};
        EXPECT_THAT(message_of([&] { Solver<double>(a.clone(), {.preconditioner = "auto"}, {b}); }),
                    HasSubstr("to try preconditioners needs finite values: b is"));
        std::vector<double> x(3);
        const auto report = Solver<double>(a.clone(), {}).solve(b, x);
        EXPECT_EQ(report.end, End::not_a_number);
        EXPECT_EQ(report.history.size(), 1U);
        EXPECT_THAT(describe(report), HasSubstr("relative residual nan"));
    }
    EXPECT_THAT(message_of([&] { Solver<double>(given("overflowing_row_sums"), {.preconditioner = "auto"}); }),
                HasSubstr("A times numbers near 1 is inf in row 1"));
}

TEST(TrialVector, OneThatZeroSolvesForTellsNothing) {
    const auto a = given("badly_scaled");
    const std::vector<double> zero(100), small(100, 1e-3);
    for (const auto& trial : {TrialSolve<double>{}, {zero}, {small, {.atol = 1}}}) {
        Solver<double> solver(a.clone(), {.preconditioner = "auto"}, trial);
        for (const auto& one : solver.preconditioner_choice().trials) EXPECT_GT(one.iterations, 0) << one.specification;
        EXPECT_NE(solver.preconditioner_choice().specification, "none");
    }
}

TEST(ValuesOfM, OutOfTheRangeOfTheirTypeAreRefused) {
    const auto in_float = scaled(convert_values<float>(given("spd3")), 1e-40);
    EXPECT_THAT(message_of([&] { make_preconditioner<float>("jacobi", in_float); }),
                HasSubstr("no jacobi preconditioner in float32: the value of row 1, 2.5e+39, is out of its range"));
    const auto tiny = scaled(given("spd3"), 1e-310);
    for (const auto* m : {"jacobi", "ssor-ai"})
        EXPECT_THAT(message_of([&] { make_preconditioner<double>(m, tiny); }), HasSubstr("is out of its range")) << m;
    const auto m = make_preconditioner<double>("jacobi", given("spd3"));
    EXPECT_THAT(message_of([&] { m->update_values(tiny); }),
                HasSubstr("no jacobi preconditioner in float64: the value of row 1, inf, is out of its range"));
}

}  // namespace
}  // namespace tilespmv::testing
