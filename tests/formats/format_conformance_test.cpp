#include <gtest/gtest.h>

#include <set>
#include <span>

#include "formats/encoding.hpp"
#include "formats/list.hpp"
#include "tests/formats/named_crashes.hpp"
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

/// f(pattern, size of its tile) for the tiles of the battery that format F can hold.
template <class F, class Check>
void for_each_tile(Check&& check) {
    for (const auto& [name, p] : tile_battery()) {
        set_under_test(F::name, name);
        const auto size = F::size(p, 8);
        if (!size) continue;
        SCOPED_TRACE(name);
        check(p, *size);
    }
    set_under_test(F::name, "none");
}

/// Cases have the name of their format.
struct FormatNames {
    template <class F>
    static std::string GetName(int /*index*/) {
        return std::string(F::name);
    }
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
TYPED_TEST_SUITE(FormatConformance, AllFormats, FormatNames);

TYPED_TEST(FormatConformance, HoldsSomeTileOfTheBattery) {
    int held = 0;
    for_each_tile<TypeParam>([&](const TilePattern&, TileSize) { ++held; });
    EXPECT_GT(held, 0);
}

TYPED_TEST(FormatConformance, SizesFitTheTileEntry) {
    for_each_tile<TypeParam>([](const TilePattern& p, TileSize size) {
        const TileEntry entry(12345, id_of<TypeParam>, p.nnz, size.values, size.index_bytes, size.parameter);
        EXPECT_EQ(entry.nnz(), p.nnz);
        EXPECT_EQ(entry.values(), size.values);
        EXPECT_EQ(entry.index_bytes(), size.index_bytes);
        EXPECT_EQ(entry.parameter(), size.parameter);
        EXPECT_GE(size.values, p.nnz);
    });
}

TYPED_TEST(FormatConformance, WalkVisitsEveryNonzeroOnceWithItsValue) {
    for_each_tile<TypeParam>([this](const TilePattern& p, TileSize size) {
        const auto tile = this->pack(p, size);
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
            ASSERT_TRUE(place >= 0 && place < size.values);
            EXPECT_EQ(tile.values[static_cast<std::size_t>(place)], 1.0 + rank);
        });
        EXPECT_EQ(masks, p.row_masks);
    });
}

TYPED_TEST(FormatConformance, PaddingIsZero) {
    for_each_tile<TypeParam>([this](const TilePattern& p, TileSize size) {
        const auto tile = this->pack(p, size);
        std::set<int> used;
        TypeParam::walk(tile.view, [&](int, int, int place) { used.insert(place); });
        std::set<int> padding;
        for (int place = 0; place < size.values; ++place) {
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
    });
}

TYPED_TEST(FormatConformance, PackedTilesAreValidAndPackedAgainAreTheSame) {
    for_each_tile<TypeParam>([this](const TilePattern& p, TileSize size) {
        const auto tile = this->pack(p, size);
        EXPECT_TRUE(is_valid<TypeParam>(p.rows, p.cols, tile.view.entry, tile.index.data()));
        EXPECT_TRUE(repacks_to_itself<TypeParam>(tile.view));
    });
}

/// A tile whose index bytes may be any. If is_valid lets them through, a walk must stay inside the tile, and there must
/// be no other encoding of what it finds: `pack` writes these bytes.
template <class F>
class DamagedTile {
public:
    DamagedTile(const TilePattern& p, TileSize size, std::vector<std::uint8_t> index)
        : tile_{p.rows, p.cols, {0, id_of<F>, p.nnz, size.values, size.index_bytes, size.parameter}, nullptr, nullptr},
          index_(std::move(index)),
          values_(static_cast<std::size_t>(size.values)) {}

    void flip(int bit) { index_[at(bit / 8)] = static_cast<std::uint8_t>(index_[at(bit / 8)] ^ 1u << bit % 8); }
    void swap_nibbles(int i, int j) {
        const unsigned differ = static_cast<unsigned>(get_nibble(index_.data(), i) ^ get_nibble(index_.data(), j));
        for (const int k : {i, j}) {
            index_[at(k / 2)] = static_cast<std::uint8_t>(index_[at(k / 2)] ^ differ << (k % 2 * 4));
        }
    }
    void swap_bytes(int i, int j) { std::swap(index_[at(i)], index_[at(j)]); }

    void expect_sound() {
        tile_.index = index_.data();
        if (!is_valid<F>(tile_.rows, tile_.cols, tile_.entry, tile_.index)) return;
        std::fill(values_.begin(), values_.end(), 0.0);
        bool inside = true;
        F::walk(tile_, [&](int r, int c, int place) {
            inside = inside && r < tile_.rows && c < tile_.cols && place < tile_.entry.values();
            if (inside) values_[at(place)] = 1.0 + place;
        });
        EXPECT_TRUE(inside);
        tile_.values = values_.data();
        EXPECT_TRUE(repacks_to_itself<F>(tile_))
            << "two encodings of one tile are valid; index bytes: " << ::testing::PrintToString(index_);
    }

private:
    static std::size_t at(int i) { return static_cast<std::size_t>(i); }

    TileView<double> tile_;
    std::vector<std::uint8_t> index_;
    std::vector<double> values_;
};

/// f() with every pair of things changed by change(i, j); changing them again brings them back.
template <class Change, class Check>
void for_each_pair(int count, Change&& change, Check&& check) {
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            change(i, j);
            check();
            change(i, j);
        }
    }
}

