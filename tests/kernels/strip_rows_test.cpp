#include "kernels/cpu/strip_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "kernels/registry.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/executed.hpp"
#include "tests/support/strip_sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cpu::SlotKind;
using cpu::StripGroup;
using cpu::StripRows;
using cpu::StripSlot;

Strips strips_of(const CsrMatrix<double>& a, double most_bytes = std::numeric_limits<double>::infinity()) {
    return make_strips(a, {.most_bytes = most_bytes});
}

StripRows<double> rows_of(const CsrMatrix<double>& a, const Strips& s, int lanes = 8) {
    return cpu::make_strip_rows(a, s, lanes);
}

/// Of a row, from the base of the slot on.
std::int64_t column_of(const StripSlot& slot, int row) {
    if (slot.kind != SlotKind::quads) return static_cast<std::int64_t>(slot.codes >> (4 * row) & 15U);
    const std::uint64_t quad = slot.codes >> (16 * (row / 4));
    return static_cast<std::int64_t>((quad >> 8 & 255U) + (quad >> (2 * (row % 4)) & 3U));
}

/// Calls f(strip, k, slot, values) for every slot.
template <class F>
void for_each_slot(const StripRows<double>& s, F&& f) {
    for (const StripGroup& group : s.groups) {
        for (std::uint32_t i = 0; i < group.strips; ++i) {
            for (std::uint32_t k = 0; k < group.slots; ++k) {
                f(group.first_strip + i, k, s.columns[group.first_column + i * group.own_columns + k],
                  s.values.data() + (std::size_t{group.first_slot} + i * group.slots + k) * kTileSize);
            }
        }
    }
}

/// Row and column of every nonzero with its value.
std::multiset<std::tuple<std::int64_t, std::int64_t, double>> nonzeros_of(const StripRows<double>& s) {
    std::multiset<std::tuple<std::int64_t, std::int64_t, double>> found;
    for_each_slot(s, [&](std::uint32_t strip, std::uint32_t, const StripSlot& slot, const double* values) {
        const std::int64_t row = std::int64_t{s.tile_rows[strip]} * kTileSize;
        for (int r = 0; r < kTileSize; ++r) {
            const std::int64_t column = column_of(slot, r);
            if ((slot.rows >> r & 1) != 0) {
                found.insert({row + r, row + slot.base + column, values[r]});
            } else {
                EXPECT_EQ(values[r], 0) << "holes on a diagonal are added";
            }
            EXPECT_TRUE(slot.kind != SlotKind::diagonal || column == r);
        }
    });
    return found;
}

/// Of the rows that are not in `rest`.
std::multiset<std::tuple<std::int64_t, std::int64_t, double>> nonzeros_of(const CsrMatrix<double>& a,
                                                                          const std::vector<RowRange>& rest) {
    std::multiset<std::tuple<std::int64_t, std::int64_t, double>> found;
    for (index_t r = 0; r < a.rows; ++r) {
        if (std::ranges::any_of(rest, [&](RowRange range) { return range.first <= r && r < range.end; })) continue;
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) found.insert({r, a.col_idxs[k], a.values[k]});
    }
    return found;
}

TEST(StripRows, HoldTheNonzerosOfTheStrips) {
    for (const auto& [name, a] : matrix_battery()) {
        for (const double most_bytes : {1.2, std::numeric_limits<double>::infinity()}) {
            SCOPED_TRACE(name);
            const Strips s = strips_of(a, most_bytes);
            for (const int lanes : {8, 4}) {
                const auto rows = rows_of(a, s, lanes);
                EXPECT_EQ(rows.nnz, s.nonzeros);
                EXPECT_EQ(nonzeros_of(rows), nonzeros_of(a, s.rest));
            }
        }
    }
}

