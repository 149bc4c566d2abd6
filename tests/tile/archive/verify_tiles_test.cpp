#include "tile/archive/verify_tiles.hpp"

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "tests/support/message_of.hpp"
#include "tests/tile/archive/sample_tiles.hpp"

namespace tilespmv {
namespace {

using Matrix = TileMatrix<double>;

const auto kVerifiedFormats = formats::format_table();

std::string verdict(const Matrix& a) {
    return test::error_of([&] { validate(a, kVerifiedFormats); });
}

struct Breakage {
    std::string name;
    std::function<void(Matrix&)> apply;
    std::string message;
};

/// Puts a tile without parameter of these sizes in the place of tile i.
void set_tile(Matrix& a, int i, index_t column, std::string_view format, int nnz, int values, int index_bytes) {
    a.tiles[i] = TileEntry(column, formats::format_id(format), nnz, values, index_bytes, 0);
}

template <class T>
T& last(Buffer<T>& buffer) {
    return buffer[buffer.size() - 1];
}

// In the sample, tiles 0 to 2 (dense, coo, csr) make tile row 0; tile row 4, of 6 rows, is the last of 5.

std::vector<Breakage> broken_sizes() {
    return {
        {"negative_rows", [](Matrix& a) { a.rows = -1; }, "negative size -1 x 75"},
        {"fewer_rows", [](Matrix& a) { a.rows = 64; }, "tile row 4: expected ascending ids below 4"},
        {"fewer_cols", [](Matrix& a) { a.cols = 64; }, "tile (2, 4): expected ascending columns below 4"},
        {"narrower_edge", [](Matrix& a) { a.cols = 65; },
         "tile (2, 4): sizes, index bytes or padding are not those of a hyb"},
        {"nnz", [](Matrix& a) { ++a.nnz; }, "634 nonzeros in tiles and 4 deferred, expected 639 in all"},
        {"too_few_tile_ptrs", [](Matrix& a) { a.tile_ptrs.truncate(5); },
         "tile_ptrs has 5 entries, expected one more than 5 tile rows"},
        {"no_value_ptrs", [](Matrix& a) { a.value_ptrs.truncate(0); }, "value_ptrs has 0 entries"},
        {"first_tile_ptr", [](Matrix& a) { a.tile_ptrs[0] = 1; }, "tile_ptrs runs from 1 to 15, expected 0 to 15"},
        {"last_value_ptr", [](Matrix& a) { --last(a.value_ptrs); }, "value_ptrs runs from 0"},
        {"last_index_ptr", [](Matrix& a) { ++last(a.index_ptrs); }, "index_ptrs runs from 0"},
    };
}

std::vector<Breakage> broken_tile_rows() {
    constexpr auto far = offset_t{1} << 40;
    return {
        {"tile_row_repeated", [](Matrix& a) { a.tile_rows[1] = 0; }, "tile row 0: expected ascending ids below 5"},
        {"tile_row_negative", [](Matrix& a) { a.tile_rows[0] = -1; }, "tile row -1: expected ascending"},
        {"tile_ptr_far", [](Matrix& a) { a.tile_ptrs[1] = far; }, "tile row 0: pointers descend or leave"},
        {"value_ptr_far", [](Matrix& a) { a.value_ptrs[1] = far; }, "tile row 0: pointers descend or leave"},
        {"value_ptr_negative", [](Matrix& a) { a.value_ptrs[1] = -1; }, "tile row 0: pointers descend or leave"},
        {"index_ptr_descends", [](Matrix& a) { a.index_ptrs[2] = 0; }, "tile row 1: pointers descend or leave"},
        {"no_tiles", [](Matrix& a) { a.tile_ptrs[1] = 0; }, "tile row 0 is listed but has no tiles"},
        {"value_between", [](Matrix& a) { ++a.value_ptrs[1]; },
         "tile row 0 has 1 values and 0 index bytes more than its tiles"},
        {"index_byte_between", [](Matrix& a) { ++a.index_ptrs[1]; },
         "tile row 0 has 0 values and 1 index bytes more than its tiles"},
        {"value_missing", [](Matrix& a) { --a.value_ptrs[1]; }, "tile (0, 2) takes more values or index bytes"},
        {"index_byte_missing", [](Matrix& a) { --a.index_ptrs[1]; }, "tile (0, 2) takes more values or index bytes"},
    };
}

std::vector<Breakage> broken_tiles() {
    return {
        {"tile_column_repeated", [](Matrix& a) { set_tile(a, 1, 0, "coo", 22, 22, 22); },
         "tile (0, 0): expected ascending columns below 5"},
        {"tile_column_far", [](Matrix& a) { set_tile(a, 2, 5, "csr", 23, 23, 28); },
         "tile (0, 5): expected ascending columns below 5"},
        {"format_31", [](Matrix& a) { a.tiles[1] = TileEntry(1, 31, 22, 22, 22, 0); },
         "tile (0, 1) has the unknown format number 31"},
        {"other_format", [](Matrix& a) { set_tile(a, 1, 1, "csr", 22, 22, 22); },
         "tile (0, 1): sizes, index bytes or padding are not those of a csr tile"},
        {"tile_nnz", [](Matrix& a) { set_tile(a, 1, 1, "coo", 21, 22, 22); },
         "tile (0, 1): sizes, index bytes or padding are not those of a coo tile"},
        {"tile_marked_a_diagonal", [](Matrix& a) { a.tiles[1] = TileEntry(1, a.tiles[1].format(), 22, 22, 22, 1); },
         "tile (0, 1): sizes, index bytes or padding are not those of a coo tile"},
        {"index_byte_descends",
         [](Matrix& a) {
             const auto first = a.index_ptrs[0] + a.tiles[0].index_bytes();
             std::swap(a.indices[first], a.indices[first + 1]);
         },
         "tile (0, 1): sizes, index bytes or padding are not those of a coo tile"},
        {"padding", [](Matrix& a) { a.values[8] = -0.0; },
         "tile (0, 0): sizes, index bytes or padding are not those of a dense tile"},
        {"index_byte_outside_edge", [](Matrix& a) { a.indices[a.index_ptrs[4] - 1] = 0xff; },
         "tile (3, 4): sizes, index bytes or padding are not those of a coo tile"},
        {"index_byte_repeated", [](Matrix& a) { last(a.indices) = 0; },
         "tile (4, 4): sizes, index bytes or padding are not those of a csr tile"},
    };
}

std::vector<Breakage> broken_deferred_sizes() {
    return {
        {"deferred_value_missing", [](Matrix& a) { a.deferred.values.truncate(3); },
         "deferred part: 3 values for 4 columns"},
        {"deferred_without_ptrs", [](Matrix& a) { a.deferred.row_ptrs32.truncate(0); },
         "deferred part: expected either 32-bit or 64-bit pointers"},
        {"deferred_with_both_ptrs",
         [](Matrix& a) {
             a.deferred.row_ptrs64 = {0, 1, 2, 4};
         },
         "deferred part: expected either 32-bit or 64-bit pointers"},
        {"deferred_rows_of_nothing",
         [](Matrix& a) {
             a.deferred.col_idxs.truncate(0);
             a.deferred.values.truncate(0);
         },
         "deferred part: rows are listed but nothing is deferred"},
        {"deferred_row_ids_missing", [](Matrix& a) { a.deferred.row_ids.truncate(0); },
         "deferred part: pointers for 3 rows, expected 70"},
        {"deferred_row_id_missing", [](Matrix& a) { a.deferred.row_ids.truncate(2); },
         "deferred part: pointers for 3 rows, expected 2"},
        {"deferred_first_ptr", [](Matrix& a) { a.deferred.row_ptrs32[0] = 1; },
         "deferred part: pointers run from 1 to 4, expected 0 to 4"},
        {"deferred_last_ptr", [](Matrix& a) { last(a.deferred.row_ptrs32) = 5; },
         "deferred part: pointers run from 0 to 5, expected 0 to 4"},
    };
}

std::vector<Breakage> broken_deferred_rows() {
    return {
        {"deferred_ptr_far", [](Matrix& a) { a.deferred.row_ptrs32[1] = ~0u; },
         "deferred part: row 3: pointers descend"},
        {"deferred_wide_ptr_far",
         [](Matrix& a) {
             a.deferred.row_ptrs32.truncate(0);
             a.deferred.row_ptrs64 = {0, std::uint64_t{1} << 63, 3, 4};
         },
         "deferred part: row 3: pointers descend"},
        {"deferred_row_repeated", [](Matrix& a) { a.deferred.row_ids[1] = 3; },
         "deferred part: row 3: expected ascending ids below 70"},
        {"deferred_row_far", [](Matrix& a) { a.deferred.row_ids[2] = 70; },
         "deferred part: row 70: expected ascending ids below 70"},
        {"deferred_row_negative", [](Matrix& a) { a.deferred.row_ids[0] = -3; },
         "deferred part: row -3: expected ascending ids below 70"},
        {"deferred_col_negative", [](Matrix& a) { a.deferred.col_idxs[0] = -1; },
         "deferred part: row 3: expected ascending columns below 75"},
        {"deferred_col_far", [](Matrix& a) { a.deferred.col_idxs[1] = 75; },
         "deferred part: row 3: expected ascending columns below 75"},
        {"deferred_col_repeated", [](Matrix& a) { a.deferred.col_idxs[1] = a.deferred.col_idxs[0]; },
         "deferred part: row 3: expected ascending columns below 75"},
        {"deferred_and_tiled", [](Matrix& a) { a.deferred.col_idxs[0] = 37; },
         "deferred part: row 3, column 37 is in a tile as well"},
    };
}

class Broken : public ::testing::TestWithParam<Breakage> {};

TEST_P(Broken, IsNamed) {
    auto a = test::sample_tiles<double>();
    GetParam().apply(a);
    EXPECT_THAT(verdict(a), ::testing::StartsWith(GetParam().message));
}

std::string breakage_name(const ::testing::TestParamInfo<Breakage>& instance) { return instance.param.name; }

INSTANTIATE_TEST_SUITE_P(Sizes, Broken, ::testing::ValuesIn(broken_sizes()), breakage_name);
INSTANTIATE_TEST_SUITE_P(TileRows, Broken, ::testing::ValuesIn(broken_tile_rows()), breakage_name);
INSTANTIATE_TEST_SUITE_P(Tiles, Broken, ::testing::ValuesIn(broken_tiles()), breakage_name);
INSTANTIATE_TEST_SUITE_P(DeferredSizes, Broken, ::testing::ValuesIn(broken_deferred_sizes()), breakage_name);
INSTANTIATE_TEST_SUITE_P(DeferredRows, Broken, ::testing::ValuesIn(broken_deferred_rows()), breakage_name);

/// Two nonzeros of row 0 deferred beside tiles in the tile columns `tiled`.
Matrix with_deferred_at(std::initializer_list<index_t> tiled, index_t first_col, index_t second_col) {
    Matrix a;
    a.rows = 16;
    a.cols = std::numeric_limits<index_t>::max();
    a.nnz = std::ssize(tiled) + 2;
    a.tile_rows = {0};
    for (auto* ptrs : {&a.tile_ptrs, &a.value_ptrs, &a.index_ptrs}) *ptrs = {0, std::ssize(tiled)};
    a.tiles = Buffer<TileEntry>(tiled.size());
    std::ranges::transform(tiled, a.tiles.begin(),
                           [](index_t column) { return TileEntry(column, formats::format_id("coo"), 1, 1, 1, 0); });
    a.values = Buffer<double>(tiled.size(), 1.0);
    a.indices = Buffer<std::uint8_t>(tiled.size(), std::uint8_t{0});
    a.deferred = {{0}, {0, 2}, {}, {first_col, second_col}, {1.0, 2.0}};
    return a;
}

// The filter of tile columns repeats after 65,536 of them: it must neither miss nor invent a tile.
TEST(Validate, FindsWhatIsTiledAndDeferredInWideMatrices) {
    constexpr index_t last = std::numeric_limits<index_t>::max() / kTileSize;
    for (const index_t column : {0, 63, 64, 32'767, 32'768, 65'535, 65'536, 100'000, last}) {
        const index_t col = column * kTileSize;
        const auto message = "deferred part: row 0, column " + std::to_string(col) + " is in a tile as well";
        if (column > 0) {
            EXPECT_EQ(verdict(with_deferred_at({column}, 0, col)), message);
        }
        if (column < last) {
            EXPECT_EQ(verdict(with_deferred_at({column}, col, last * kTileSize)), message);
            EXPECT_EQ(verdict(with_deferred_at({column}, col + kTileSize, last * kTileSize + 5)), "no error");
        }
    }
    EXPECT_EQ(verdict(with_deferred_at({5, 65'536}, 6 * kTileSize, (65'536 + 5) * kTileSize)), "no error");
}

// Where the tile row before it, which is wrong as well, is another thread's to check.
TEST(Validate, NeverFollowsAPointerOutOfItsArena) {
    constexpr index_t tile_rows = 200;
    Matrix a;
    a.rows = tile_rows * kTileSize;
    a.cols = 20;
    a.nnz = tile_rows;
    a.tile_rows = Buffer<index_t>(tile_rows);
    for (auto* ptrs : {&a.tile_ptrs, &a.value_ptrs, &a.index_ptrs}) *ptrs = Buffer<offset_t>(tile_rows + 1);
    for (index_t k = 0; k <= tile_rows; ++k) {
        if (k < tile_rows) a.tile_rows[k] = k;
        a.tile_ptrs[k] = a.value_ptrs[k] = a.index_ptrs[k] = k;
    }
    a.tiles = Buffer<TileEntry>(tile_rows, TileEntry(0, formats::format_id("coo"), 1, 1, 1, 0));
    a.values = Buffer<double>(tile_rows, 1.0);
    a.indices = Buffer<std::uint8_t>(tile_rows, std::uint8_t{0});
    EXPECT_EQ(verdict(a), "no error");
    for (auto* ptrs : {&a.tile_ptrs, &a.index_ptrs}) {
        for (const offset_t far : {-(offset_t{1} << 40), offset_t{1} << 40}) {
            for (index_t k = 1; k < tile_rows; ++k) {
                (*ptrs)[k] = far;
                EXPECT_THAT(verdict(a), ::testing::HasSubstr("pointers descend or leave their arena"));
                (*ptrs)[k] = k;
            }
        }
    }
}

// A tile may hold some of the nonzeros at its place, and the deferred part the others.
TEST(Validate, AcceptsDeferredNonzerosBesideThoseOfATile) {
    EXPECT_EQ(verdict(with_deferred_at({5}, 5 * kTileSize + 1, 5 * kTileSize + 15)), "no error");
    EXPECT_EQ(verdict(with_deferred_at({3, 5, 6}, 3 * kTileSize + 1, 5 * kTileSize)),
              "deferred part: row 0, column 80 is in a tile as well");
    auto a = test::sample_tiles<double>();
    a.deferred.col_idxs[0] = 47;
    EXPECT_EQ(verdict(a), "no error");
}

TEST(Validate, AcceptsMatricesOfOurOwn) {
    EXPECT_EQ(verdict({}), "no error");
    EXPECT_EQ(verdict(test::sample_tiles<double>()), "no error");
    EXPECT_EQ(verdict(test::sample_with_all_rows_deferred<double>(false)), "no error");
    EXPECT_EQ(verdict(test::sample_with_all_rows_deferred<double>(true)), "no error");
}

}  // namespace
}  // namespace tilespmv
