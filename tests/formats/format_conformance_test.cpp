#include <gtest/gtest.h>

#include <set>

#include "formats/list.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using namespace formats;

template <class List>
struct GTestTypes;
template <class... F>
struct GTestTypes<FormatList<F...>> {
    using type = ::testing::Types<F...>;
};

/// Holds whatever a format must promise; a new format in the list is tested without a line here.
template <class F>
class FormatConformance : public ::testing::Test {
protected:
    struct Packed {
        TileSize size;
        std::vector<double> values;
        std::vector<std::uint8_t> index;
        TileView<double> view;
    };

    static std::vector<double> row_major_values(const TilePattern& p) {
        std::vector<double> in(static_cast<std::size_t>(p.nnz));
        for (std::size_t k = 0; k < in.size(); ++k) in[k] = 1.0 + static_cast<double>(k);
        return in;
    }

    /// Packs between guards, so that writing too much or too little shows.
    static Packed pack(const TilePattern& p, TileSize size) {
        constexpr std::uint8_t guard = 0xa5;
        Packed t{size,
                 std::vector<double>(static_cast<std::size_t>(size.values) + 1, -1.0),
                 std::vector<std::uint8_t>(static_cast<std::size_t>(size.index_bytes) + 1, guard),
                 {}};
        F::pack(p, size, row_major_values(p).data(), t.values.data(), t.index.data());
        EXPECT_EQ(t.values.back(), -1.0);
        EXPECT_EQ(t.index.back(), guard);
        const TileEntry entry(0, id_of<F>, p.nnz, size.values, size.index_bytes, size.parameter);
        t.view = {p.rows, p.cols, entry, t.values.data(), t.index.data()};
        return t;
    }
};
using AllFormats = GTestTypes<Formats>::type;
TYPED_TEST_SUITE(FormatConformance, AllFormats);

TYPED_TEST(FormatConformance, HoldsSomeTileOfTheBattery) {
    int held = 0;
    for (const auto& [name, p] : tile_battery()) held += TypeParam::size(p, 8).has_value();
    EXPECT_GT(held, 0);
}

TYPED_TEST(FormatConformance, SizesFitTheTileEntry) {
    for (const auto& [name, p] : tile_battery()) {
        const auto size = TypeParam::size(p, 8);
        if (!size) continue;
        SCOPED_TRACE(name);
        const TileEntry entry(12345, id_of<TypeParam>, p.nnz, size->values, size->index_bytes, size->parameter);
        EXPECT_EQ(entry.nnz(), p.nnz);
        EXPECT_EQ(entry.values(), size->values);
        EXPECT_EQ(entry.index_bytes(), size->index_bytes);
        EXPECT_EQ(entry.parameter(), size->parameter);
        EXPECT_GE(size->values, p.nnz);
    }
}

TYPED_TEST(FormatConformance, WalkVisitsEveryNonzeroOnceWithItsValue) {
    for (const auto& [name, p] : tile_battery()) {
        const auto size = TypeParam::size(p, 8);
        if (!size) continue;
        SCOPED_TRACE(name);
        const auto tile = this->pack(p, *size);
        std::array<std::uint16_t, kTileSize> masks{};
        std::array<int, kTileSize> last;
        last.fill(-1);
        TypeParam::walk(tile.view, [&](int r, int c, int place) {
            ASSERT_LT(r, p.rows);
            ASSERT_LT(c, p.cols);
            ASSERT_GT(c, last[r]) << "columns of a row must ascend";
            last[r] = c;
            masks[r] = static_cast<std::uint16_t>(masks[r] | 1u << c);
            int rank = std::popcount(static_cast<unsigned>(p.row_masks[r] & ((1u << c) - 1u)));
            for (int above = 0; above < r; ++above) rank += p.row_counts[above];
            EXPECT_EQ(tile.values.at(static_cast<std::size_t>(place)), 1.0 + rank);
        });
        EXPECT_EQ(masks, p.row_masks);
    }
}

