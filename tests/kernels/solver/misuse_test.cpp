// What callers may get wrong: an `Error` of one line each, nothing read or written past an end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/solve.hpp"
#include "tests/kernels/solver/systems.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using namespace tilespmv::solver;
using test::message_of;
using ::testing::HasSubstr;
using Parts = PreconditionerParts<double>;

CsrMatrix<double> grid() { return generate<double>("laplace2d:n=4"); }

/// A matrix that was moved from.
CsrMatrix<double> moved_from() {
    auto a = grid();
    const auto taken = std::move(a);
    return a;  // NOLINT(bugprone-use-after-move)
}

/// A preconditioner of the caller's, right until its values are updated.
class OwnPreconditioner final : public Preconditioner<double> {
public:
    explicit OwnPreconditioner(Parts now, Parts later = {}) : later_(std::move(later)) { parts_ = std::move(now); }
    void update_values(const CsrMatrix<double>&) override { parts_ = std::move(later_); }

private:
    Parts later_;
};

Parts diagonal(index_t size, std::size_t values) {
    Parts parts;
    parts.size = size;
    parts.inverse_diagonal = Buffer<double>(values, 0.25);
    return parts;
}
Parts chain(index_t size, const CsrMatrix<double>& matrix) {
    Parts parts;
    parts.size = size;
    parts.stages.push_back(matrix.clone());
    return parts;
}

std::string made_with(Parts parts) {
    return message_of([&] { Solver<double>(grid(), std::make_shared<OwnPreconditioner>(std::move(parts)), {}); });
}

TEST(Misuse, OfPreconditionersOfTheCallers) {
    const std::string misfit = "1: the preconditioner does not fit the matrix: ";
    EXPECT_EQ(message_of([] { Solver<double>(grid(), std::shared_ptr<Preconditioner<double>>(), {}); }),
              "1: to solve needs a preconditioner, found a null pointer; `none` is M = I");
    EXPECT_EQ(message_of([] {
                  const auto small = generate<double>("laplace2d:n=3");
                  Solver<double>(grid(), std::shared_ptr<Preconditioner<double>>(make_preconditioner("jacobi", small)),
                                 {});
              }),
              misfit + "rows, found 9, expected 16");
    EXPECT_EQ(made_with(diagonal(16, 16)), "0: ");
    EXPECT_EQ(made_with(diagonal(16, 15)), misfit + "values of the inverse diagonal, found 15, expected 16");
    EXPECT_EQ(made_with(chain(16, grid())), "0: ");
    EXPECT_EQ(made_with(chain(16, generate<double>("laplace2d:n=5"))),
              misfit + "rows of a stage, found 25, expected 16");
    EXPECT_EQ(made_with(chain(16, generate<double>("uniform:n=16,cols=9,per_row=2"))),
              misfit + "columns of a stage, found 9, expected 16");
    EXPECT_EQ(made_with(chain(16, moved_from())), "1: CSR: row_ptrs has 0 entries, expected rows + 1 = 17");
}

TEST(Misuse, OfPreconditionersThatBecomeOthers) {
    const auto updated = [](Parts now, Parts later) {
        Solver<double> solver(grid(), std::make_shared<OwnPreconditioner>(std::move(now), std::move(later)), {});
        return message_of([&] { solver.update_values(std::vector<double>(64, 1.0)); });
    };
    EXPECT_EQ(updated(diagonal(16, 16), diagonal(16, 16)), "0: ");
    EXPECT_THAT(updated(diagonal(16, 16), diagonal(9, 9)), HasSubstr("rows, found 9, expected 16"));
    const std::string other_kind = "1: new values of a preconditioner are of another kind than those before";
    EXPECT_EQ(updated(diagonal(16, 16), chain(16, grid())), other_kind);
    EXPECT_EQ(updated(chain(16, grid()), diagonal(16, 16)), other_kind);
}

