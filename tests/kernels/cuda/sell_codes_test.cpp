// Where columns of sell go from 16 to 32 bits: the largest code says that there is no nonzero.
#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

constexpr index_t kRows = 100;

/// Rows of one to seven of the last columns, so that slices have places without a nonzero.
CsrMatrix<double> of_last_columns(index_t cols) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t row = 0; row < kRows; ++row) {
        for (index_t k = 0; k <= row % 7; ++k) positions.insert({row, cols - 1 - k});
    }
    return matrix_of(kRows, cols, positions);
}

class SanitizerSellCodes : public OnDevice, public ::testing::WithParamInterface<index_t> {};

TEST_P(SanitizerSellCodes, AreRightAtTheLimit) {
    const index_t cols = GetParam();
    const cuda::Stream stream;
    const auto csr = of_last_columns(cols);
    const auto a = cuda::make_device_operator<double>("sell", csr, Accumulator::float64, stream.get());
    const auto x = numbers<double>(cols, 1);
    const auto before = numbers<double>(kRows, 2);
    const auto result = check_product<double>(expected_product<double>(csr, 1, x, -0.5, before),
                                              product<double>(*a, 1, x, -0.5, before));
    EXPECT_TRUE(result.ok) << result.message();
}

INSTANTIATE_TEST_SUITE_P(Columns, SanitizerSellCodes, ::testing::Values(65'534, 65'535, 65'536, 65'537));

}  // namespace
}  // namespace tilespmv::testing