TYPED_TEST(FormatConformance, PaddingIsZero) {
    for (const auto& [name, p] : tile_battery()) {
        const auto size = TypeParam::size(p, 8);
        if (!size) continue;
        SCOPED_TRACE(name);
        const auto tile = this->pack(p, *size);
        std::set<int> used;
        TypeParam::walk(tile.view, [&](int, int, int place) { used.insert(place); });
        std::set<int> padding;
        for (int place = 0; place < size->values; ++place) {
            if (!used.contains(place)) {
                EXPECT_EQ(std::bit_cast<std::uint64_t>(tile.values[static_cast<std::size_t>(place)]), 0u);
                padding.insert(place);
            }
        }
        if constexpr (PaddedFormat<TypeParam>) {
            std::multiset<int> walked;
            TypeParam::walk_padding(tile.view, [&](int place) { walked.insert(place); });
            EXPECT_EQ(walked, std::multiset<int>(padding.begin(), padding.end()));
        } else {
            EXPECT_TRUE(padding.empty());
        }
    }
}

TYPED_TEST(FormatConformance, PackedTilesAreValid) {
    for (const auto& [name, p] : tile_battery()) {
        const auto size = TypeParam::size(p, 8);
        if (!size) continue;
        const auto tile = this->pack(p, *size);
        EXPECT_TRUE(is_valid<TypeParam>(p.rows, p.cols, tile.view.entry, tile.index.data())) << name;
    }
}

/// What a walk over a tile visits: row, column and place of every nonzero.
template <class F>
std::set<std::array<int, 3>> nonzeros_of(const TileView<double>& tile) {
    std::set<std::array<int, 3>> nonzeros;
    F::walk(tile, [&](int r, int c, int place) { nonzeros.insert({r, c, place}); });
    return nonzeros;
}

// Flips every bit of every index byte: what is_valid lets through must be a walk inside the tile, and another one than
// before, since bits that say nothing must be 0.
TYPED_TEST(FormatConformance, EveryBitOfTheIndexMatters) {
    for (const auto& [name, p] : tile_battery()) {
        const auto size = TypeParam::size(p, 8);
        if (!size) continue;
        auto tile = this->pack(p, *size);
        const auto nonzeros = nonzeros_of<TypeParam>(tile.view);
        for (int bit = 0; bit < 8 * size->index_bytes; ++bit) {
            auto& byte = tile.index[static_cast<std::size_t>(bit / 8)];
            const auto flip = static_cast<std::uint8_t>(1u << bit % 8);
            byte = static_cast<std::uint8_t>(byte ^ flip);
            if (is_valid<TypeParam>(p.rows, p.cols, tile.view.entry, tile.index.data())) {
                const auto found = nonzeros_of<TypeParam>(tile.view);
                EXPECT_NE(found, nonzeros) << name << " bit " << bit;
                for (const auto& [r, c, place] : found) {
                    EXPECT_TRUE(r < p.rows && c < p.cols && place < size->values) << name << " bit " << bit;
                }
            }
            byte = static_cast<std::uint8_t>(byte ^ flip);
        }
    }
}

/// Whether `pass_valid` passes over two tiles with the same index bytes, one after the other, or one at the edge.
template <class F, class Bits>
bool passes(const TilePattern& p, TileSize size, std::vector<std::uint8_t> index,
            const std::vector<Bits>& last_values) {
    const auto entry = [&](index_t column) {
        return TileEntry(column, id_of<F>, p.nnz, size.values, size.index_bytes, size.parameter);
    };
    const std::array entries{entry(0), entry(1)};
    const int tiles = p.cols == kTileSize ? 2 : 1;
    std::vector<Bits> values(last_values.size(), 0);
    values.insert(values.end(), last_values.begin(), last_values.end());
    const std::vector<std::uint8_t> again = index;
    index.insert(index.end(), again.begin(), again.end());
    UncheckedTiles t{.rows = p.rows,
                     .cols = tiles * p.cols,
                     .tile = entries.data(),
                     .end = entries.data() + tiles,
                     .values = tiles * size.values,
                     .index = index.data(),
                     .index_end = index.data() + tiles * size.index_bytes,
                     .values_end = reinterpret_cast<const std::byte*>(values.data() + values.size()),
                     .value_bytes = sizeof(Bits)};
    pass_valid<F>(t, id_of<F>);
    return t.tile == t.end;
}

