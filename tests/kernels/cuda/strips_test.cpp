// Strips however they are divided among lanes and blocks.
#include <set>
#include <string>

#include "formats/convert.hpp"
#include "kernels/check.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/strip_sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
class StripsOnDevice : public OnDevice {
protected:
    /// Strips that are there already, with values as lanes load them and otherwise.
    static void expect_stored_right(const CsrMatrix<V>& csr) {
        const auto x = numbers<V>(csr.cols, 1);
        const auto y = numbers<V>(csr.rows, 2);
        const auto expected = expected_product<V>(csr, 2, x, -0.5, y);
        for (const int together : {1, 2, 4}) {
            for (const double most_bytes : {0.0, 1.0}) {
                const auto m =
                    make_strip_matrix(csr, {.value_bytes = sizeof(V), .together = together, .most_bytes = most_bytes});
                for (const auto* name : {"strip", "strip:resident_blocks=18", "strip:ranks=1000", "auto"}) {
                    const auto a = cuda::make_device_operator<V>(name, m, default_accumulator<V>(), nullptr);
                    EXPECT_EQ(a->nnz(), csr.nnz());
                    const auto result = check_product<V>(expected, product<V>(*a, 2, x, -0.5, y));
                    EXPECT_TRUE(result.ok) << name << ' ' << together << ' ' << most_bytes << ' ' << result.message();
                }
            }
        }
    }

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

    static void expect_right(const CsrMatrix<V>& csr) {
        const auto x = numbers<V>(csr.cols, 1);
        const auto y = numbers<V>(csr.rows, 2);
        const auto expected = expected_product<V>(csr, 2, x, -0.5, y);
        for (const std::string lane_slots : {"11", "32", "512"}) {
            for (const std::string block_strips : {"1", "9", "128"}) {
                for (const std::string resident : {"12", "18"}) {
                    const auto divided =
                        "lane_slots=" + lane_slots + ",block_strips=" + block_strips + ",resident_blocks=" + resident;
                    for (const std::string taken : {"strip:bytes=1000,", "strip:bytes=0,ranks=1000,"}) {
                        const auto a =
                            cuda::make_device_operator<V>(taken + divided, csr, default_accumulator<V>(), nullptr);
                        const auto result = check_product<V>(expected, product<V>(*a, 2, x, -0.5, y));
                        EXPECT_TRUE(result.ok) << taken << divided << ' ' << result.message();
                    }
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
        this->expect_right(convert_values<TypeParam>(matrix));
        this->expect_stored_right(convert_values<TypeParam>(matrix));
        this->expect_same_from_tiles(convert_values<TypeParam>(matrix));
    }
    this->expect_stored_right(convert_values<TypeParam>(strips_beside_others()));
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
        this->expect_right(convert_values<TypeParam>(matrix_of(1000, 1120, positions)));
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
