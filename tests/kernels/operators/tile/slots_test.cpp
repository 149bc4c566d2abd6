#include "kernels/operators/tile/slots.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "kernels/operators/tile/tile_work.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/tile_pieces.hpp"

namespace tilespmv::testing {
namespace {

using cuda::Slot;
using cuda::SlotWork;
using cuda::TileItem;

Paths all_tiles(index_t rows) { return Paths(static_cast<std::size_t>(div_up(rows, kTileSize)), Path::tiles); }

template <class V>
SlotWork<V> slots_of(const TileMatrix<V>& a, const Paths& paths, const SlotLimits& limits = {}) {
    return cuda::make_slots(a, paths, limits, a.values, a.deferred.values);
}
template <class V>
SlotWork<V> slots_of(const TileMatrix<V>& a, const SlotLimits& limits = {}) {
    return slots_of(a, all_tiles(a.rows), limits);
}

/// Reads a `SlotWork` as the kernel does: what each item multiplies, as rows, columns and values.
class Reader {
public:
    Reader(const SlotWork<double>& work, index_t rows, index_t cols) : work_(work), rows_(rows), cols_(cols) {}

    using Nonzeros = std::map<std::pair<std::int64_t, std::int64_t>, double>;

    /// All nonzeros; each must be met once, inside the matrix.
    Nonzeros nonzeros() {
        for (std::size_t i = 0; i < work_.items.size(); ++i) read_item(i);
        EXPECT_EQ(slots_ + cuda::kSpareSlots, work_.slots.size());
        EXPECT_EQ(values_, work_.values.size());
        EXPECT_EQ(entries_, work_.entry_values.size());
        return std::move(found_);
    }

    [[nodiscard]] std::uint32_t tile_row(const TileItem& item) const {
        if ((item.target & TileItem::kPiece) == 0) return item.target;
        return work_.pieces.pieces.at(item.target - TileItem::kPiece).tile_row;
    }

private:
    void read_item(std::size_t at) {
        const TileItem& item = work_.items[at];
        const std::int64_t row0 = std::int64_t{tile_row(item)} * kTileSize;
        std::size_t value = 0;
        for (std::size_t k = 0; k < std::size_t{item.slots} + item.row_slots; ++k) {
            const Slot& slot = work_.slots[item.first_slot + k];
            EXPECT_EQ(slot.first_value(), static_cast<int>(value));
            EXPECT_NE(slot.lanes(), 0u);
            for (int lane = 0; lane < kTileSize; ++lane) {
                if ((slot.lanes() >> lane & 1) == 0) continue;
                const std::uint32_t code = slot.codes[static_cast<std::size_t>(lane / 8)] >> lane % 8 * 4 & 15u;
                const bool is_row = k >= item.slots;
                add(is_row ? row0 + slot.codes[0] : row0 + lane,
                    std::int64_t{slot.column} + (is_row ? static_cast<std::uint32_t>(lane) : code),
                    work_.values[static_cast<std::size_t>(item.first_value) + value++]);
            }
            ++slots_;
        }
        values_ += value;
        for (std::size_t k = 0; k < item.entries; ++k) {
            const auto& ends = work_.entry_ends[at];
            const auto row = std::upper_bound(ends.begin(), ends.end(), k) - ends.begin();
            const auto entry = static_cast<std::size_t>(item.first_entry) + k;
            add(row0 + row, work_.entry_columns[entry], work_.entry_values[entry]);
            ++entries_;
        }
    }

    void add(std::int64_t row, std::int64_t column, double value) {
        EXPECT_LT(row, rows_);
        EXPECT_LT(column, cols_);
        EXPECT_TRUE(found_.emplace(std::pair(row, column), value).second) << row << ", " << column << " twice";
    }