TEST(StripRows, AreChunksOfAboutEqualBytes) {
    const auto a = generate<double>("stencil27:n=40");
    const auto s = rows_of(a, strips_of(a));
    ASSERT_GT(s.chunks.size(), 20u);
    offset_t group = 0;
    std::uint32_t strip = 0;
    for (const cpu::Span chunk : s.chunks) {
        EXPECT_EQ(chunk.begin, group);
        ASSERT_LT(chunk.begin, chunk.end);
        offset_t bytes = 0;
        for (; group < chunk.end; ++group) {
            const StripGroup& g = s.groups[static_cast<std::size_t>(group)];
            EXPECT_EQ(g.first_strip, strip);
            strip += g.strips;
            bytes += offset_t{g.slots} * g.strips * kTileSize * 8;
        }
        EXPECT_LE(bytes, cpu::chunk_bytes(static_cast<offset_t>(s.bytes())));
    }
    EXPECT_EQ(group, static_cast<offset_t>(s.groups.size()));
    EXPECT_EQ(strip, s.tile_rows.size());
}

TEST(StripRows, KnowDiagonals) {
    const auto a = generate<double>("laplace2d:n=256");
    const auto grid = rows_of(a, strips_of(a));
    for_each_slot(grid, [&](std::uint32_t strip, std::uint32_t, const StripSlot& slot, const double*) {
        const auto place = grid.tile_rows[strip] % 16;  // of the strip in its row of the grid
        EXPECT_TRUE(slot.kind == SlotKind::diagonal || place == 0 || place == 15) << "inside a grid all slots are";
    });
    const auto b = matrix_of(16, 40, {{2, 7}, {5, 10}, {6, 11}, {0, 39}, {1, 37}});
    std::vector<StripSlot> slots;
    for_each_slot(rows_of(b, strips_of(b)),
                  [&](std::uint32_t, std::uint32_t, const StripSlot& slot, const double*) { slots.push_back(slot); });
    EXPECT_EQ(slots, (std::vector<StripSlot>{
                         {.codes = 0xfedcba9876543210, .base = 5, .rows = 0b1100100, .kind = SlotKind::diagonal},
                         {.codes = 0x02, .base = 37, .rows = 0b11, .kind = SlotKind::columns},
                     }))
        << "a diagonal begins earlier by its first row";
}

TEST(StripRows, KnowQuadsOfRowsForVectorsOfFour) {
    // Rows 0 to 3 within four columns, row 5 at the end of the sixteen, then rows 0 and 1 five columns from each other.
    const auto a = matrix_of(16, 80, {{0, 21}, {1, 20}, {2, 23}, {3, 20}, {5, 35}, {0, 60}, {1, 65}});
    std::vector<StripSlot> slots;
    for_each_slot(rows_of(a, strips_of(a), 4),
                  [&](std::uint32_t, std::uint32_t, const StripSlot& slot, const double*) { slots.push_back(slot); });
    EXPECT_EQ(slots, (std::vector<StripSlot>{
                         {.codes = 0x0c00'0c00'0c0c'0031, .base = 20, .rows = 0b101111, .kind = SlotKind::quads},
                         {.codes = 0x50, .base = 60, .rows = 0b11, .kind = SlotKind::columns},
                     }));
}

TEST(StripRows, StoreAPatternOnceForStripsSideBySide) {
    const auto a = generate<double>("laplace2d:n=256");
    const auto s = rows_of(a, strips_of(a));
    EXPECT_LT(s.columns.size(), 5 * a.rows / 16 / 8u);
    EXPECT_LT(s.bytes(), s.values.bytes() * 21 / 20);
}

TEST(StripOmp, ExecutesStripsBesideOtherRows) {
    const auto a = strips_beside_others();
    const auto op = make_operator<double>("strip-omp", a);
    const auto parts = op->executed();
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].representation, "strip");
    EXPECT_EQ(parts[0].tile_rows, 1'024 - 1 + (48'000 - 2 * 16'384) / 16);
    EXPECT_EQ(parts[0].nnz, (16'384 - 16 + 48'000 - 2 * 16'384) * 3);
    EXPECT_EQ(parts[1].representation, "csr");
    EXPECT_EQ(parts[1].tile_rows, 1 + 1'024);
    EXPECT_EQ(parts[1].bytes, static_cast<std::uint64_t>(parts[1].nnz) * 12 + (16 + 1 + 16'384 + 1) * 8);
    expect_executed(*op);
}

}  // namespace
}  // namespace tilespmv::testing