// Kernels may multiply padding: not a bit of it may be set, while nonzeros may have any.
template <class F, class Bits>
void expect_padding_is_checked(const TilePattern& p) {
    const auto size = F::size(p, sizeof(Bits));
    if (!size) return;
    std::vector<Bits> values(static_cast<std::size_t>(size->values));
    std::vector<std::uint8_t> index(static_cast<std::size_t>(size->index_bytes));
    const std::vector<Bits> in(static_cast<std::size_t>(p.nnz), static_cast<Bits>(~Bits{0}));
    F::pack(p, *size, in.data(), values.data(), index.data());
    EXPECT_TRUE((passes<F, Bits>(p, *size, index, values)));
    for (auto& value : values) {
        const Bits before = value;
        for (const int bit : {0, static_cast<int>(8 * sizeof(Bits)) - 1}) {
            value = static_cast<Bits>(before ^ Bits{1} << bit);
            EXPECT_EQ((passes<F, Bits>(p, *size, index, values)), before != 0) << "bit " << bit;
        }
        value = before;
    }
}

TYPED_TEST(FormatConformance, PaddingWithABitSetIsRefused) {
    for (const auto& [name, p] : tile_battery()) {
        SCOPED_TRACE(name);
        expect_padding_is_checked<TypeParam, std::uint64_t>(p);
        expect_padding_is_checked<TypeParam, std::uint32_t>(p);
        expect_padding_is_checked<TypeParam, std::uint16_t>(p);
    }
}

TYPED_TEST(FormatConformance, DamagedEntryIsRefused) {
    for (const auto& [name, p] : tile_battery()) {
        const auto size = TypeParam::size(p, 8);
        if (!size) continue;
        SCOPED_TRACE(name);
        const auto tile = this->pack(p, *size);
        const auto valid = [&](int nnz, int values, int bytes, int parameter) {
            return is_valid<TypeParam>(p.rows, p.cols, {0, id_of<TypeParam>, nnz, values, bytes, parameter},
                                       tile.index.data());
        };
        if (p.nnz > 1) {
            EXPECT_FALSE(valid(p.nnz - 1, size->values, size->index_bytes, size->parameter));
        }
        if (size->values > 1) {
            EXPECT_FALSE(valid(p.nnz, size->values - 1, size->index_bytes, size->parameter));
        }
        if (size->index_bytes > 0) {
            EXPECT_FALSE(valid(p.nnz, size->values, size->index_bytes - 1, size->parameter));
        }
        if (std::is_same_v<TypeParam, Coo>) {  // a mark, which may be missing
            EXPECT_FALSE(valid(p.nnz, size->values, size->index_bytes, size->parameter + 1));
        } else if (size->parameter > 0) {
            EXPECT_FALSE(valid(p.nnz, size->values, size->index_bytes, size->parameter - 1));
        }
    }
}

TEST(Dense, AMaskBitBelowTheTileIsRefusedThoughTheNumberOfBitsIsRight) {
    const TilePattern p = tile_of(10, 16, [](int r, int c) { return r != c; });
    const TileEntry entry(0, id_of<Dense>, p.nnz, 160, 32, 0);
    std::vector<double> values(160);
    std::vector<std::uint8_t> index(32);
    Dense::pack(p, *Dense::size(p, 8), std::vector<double>(static_cast<std::size_t>(p.nnz), 1.0).data(), values.data(),
                index.data());
    EXPECT_TRUE(is_valid<Dense>(10, 16, entry, index.data()));
    set_mask(index.data(), 3, get_mask(index.data(), 3) ^ (1u << 9 | 1u << 10));
    EXPECT_FALSE(is_valid<Dense>(10, 16, entry, index.data()));
}

TEST(FormatList, NamesAreUniqueAndFindTheirIds) {
    std::set<std::string_view> names;
    for (int id = 0; id < kFormatCount; ++id) {
        const auto name = format_table()[static_cast<std::size_t>(id)].name;
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_EQ(format_id(name), id);
    }
    EXPECT_EQ(names.size(), 7u);
    EXPECT_FALSE(visit_format(kFormatCount, []<class F>() {}));
}

}  // namespace
}  // namespace tilespmv::testing
