#include "bench/harness/product.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "selector/policy.hpp"

namespace tilespmv::bench {
namespace {

TEST(MakeX, IsTheSameEverywhereAndBetweenAHalfAndOneAndAHalf) {
    const Buffer<double> x = make_x<double>(1000);
    EXPECT_EQ(x[0], 0.5);
    EXPECT_EQ(x[1], 0.5 + 2654435761.0 / 4294967296.0);
    for (const double v : x) {
        EXPECT_GE(v, 0.5);
        EXPECT_LT(v, 1.5);
    }
}

class HostProduct : public testing::Test {
protected:
    std::unique_ptr<Product> make(const std::string& name, const std::string& selector) {
        return host_product_builder(choose_operator<double>(Backend::cpu, name), selector, a_, x_span_)();
    }

    const CsrMatrix<double> a_{
        .rows = 3, .cols = 2, .row_ptrs = {0, 1, 1, 3}, .col_idxs = {0, 0, 1}, .values = {1, 2, 3}};
    const Buffer<double> x_ = make_x<double>(2);
    const std::span<const double> x_span_{x_.data(), x_.size()};
    const ExpectedProduct expected_ = expected_product<double>(a_, 1.0, x_span_, 0.0, {});
};

// Also the row without nonzeros must be written.
TEST_F(HostProduct, PoisonLeavesNoRightRow) {
    const auto product = make("reference", "");
    product->run();
    product->poison();
    const CheckResult check = product->check(expected_);
    EXPECT_FALSE(check.ok);
    EXPECT_TRUE(std::isnan(check.found));
}

// It writes x, which stays what it is.
TEST_F(HostProduct, IsRightAfterAnAxpy) {
    const auto product = make("csr-omp", "");
    for (int i = 0; i < 3; ++i) {
        product->run_axpy();
        product->poison();
        product->run();
        EXPECT_TRUE(product->check(expected_).ok);
    }
}

TEST(DescribeTiles, CountsWhatIsDeferredAsAFormatWithoutTiles) {
    // The two nonzeros in the first tile row stay CSR, the full tile does not.
    CsrMatrix<double> a{.rows = 32,
                        .cols = 64,
                        .row_ptrs = Buffer<offset_t>(33),
                        .col_idxs = Buffer<index_t>(258),
                        .values = Buffer<double>(258, 1.0)};
    for (index_t r = 0; r <= 32; ++r) a.row_ptrs[r] = std::min(r, 2) + 16 * std::max(r - 16, 0);
    for (index_t k = 0; k < 258; ++k) a.col_idxs[k] = k < 2 ? 40 * k : (k - 2) % 16;
    const auto tiles = convert(a, *make_policy("paper-deferred"));
    ASSERT_EQ(tiles.deferred.nnz(), 2);
    const StoredTiles stored = describe_tiles(tiles);
    ASSERT_EQ(stored.formats.size(), 2u);
    EXPECT_EQ(stored.formats[0], (FormatShare{"dense", 1, 256, 256 * sizeof(double) + sizeof(TileEntry)}));
    EXPECT_EQ(stored.formats[1], (FormatShare{"deferred", 0, 2, static_cast<offset_t>(tiles.deferred.bytes())}));
}

}  // namespace
}  // namespace tilespmv::bench
