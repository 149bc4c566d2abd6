#include "bench/harness/product.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "tile/error.hpp"

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

TEST_F(HostProduct, OfEveryOperatorIsRight) {
    for (const auto& info : operators<double>(Backend::cpu)) {
        const auto product = make(std::string(info.name), "paper");
        product->run();
        EXPECT_TRUE(product->check(expected_).ok) << info.name;
        EXPECT_GE(product->matrix_bytes(), 3 * sizeof(double)) << info.name;
        EXPECT_GE(product->device_bytes(), product->matrix_bytes()) << info.name;
        ASSERT_EQ(product->executed().size(), 1u) << info.name;
        EXPECT_EQ(name_of(product->executed()[0]), info.made_from == Form::tiles ? "coo" : "csr") << info.name;
    }
}

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

TEST_F(HostProduct, NeedsASelectorForTiles) { EXPECT_THROW(make("tile-omp", "magic"), Error); }

}  // namespace
}  // namespace tilespmv::bench
