#include "kernels/operators/dia/dia.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kernels/registry.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/threads.hpp"

namespace tilespmv::testing {
namespace {

bool is_fine(const CsrMatrix<double>& a) { return dia_bytes(a) <= kDiaAlwaysFine; }

template <class V>
CsrMatrix<V> tridiagonal(index_t n) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < n; ++r) {
        for (index_t c = std::max(0, r - 1); c < std::min(n, r + 2); ++c) positions.emplace(r, c);
    }
    return convert_values<V>(matrix_of(n, n, positions));
}

/// The place of every nonzero by the definition, and nothing in all other places.
TEST(Dia, HoldsTheNonzerosOfABlockOfRowsDiagonalByDiagonal) {
    for (const auto& [name, a] : matrix_battery()) {
        if (!is_fine(a)) continue;
        SCOPED_TRACE(name);
        const auto dia = make_dia(a);
        std::map<index_t, offset_t> diagonals;
        for (index_t r = 0; r < a.rows; ++r) {
            for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) diagonals[a.col_idxs[k] - r];
        }
        Buffer<DiaOffsets> offsets((diagonals.size() + 7) / 8, DiaOffsets{});
        std::size_t next = 0;
        for (auto& [offset, at] : diagonals) {
            at = static_cast<offset_t>(next);
            offsets[next / 8].of[next % 8] = offset;
            ++next;
        }
        const auto blocks = static_cast<std::size_t>(div_up(a.rows, 256));
        Buffer<double> values(diagonals.size() * blocks * 256, 0.0);
        Buffer<std::uint64_t> held(offsets.size() * blocks * 32, 0);
        for (index_t r = 0; r < a.rows; ++r) {
            const auto block = static_cast<std::size_t>(r / 256);
            for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) {
                const auto d = static_cast<std::size_t>(diagonals.at(a.col_idxs[k] - r));
                values[(block * diagonals.size() + d) * 256 + r % 256] = a.values[k];
                held[(block * offsets.size() + d / 8) * 32 + r % 256 / 8] |= std::uint64_t{1} << (8 * (d % 8) + r % 8);
            }
        }
        EXPECT_EQ(dia.diagonals, static_cast<offset_t>(diagonals.size()));
        EXPECT_EQ(dia.offsets, offsets);
        EXPECT_EQ(dia.held, held);
        EXPECT_EQ(dia.values, values);
    }
}

TEST(Dia, IsTheSameForAnyNumberOfThreads) {
    const auto a = tridiagonal<double>(20'000);
    const auto one = test::with_threads(1, [&] { return make_dia(a); });
    const auto five = test::with_threads(5, [&] { return make_dia(a); });
    EXPECT_EQ(one.values, five.values);
    EXPECT_EQ(one.held, five.held);
}

// 1,000,000 rows are 3,907 blocks; a row has 3 places and the bits of 8.
TEST(Dia, TakesTheBytesOfItsDiagonals) {
    const auto a = tridiagonal<float>(1'000'000);
    EXPECT_EQ(dia_bytes(a), 3'907U * 256U * (3 * 4 + 1) + 32U);
    EXPECT_EQ(dia_bytes(matrix_of(5, 5, {})), 0U);
    const auto op = make_operator<float>("dia-omp", a);
    EXPECT_EQ(op->matrix_bytes(), dia_bytes(a));
    EXPECT_EQ(op->executed(), (std::vector<ExecutedPart>{{"dia", "", 62'500, a.nnz(), dia_bytes(a)}}));
}

TEST(Dia, IsRefusedBeforeItIsMadeWhereItWouldBeManyTimesCsr) {
    const CsrMatrix<float> a = one_long_row();
    const std::string expected =
        "1: DIA would take 70867025920 bytes, 8318 times those of CSR, for it has 16384 diagonals; take another "
        "operator";
    EXPECT_EQ(test::message_of([&] { (void)make_dia(a); }), expected);
    EXPECT_EQ(test::message_of([&] { (void)make_operator<float>("dia-omp", a); }), expected);
}

}  // namespace
}  // namespace tilespmv::testing