TYPED_TEST(FormatConformance, EveryBitOfTheIndexMatters) {
    for_each_tile<TypeParam>([this](const TilePattern& p, TileSize size) {
        DamagedTile<TypeParam> tile(p, size, this->pack(p, size).index);
        for (int bit = 0; bit < 8 * size.index_bytes; ++bit) {
            tile.flip(bit);
            tile.expect_sound();
            tile.flip(bit);
        }
    });
}

// All pairs of bits, of halves of bytes and of bytes, of tiles that have few.
TYPED_TEST(FormatConformance, ATileHasOneEncoding) {
    constexpr int most_bytes = 12;
    for_each_tile<TypeParam>([this](const TilePattern& p, TileSize size) {
        if (size.index_bytes > most_bytes) return;
        DamagedTile<TypeParam> tile(p, size, this->pack(p, size).index);
        const auto check = [&] { tile.expect_sound(); };
        const auto flip = [&](int i, int j) {
            tile.flip(i);
            tile.flip(j);
        };
        for_each_pair(8 * size.index_bytes, flip, check);
        for_each_pair(
            2 * size.index_bytes, [&](int i, int j) { tile.swap_nibbles(i, j); }, check);
        for_each_pair(
            size.index_bytes, [&](int i, int j) { tile.swap_bytes(i, j); }, check);
    });
}

/// The pattern with nonzeros added in all places of its tile, if the format has that many places and this parameter
/// then.
template <class F>
std::optional<TilePattern> without_padding(TilePattern p, TileSize size) {
    for (int i = 0; i < p.rows * p.cols && p.nnz < size.values; ++i) {
        TilePattern more = p;
        auto& mask = more.row_masks[i / p.cols];
        mask = static_cast<std::uint16_t>(mask | 1u << i % p.cols);
        more.count();
        const auto now = F::size(more, 8);
        if (now && now->values == size.values && now->parameter == size.parameter) p = more;
    }
    return p.nnz == size.values ? std::optional(p) : std::nullopt;
}

TYPED_TEST(FormatConformance, MaskBytesAreThoseThatATileWithoutPaddingDoesWithout) {
    int compared = 0;
    for_each_tile<TypeParam>([&](const TilePattern& p, TileSize size) {
        const TileEntry entry(0, id_of<TypeParam>, p.nnz, size.values, size.index_bytes, size.parameter);
        const int masks = mask_bytes<TypeParam>(p.rows, p.cols, entry);
        if (p.nnz == size.values) {
            EXPECT_EQ(masks, 0);
        } else if (const auto full = without_padding<TypeParam>(p, size)) {
            EXPECT_EQ(masks, size.index_bytes - TypeParam::size(*full, 8)->index_bytes);
            ++compared;
        }
    });
    EXPECT_EQ(compared > 0, PaddedFormat<TypeParam>) << "no tile to compare with, or padding that is not walked";
}

TEST(FormatSuite, ACrashNamesFormatAndTile) {
    EXPECT_DEATH(
        {
            set_under_test("zigzag", "3x5 arrow");
            raise(SIGSEGV);
        },
        "crash in format zigzag, tile '3x5 arrow'");
}