    const SlotWork<double>& work_;
    index_t rows_;
    index_t cols_;
    Nonzeros found_;
    std::size_t slots_ = 0;
    std::size_t values_ = 0;
    std::size_t entries_ = 0;
};

Reader::Nonzeros nonzeros_of(const CsrMatrix<double>& a) {
    Reader::Nonzeros all;
    for (index_t r = 0; r < a.rows; ++r) {
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) all[{r, a.col_idxs[k]}] = a.values[k];
    }
    return all;
}

/// Every tile row has one item, or pieces that add up to it.
void expect_tile_rows(const SlotWork<double>& work, index_t rows) {
    std::map<std::uint32_t, int> whole;
    std::map<std::uint32_t, std::vector<std::uint32_t>> pieces;
    for (const TileItem& item : work.items) {
        const std::uint32_t at = item.target - TileItem::kPiece;
        if ((item.target & TileItem::kPiece) == 0) {
            ++whole[item.target];
        } else {
            pieces[work.pieces.pieces.at(at).tile_row].push_back(at);
        }
    }
    PieceReader reader(work.pieces);
    for (std::int64_t t = 0; t < div_up(rows, kTileSize); ++t) {
        const auto id = static_cast<std::uint32_t>(t);
        EXPECT_EQ(whole[id], pieces[id].empty() ? 1 : 0) << "tile row " << t;
        EXPECT_NE(pieces[id].size(), 1u);
        if (!pieces[id].empty()) reader.expect_complete(id, pieces[id]);
    }
    reader.expect_no_place_taken();
}

TEST(Slots, HoldEveryNonzeroOnceWhateverTheSelectorAndTheLimits) {
    for (const auto& info : selectors()) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(std::string(info.name) + ' ' + name);
            const auto a = convert(csr, *make_policy(info.name));
            const auto expected = nonzeros_of(csr);
            for (const SlotLimits limits :
                 {SlotLimits{1, 0}, SlotLimits{100, 100}, SlotLimits{256, 0}, SlotLimits{4096, 512}}) {
                const auto work = slots_of(a, limits);
                EXPECT_EQ(Reader(work, a.rows, a.cols).nonzeros(), expected);
                EXPECT_EQ(work.nnz, csr.nnz());
                expect_tile_rows(work, a.rows);
            }
        }
    }
}

/// What an item multiplies: tile row, slots, row slots, entries, nonzeros, first slot, value and entry, which piece of
/// its tile row or -1.
using ItemParts = std::array<std::int64_t, 9>;

std::int64_t nonzeros_of(const SlotWork<double>& work, std::uint32_t slot) {
    return std::popcount(work.slots[slot].lanes());
}

std::vector<ItemParts> parts_of(const SlotWork<double>& work) {
    std::vector<ItemParts> all;
    std::map<std::uint32_t, std::int64_t> pieces;
    for (const TileItem& item : work.items) {
        std::int64_t nonzeros = item.entries;
        for (std::uint32_t k = 0; k < std::uint32_t{item.slots} + item.row_slots; ++k) {
            nonzeros += nonzeros_of(work, item.first_slot + k);
        }
        const bool is_piece = (item.target & TileItem::kPiece) != 0;
        const auto tile_row = is_piece ? work.pieces.pieces.at(item.target - TileItem::kPiece).tile_row : item.target;
        all.push_back({tile_row, item.slots, item.row_slots, item.entries, nonzeros, item.first_slot, item.first_value,
                       item.first_entry, is_piece ? pieces[tile_row]++ : -1});
    }
    return all;
}

struct ExpectedCut {
    std::vector<ItemParts> items;
    offset_t half_items;
};

