// Strips however they are divided among lanes and blocks.
#include <set>
#include <string>
#include <vector>

#include "formats/convert.hpp"
#include "kernels/check.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/strip_sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

const std::vector<std::string> kLaneSlots{"11", "32", "512"};

template <class V>
class StripsOnDevice : public OnDevice {
protected:
    /// Made from tiles alone it is what it is made from CSR.
    static void expect_same_from_tiles(const CsrMatrix<V>& csr) {
        const auto x = numbers<V>(csr.cols, 1);
        const auto y = numbers<V>(csr.rows, 2);
        const auto tiles = convert(csr, *make_policy("bytes"));
        for (const auto* name : {"strip", "strip:bytes=1000", "strip:bytes=0,ranks=1000"}) {
            const auto from_csr = cuda::make_device_operator<V>(name, csr, default_accumulator<V>(), nullptr);
            const auto from_tiles = cuda::make_device_operator<V>(name, tiles, default_accumulator<V>(), nullptr);
            EXPECT_EQ(from_tiles->executed(), from_csr->executed());
            EXPECT_EQ(product<V>(*from_tiles, 2, x, -0.5, y), product<V>(*from_csr, 2, x, -0.5, y)) << name;
        }
    }

    static void expect_right(const CsrMatrix<V>& csr, const std::vector<std::string>& all_lane_slots) {
        const auto x = numbers<V>(csr.cols, 1);
        const auto y = numbers<V>(csr.rows, 2);
        const auto expected = expected_product<V>(csr, 2, x, -0.5, y);
        for (const std::string taken : {"strip:bytes=1000", "strip:bytes=0,ranks=1000"}) {
            for (const std::string& lane_slots : all_lane_slots) {
                for (const std::string resident : {"12", "18"}) {
                    const auto name = taken + ",lane_slots=" + lane_slots + ",resident_blocks=" + resident;
                    const auto a = cuda::make_device_operator<V>(name, csr, default_accumulator<V>(), nullptr);
                    const auto result = check_product<V>(expected, product<V>(*a, 2, x, -0.5, y));
                    EXPECT_TRUE(result.ok) << name << ' ' << result.message();
                }
            }
        }
    }
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(StripsOnDevice, ValueTypes);

TYPED_TEST(StripsOnDevice, MultiplyTheBattery) {
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        this->expect_right(convert_values<TypeParam>(matrix), kLaneSlots);
        this->expect_same_from_tiles(convert_values<TypeParam>(matrix));
    }
    this->expect_same_from_tiles(convert_values<TypeParam>(strips_beside_others()));
}

// Bands of 1 to 40 slots a strip, whose strips share patterns, the first and the last ones apart: all numbers of slots,
// of whole quads and of slots behind them.
TYPED_TEST(StripsOnDevice, MultiplyBandsOfEveryWidth) {
    for (int width = 1; width <= 40; ++width) {
        SCOPED_TRACE(width);
        std::set<std::pair<index_t, index_t>> positions;
        for (index_t i = 0; i < 1000; ++i) {
            for (index_t k = 0; k < width; ++k) positions.insert({i, i + k * 3});
        }
        this->expect_right(convert_values<TypeParam>(matrix_of(1000, 1120, positions)), kLaneSlots);
    }
}

/// 480,000 rows of `width` nonzeros, whose strips share one pattern or have one each.
CsrMatrix<double> many_strips(index_t width, bool share) {
    constexpr index_t rows = 480'000;
    const auto nnz = static_cast<std::size_t>(rows * width);
    CsrMatrix<double> a{rows, rows + 5'000, Buffer<offset_t>(rows + 1), Buffer<index_t>(nnz), Buffer<double>(nnz)};
    for (index_t r = 0; r <= rows; ++r) a.row_ptrs[r] = offset_t{r} * width;
    for (index_t at = 0; at < rows * width; ++at) {
        const index_t row = at / width;
        a.col_idxs[at] = row + at % width * 3 + (share ? 0 : row / kTileSize * 7'919 % 4'001);
        a.values[at] = 1 + at % 13;
    }
    return a;
}

// So many that a thread block takes several rounds of them.
TYPED_TEST(StripsOnDevice, MultiplyManyShortStrips) {
    for (const index_t width : {3, 8, 11}) {
        for (const bool share : {true, false}) {
            SCOPED_TRACE(width);
            this->expect_right(convert_values<TypeParam>(many_strips(width, share)), {"32"});
        }
    }
}

// Tile rows of neighbouring columns, of scattered ones, and of a row much longer than others, 16,384 rows of each: all
// three kinds in one launch.
TYPED_TEST(StripsOnDevice, ExecuteWhatTakesFewestBytes) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 3 * 16'384; ++i) {
        const index_t kind = i / 16'384;
        const index_t count = kind == 2 && i % 16 == 5 ? 60 : 5;
        for (index_t k = 0; k < count; ++k)
            positions.insert({i, kind == 0 ? i + k : (i / 16 * 16 + i * 37 % 1000) % 40'000 + 61 * k});
    }
    const auto csr = convert_values<TypeParam>(matrix_of(3 * 16'384, 50'000, positions));
    const auto a = cuda::make_device_operator<TypeParam>("strip", csr, default_accumulator<TypeParam>(), nullptr);
    std::set<std::string> names;
    for (const ExecutedPart& part : a->executed()) names.insert(part.representation);
    EXPECT_EQ(names, (std::set<std::string>{"strip", "rank-strip", "csr"}));
    const auto x = numbers<TypeParam>(csr.cols, 1);
    const auto y = numbers<TypeParam>(csr.rows, 2);
    const auto result = check_product<TypeParam>(expected_product<TypeParam>(csr, 2, x, -0.5, y),
                                                 product<TypeParam>(*a, 2, x, -0.5, y));
    EXPECT_TRUE(result.ok) << result.message();
}

}  // namespace
}  // namespace tilespmv::testing