/// Two tiles with the same index bytes, one after the other, or one at the edge; the values of the first of two are 0.
template <class F, class Bits>
class TilesInARow {
public:
    TilesInARow(const TilePattern& p, TileSize size)
        : rows_(p.rows),
          cols_(p.cols),
          size_(size),
          entries_{entry(0, p.nnz), entry(1, p.nnz)},
          index_(2 * static_cast<std::size_t>(size.index_bytes)),
          values_(2 * static_cast<std::size_t>(size.values)) {
        const std::vector<Bits> in(static_cast<std::size_t>(p.nnz), static_cast<Bits>(~Bits{0}));
        F::pack(p, size, in.data(), last_values().data(), index_.data());
        std::copy_n(index_.begin(), size.index_bytes, index_.begin() + size.index_bytes);
    }

    std::span<Bits> last_values() { return std::span(values_).last(static_cast<std::size_t>(size_.values)); }

    /// Whether `pass_valid` passes over them.
    [[nodiscard]] bool pass() const {
        const int tiles = cols_ == kTileSize ? 2 : 1;
        UncheckedTiles t{.rows = rows_,
                         .cols = tiles * cols_,
                         .tile = entries_.data(),
                         .end = entries_.data() + tiles,
                         .values = tiles * size_.values,
                         .index = index_.data(),
                         .index_end = index_.data() + tiles * size_.index_bytes,
                         .values_end = reinterpret_cast<const std::byte*>(values_.data() + values_.size()),
                         .value_bytes = sizeof(Bits)};
        pass_valid<F>(t, id_of<F>);
        return t.tile == t.end;
    }

private:
    [[nodiscard]] TileEntry entry(index_t column, int nnz) const {
        return {column, id_of<F>, nnz, size_.values, size_.index_bytes, size_.parameter};
    }

    int rows_;
    int cols_;
    TileSize size_;
    std::array<TileEntry, 2> entries_;
    std::vector<std::uint8_t> index_;
    std::vector<Bits> values_;
};

// Kernels may multiply padding: not a bit of it may be set, while nonzeros may have any.
template <class F, class Bits>
void expect_padding_is_checked(const TilePattern& p) {
    const auto size = F::size(p, sizeof(Bits));
    if (!size) return;
    TilesInARow<F, Bits> tiles(p, *size);
    EXPECT_TRUE(tiles.pass());
    for (auto& value : tiles.last_values()) {
        const Bits before = value;
        for (const int bit : {0, static_cast<int>(8 * sizeof(Bits)) - 1}) {
            value = static_cast<Bits>(before ^ Bits{1} << bit);
            EXPECT_EQ(tiles.pass(), before != 0) << "bit " << bit;
        }
        value = before;
    }
}

TYPED_TEST(FormatConformance, PaddingWithABitSetIsRefused) {
    for_each_tile<TypeParam>([](const TilePattern& p, TileSize /*size*/) {
        expect_padding_is_checked<TypeParam, std::uint64_t>(p);
        expect_padding_is_checked<TypeParam, std::uint32_t>(p);
        expect_padding_is_checked<TypeParam, std::uint16_t>(p);
    });
}

TYPED_TEST(FormatConformance, DamagedEntryIsRefused) {
    for_each_tile<TypeParam>([this](const TilePattern& p, TileSize size) {
        const auto tile = this->pack(p, size);
        const auto valid = [&](int nnz, int values, int bytes, int parameter) {
            return is_valid<TypeParam>(p.rows, p.cols, {0, id_of<TypeParam>, nnz, values, bytes, parameter},
                                       tile.index.data());
        };
        if (p.nnz > 1) {
            EXPECT_FALSE(valid(p.nnz - 1, size.values, size.index_bytes, size.parameter));
        }
        if (size.values > 1) {
            EXPECT_FALSE(valid(p.nnz, size.values - 1, size.index_bytes, size.parameter));
        }
        if (size.index_bytes > 0) {
            EXPECT_FALSE(valid(p.nnz, size.values, size.index_bytes - 1, size.parameter));
        }
        if (std::is_same_v<TypeParam, Coo>) {  // a mark, which may be missing
            EXPECT_FALSE(valid(p.nnz, size.values, size.index_bytes, size.parameter + 1));
        } else if (size.parameter > 0) {
            EXPECT_FALSE(valid(p.nnz, size.values, size.index_bytes, size.parameter - 1));
        }
    });
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

}  // namespace
}  // namespace tilespmv::testing