/// Cuts the items of `whole`, one for each tile row: slot after slot, then entries, as many as an item may have.
ExpectedCut expected_cut(const SlotWork<double>& whole, const SlotLimits& limits) {
    std::vector<ItemParts> tile_rows = parts_of(whole);
    std::ranges::sort(tile_rows);
    std::vector<ItemParts> halves;
    std::vector<ItemParts> warps;
    for (const ItemParts& all : tile_rows) {
        if (all[4] <= std::min(limits.half_values, limits.item_values) && all[3] <= cuda::kHalfEntries) {
            halves.push_back(all);
            continue;
        }
        std::vector<ItemParts> items{{all[0], 0, 0, 0, 0, all[5], all[6], all[7], -1}};
        const auto next_item = [&] {
            const ItemParts& last = items.back();
            const std::int64_t values = last[4] - last[3];
            items.push_back(
                {last[0], 0, 0, 0, 0, last[5] + last[1] + last[2], last[6] + values, last[7] + last[3], -1});
        };
        for (std::int64_t k = 0; k < all[1] + all[2]; ++k) {
            const std::int64_t nonzeros = nonzeros_of(whole, static_cast<std::uint32_t>(all[5] + k));
            if (items.back()[4] > 0 && items.back()[4] + nonzeros > limits.item_values) next_item();
            ++items.back()[k < all[1] ? 1 : 2];
            items.back()[4] += nonzeros;
        }
        for (std::int64_t k = 0; k < all[3]; ++k) {
            if (items.back()[4] >= limits.item_values) next_item();
            ++items.back()[3];
            ++items.back()[4];
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (items.size() > 1) items[i][8] = static_cast<std::int64_t>(i);
            warps.push_back(items[i]);
        }
    }
    const auto half_items = static_cast<offset_t>(halves.size());
    halves.insert(halves.end(), warps.begin(), warps.end());
    return {halves, half_items};
}

/// Tile rows of 1 to `most` nonzeros, no two in a tile.
CsrMatrix<double> entries_up_to(index_t most) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t t = 0; t < most; ++t) {
        for (index_t k = 0; k <= t; ++k) positions.insert({t * kTileSize + k % kTileSize, k * kTileSize});
    }
    return matrix_of(most * kTileSize, most * kTileSize, positions);
}

TEST(Slots, AreCutByTheRule) {
    for (const char* selector : {"paper", "only:csr", "only:hyb"}) {
        auto matrices = matrix_battery();
        matrices.push_back({"entries", entries_up_to(cuda::kHalfEntries + 2)});
        for (const auto& [name, csr] : matrices) {
            const auto a = convert(csr, *make_policy(selector));
            const auto whole = slots_of(a, {1 << 30, 1 << 30});
            for (const offset_t item : {1, 16, 17, 32, 256}) {
                for (const offset_t half : {0, 16, 48}) {
                    const SlotLimits limits{item, half};
                    const auto work = slots_of(a, limits);
                    const auto expected = expected_cut(whole, limits);
                    EXPECT_EQ(work.half_items, expected.half_items) << name << ' ' << item << ' ' << half;
                    EXPECT_TRUE(parts_of(work) == expected.items)
                        << selector << ' ' << name << ' ' << item << ' ' << half;
                }
            }
        }
    }
}

/// The k-th nonzeros of all rows of a tile of `format` that has `positions`.
struct Shape {
    std::size_t slots;
    std::size_t row_slots;
    std::size_t entries;
    friend bool operator==(const Shape&, const Shape&) = default;
    friend void PrintTo(const Shape& f, std::ostream* out) {
        *out << f.slots << " slots, " << f.row_slots << " row slots, " << f.entries << " entries";
    }
};
Shape shape_of(const std::string& format, const std::set<std::pair<index_t, index_t>>& positions) {
    const auto a = convert(matrix_of(16, 16, positions), *make_policy("only:" + format));
    const auto work = slots_of(a);
    const TileItem& item = work.items[0];
    return {item.slots, item.row_slots, item.entries};
}

std::set<std::pair<index_t, index_t>> full_rows(std::initializer_list<index_t> rows) {
    std::set<std::pair<index_t, index_t>> positions;
    for (const index_t r : rows) {
        for (index_t c = 0; c < 16; ++c) positions.insert({r, c});
    }
    return positions;
}

