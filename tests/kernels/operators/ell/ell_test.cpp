#include "kernels/operators/ell/ell.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/registry.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"

namespace tilespmv::testing {
namespace {

TEST(Ell, OfNothingHasNoPlaces) {
    for (const index_t rows : {0, 5}) {
        const auto ell = make_ell(matrix_of(rows, 5, {}));
        EXPECT_EQ(ell.width, 0);
        EXPECT_TRUE(ell.columns.empty());
    }
}

TEST(Ell, KthPlacesOfAllRowsFollowEachOther) {
    const auto a = matrix_of(3, 9, {{0, 4}, {0, 7}, {2, 8}});
    const auto ell = make_ell(a);
    EXPECT_EQ(ell.width, 2);
    EXPECT_EQ(ell.columns, (Buffer<index_t>{4, -1, 8, 7, -1, -1}));
    EXPECT_EQ(ell.values, (Buffer<double>{a.values[0], 0, a.values[2], a.values[1], 0, 0}));
}

TEST(Ell, IsRefusedBeforeItIsMadeWhereItWouldBeManyTimesCsr) {
    EXPECT_EQ(test::message_of([] { (void)make_ell(one_long_row()); }),
              "1: ELL would take 137438953472 bytes, 16132 times those of CSR, for its longest row has 16384 nonzeros; "
              "take another operator");
}

TEST(Ell, OnTheCpuExecutesItsPlaces) {
    const auto a = matrix_of(3, 9, {{0, 4}, {0, 7}, {2, 8}});
    const auto op = make_operator<double>("ell-omp", a);
    EXPECT_EQ(op->matrix_bytes(), ell_bytes(a));
    EXPECT_EQ(op->executed(), (std::vector<ExecutedPart>{{"ell", "", 1, 3, ell_bytes(a)}}));
    std::vector<double> x(9, HUGE_VAL);  // what pads must not multiply
    x[4] = x[7] = x[8] = 1;
    std::vector<double> y(3, NAN);
    op->apply(2, x, 0, y);
    EXPECT_EQ(y, (std::vector<double>{2 * (a.values[0] + a.values[1]), 0, 2 * a.values[2]}));
}

}  // namespace
}  // namespace tilespmv::testing
