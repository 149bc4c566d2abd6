// Rows that are split over many blocks.
#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

constexpr index_t kColumns = 40'000;  // of a full row: 89 blocks with 4 items a thread

/// Full rows between empty ones and short ones.
CsrMatrix<double> with_long_rows() {
    std::set<std::pair<index_t, index_t>> positions;
    for (const index_t row : {3, 4, 900}) {
        for (index_t j = 0; j < kColumns; ++j) positions.insert({row, j});
    }
    for (index_t i = 10; i < 800; ++i) positions.insert({i, 50 * i});
    return matrix_of(1000, kColumns, positions);
}

template <class V>
class CutRows : public OnDevice {
protected:
    static void expect_right(const cuda::DeviceOperator<V>& a, const CsrMatrix<V>& csr, const std::vector<V>& x) {
        const auto before = numbers<V>(csr.rows, 2);
        const auto y = product<V>(a, 1, x, -0.5, before);
        const auto result = check_product<V>(expected_product<V>(csr, 1, x, -0.5, before), y);
        EXPECT_TRUE(result.ok) << result.message();
    }
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(CutRows, ValueTypes);

TYPED_TEST(CutRows, AreRightAgainAfterNaNAndInfinity) {
    using V = TypeParam;
    const cuda::Stream stream;
    const auto csr = convert_values<V>(with_long_rows());
    const auto finite = numbers<V>(kColumns, 1);
    for (const char* specification : {"csr-merge:items=4", "csr-merge:items=8", "csr-merge:items=12", "strip",
                                      "csr5:sigma=4", "csr5:sigma=16", "sell:steps=1", "sell:steps=4", "coo", "hyb"}) {
        SCOPED_TRACE(specification);
        const auto a = cuda::make_device_operator<V>(specification, csr, default_accumulator<V>(), stream.get());
        for (const double special : {kNaN, kInf}) {
            auto x = finite;
            x[kColumns / 2] = static_cast<V>(special);
            this->expect_right(*a, csr, x);
            this->expect_right(*a, csr, finite);
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