TEST(Slots, AreWhatTheFormatOfATileSays) {
    std::set<std::pair<index_t, index_t>> tridiagonal;
    std::set<std::pair<index_t, index_t>> diagonal;
    for (index_t r = 0; r < 16; ++r) {
        diagonal.insert({r, r});
        for (index_t c = std::max(r - 1, 0); c <= std::min(r + 1, 15); ++c) tridiagonal.insert({r, c});
    }
    EXPECT_EQ(shape_of("ell", tridiagonal), (Shape{3, 0, 0}));
    EXPECT_EQ(shape_of("csr", tridiagonal), (Shape{3, 0, 0}));
    EXPECT_EQ(shape_of("dense", tridiagonal), (Shape{3, 0, 0})) << "padding is left out";
    EXPECT_EQ(shape_of("coo", tridiagonal), (Shape{0, 0, 46}));
    EXPECT_EQ(shape_of("coo", diagonal), (Shape{1, 0, 0})) << "a diagonal";
    EXPECT_EQ(shape_of("dense_row", full_rows({2, 9})), (Shape{0, 2, 0}));
    EXPECT_EQ(shape_of("csr", full_rows({2, 9})), (Shape{0, 0, 32})) << "2 nonzeros a slot";
    EXPECT_EQ(shape_of("csr", full_rows({2, 9, 10, 15})), (Shape{16, 0, 0})) << "4 nonzeros a slot";
    auto one_long_row = diagonal;
    one_long_row.merge(full_rows({3}));
    EXPECT_EQ(shape_of("hyb", one_long_row), (Shape{1, 0, 15}));
    EXPECT_EQ(shape_of("ell", one_long_row), (Shape{1, 0, 15})) << "what is left of 15 slots of one nonzero";
}

TEST(Slots, LeaveOutDenseTileRows) {
    const auto a = convert(matrix_of(64, 64, {{0, 0}, {20, 1}, {63, 63}}), *make_policy("paper"));
    const auto work = slots_of(a, Paths{Path::dense, Path::tiles, Path::dense, Path::dense});
    ASSERT_EQ(work.items.size(), 1u);
    EXPECT_EQ(work.items[0].target, 1u);
    EXPECT_EQ(Reader(work, 64, 64).nonzeros(), (Reader::Nonzeros{{{20, 1}, a.values[1]}}));
}

TEST(Slots, TileRowsWithoutNonzerosHaveAnItemToo) {
    const auto a = convert(matrix_of(40, 40, {{39, 3}}), *make_policy("paper"));
    const auto work = slots_of(a);
    ASSERT_EQ(work.items.size(), 3u);
    EXPECT_EQ(work.items[1].target, 1u);
    EXPECT_EQ(work.items[1].slots + work.items[1].row_slots + work.items[1].entries, 0);
}

TEST(Slots, OfPositionsAreThoseOfTheValues) {
    for (const char* selector : {"paper", "paper-deferred", "only:hyb", "only:dense"}) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(std::string(selector) + ' ' + name);
            const auto a = convert(csr, *make_policy(selector));
            const Paths paths = paths_by_format(a);
            const auto work = cuda::make_tile_work(a, paths, {.multiprocessors = 1, .warps = 2});
            const ValueMap map(csr, a);
            const auto positions = cuda::positions_of<std::uint32_t>(
                work, map.tiled_positions<std::uint32_t>(a), map.deferred_positions<std::uint32_t>(a), a, paths);
            ASSERT_EQ(positions.size(), 3u);
            const auto expect = [&](const Buffer<std::uint32_t>& at, const Buffer<double>& values) {
                ASSERT_EQ(at.size(), values.size());
                for (std::size_t i = 0; i < at.size(); ++i) EXPECT_EQ(csr.values[at[i] - 1], values[i]);
            };
            expect(positions[0], work.dense.values);
            expect(positions[1], work.slots.values);
            expect(positions[2], work.slots.entry_values);
        }
    }
}

TEST(Slots, ExecutedBytesAndNonzerosAreThoseOfTheArrays) {
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto a = convert(matrix, *make_policy("paper-deferred"));
        const auto work = slots_of(a);
        offset_t nnz = 0;
        std::uint64_t bytes = 0;
        for (const auto& part : work.executed) {
            nnz += part.nnz;
            bytes += part.bytes;
        }
        EXPECT_EQ(nnz, matrix.nnz());
        EXPECT_EQ(bytes, work.slots.bytes() - cuda::kSpareSlots * sizeof(Slot) + work.values.bytes() +
                             work.entry_columns.bytes() + work.entry_values.bytes());
    }
}

}  // namespace
}  // namespace tilespmv::testing
