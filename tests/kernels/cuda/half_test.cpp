// The conversions of 16-bit values on the device against those on the host, which are tested against Eigen's.
#include <bit>
#include <cmath>
#include <numeric>

#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/half_on_device.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
class HalfOnDevice : public OnDevice {
protected:
    static std::vector<std::uint16_t> every_pattern() {
        std::vector<std::uint16_t> bits(0x10000);
        std::iota(bits.begin(), bits.end(), std::uint16_t{0});
        return bits;
    }
};
using Types = ::testing::Types<Half, Bfloat16>;
TYPED_TEST_SUITE(HalfOnDevice, Types);

TYPED_TEST(HalfOnDevice, EveryPatternWidensAsOnTheHost) {
    const auto bits = this->every_pattern();
    const auto values = widen_on_device<TypeParam>(bits);
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const auto expected = static_cast<float>(TypeParam::from_bits(bits[i]));
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(values[i])) << bits[i];
        } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected)) << bits[i];
        }
    }
}

// Every number, the middle between it and the next one, and the neighbours of that middle.
TYPED_TEST(HalfOnDevice, RoundsAsOnTheHost) {
    std::vector<float> values{65520.0F, 65519.996F, 0x1.ffp127F, 0x1.fefffep127F};  // where Inf begins
    for (const auto bits : this->every_pattern()) {
        const auto value = static_cast<float>(TypeParam::from_bits(bits));
        const auto next = static_cast<float>(TypeParam::from_bits(static_cast<std::uint16_t>(bits + 1)));
        const float middle = value + (next - value) / 2;
        for (const float v : {value, middle, std::nextafter(middle, value), std::nextafter(middle, next)}) {
            values.push_back(v);
        }
    }
    const auto rounded = round_on_device<TypeParam>(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const TypeParam expected(values[i]);
        if (std::isnan(values[i])) {
            ASSERT_TRUE(std::isnan(static_cast<float>(TypeParam::from_bits(rounded[i]))));
        } else {
            ASSERT_EQ(rounded[i], expected.bits()) << values[i];
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