TEST(Misuse, OfMatricesThatWereMovedFrom) {
    const std::string empty = "1: CSR: row_ptrs has 0 entries, expected rows + 1 = 17";
    const auto m = std::shared_ptr<Preconditioner<double>>(make_preconditioner("jacobi", grid()));
    EXPECT_EQ(message_of([] { Solver<double>(moved_from(), {}); }), empty);
    EXPECT_EQ(message_of([] { Solver<double>(moved_from(), {.preconditioner = "auto"}); }), empty);
    EXPECT_EQ(message_of([&] { Solver<double>(moved_from(), m, {}); }), empty);
    EXPECT_EQ(message_of([] { make_preconditioner<double>("none", moved_from()); }), empty);
    EXPECT_EQ(message_of([] { choose_preconditioner(moved_from(), {}); }), empty);
    EXPECT_EQ(message_of([] { choose_preconditioner(generate<double>("uniform:n=4,cols=5,per_row=2"), {}); }),
              "1: to choose a preconditioner needs a square matrix, found 4 rows and 5 columns");
    for (const auto* name : {"none", "jacobi", "ssor-ai"})
        EXPECT_EQ(message_of([&] { make_preconditioner(name, grid())->update_values(moved_from()); }), empty) << name;
}

TEST(Misuse, OfPreconditionersByMatricesOfAnotherPattern) {
    const auto larger = generate<double>("laplace2d:n=5");
    for (const auto* name : {"none", "jacobi", "ssor-ai"}) {
        EXPECT_EQ(message_of([&] { make_preconditioner(name, grid())->update_values(larger); }),
                  "1: a preconditioner of a matrix of 16 rows takes new values of one of 25; make it again")
            << name;
    }
    const auto fuller = symmetric_of(generate<double>("uniform:n=16,per_row=16"), 2);
    const auto m = make_preconditioner("ssor-ai", grid());
    EXPECT_THAT(message_of([&] { m->update_values(fuller); }),
                HasSubstr("takes new values of the same pattern: row 3 has 1 nonzeros before the diagonal, found 2"));
}

TEST(Misuse, OfASolverWhoseNewValuesWereRefused) {
    const auto a = grid();
    const std::span<const double> good(a.values.begin(), a.values.end());
    std::vector<double> b(16, 1), x(16);
    for (const auto* op : {"csr-omp", "tile-omp"}) {
        Solver<double> solver(a.clone(), {.operator_name = op});
        EXPECT_THAT(message_of([&] { solver.update_values(std::vector<double>(64, -1.0)); }),
                    HasSubstr("no jacobi preconditioner"));
        EXPECT_EQ(message_of([&] { solver.solve(b, x); }),
                  "1: the last new values of the matrix were refused: give others before the next solve");
        solver.update_values(good);
        EXPECT_TRUE(solver.solve(b, x).converged());
        EXPECT_LE(true_residual(a, b, x), 1e-7);
    }
}

TEST(Misuse, OfOperators) {
    const auto a = grid(), wide = generate<double>("uniform:n=4,cols=5,per_row=2");
    const auto square = make_operator<double>("csr-omp", a), other = make_operator<double>("csr-omp", wide);
    const std::string misfit = "1: to solve needs a square matrix and a preconditioner of the same size";
    EXPECT_EQ(message_of([&] { Solver<double>(*other, nullptr); }), misfit);
    EXPECT_EQ(message_of([&] { Solver<double>(*square, other.get()); }), misfit);
    Solver<double> solver(*square, nullptr);
    EXPECT_EQ(message_of([&] { solver.update_values(std::vector<double>(64)); }),
              "1: a solver of operators takes no new values; make it again");
}

TEST(Misuse, OfRightHandSides) {
    std::vector<double> b(16, 1), x(16), short_one(15), none;
    for (const auto* m : {"none", "ssor-ai"}) {
        Solver<double> solver(grid(), {.preconditioner = m});
        for (auto* wrong : {&short_one, &none}) {
            EXPECT_THAT(message_of([&] { solver.solve(*wrong, x); }), HasSubstr("a solve needs b and x of 16 values"));
            EXPECT_EQ(message_of([&] { solver.solve(b, *wrong); }),
                      "1: a solve needs b and x of 16 values, found 16 and " + std::to_string(wrong->size()));
        }
        EXPECT_TRUE(solver.solve(b, x).converged()) << "it is of use after an error";
    }
    EXPECT_EQ(message_of([&] { Solver<double>(grid(), {.preconditioner = "auto"}, {.b = short_one}); }),
              "1: to try preconditioners needs a b of 16 values, found 15");
    const std::vector<std::string> no_candidates;
    EXPECT_EQ(message_of([&] { choose_preconditioner<double>(grid(), {}, {}, no_candidates); }),
              "1: to choose a preconditioner needs candidates");
}

}  // namespace
}  // namespace tilespmv::testing
