#include "kernels/operators/strip/strip_value_map.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "kernels/operators/strip/strip_matrix.hpp"
#include "tests/support/arrival.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/strip_sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
std::span<const V> values_of(const CsrMatrix<V>& a) {
    return {a.values.begin(), a.values.end()};
}

/// Strips made with other values that take those of `a` are the strips of `a`.
template <class V>
void expect_update(const CsrMatrix<V>& a, const StripLimits& limits) {
    auto m = make_strip_matrix(with_other_values(a), limits);
    StripValueMap(m).update(m, values_of(a));
    const auto expected = make_strip_matrix(a, limits);
    EXPECT_EQ(m.values, expected.values);
    EXPECT_EQ(m.rest.values, expected.rest.values);
    EXPECT_TRUE(same_matrix(to_csr(m), a));
}

template <class V>
class StripValues : public ::testing::Test {};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(StripValues, ValueTypes);

TYPED_TEST(StripValues, AreThoseOfNewStrips) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto a = convert_values<V>(matrix);
        for (const int together : {1, 2, 4}) {
            for (const double most_bytes : {1.0, 1000.0}) {
                expect_update(a, {.value_bytes = sizeof(V), .together = together, .most_bytes = most_bytes});
            }
        }
    }
    expect_update(convert_values<V>(strip_sample_csr()), {.value_bytes = sizeof(V), .max_slots = 9, .most_bytes = 9});
    expect_update(convert_values<V>(strips_beside_others()), {.value_bytes = sizeof(V)});
    // Runs of one pattern side by side share it.
    expect_update(generate<V>("stencil27:n=20"), {.value_bytes = sizeof(V), .most_bytes = 2});
}

/// 16 rows, the first of `slots` nonzeros and so many slots, all others of `others`.
CsrMatrix<double> long_strip(index_t slots, index_t others) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t k = 0; k < slots; ++k) positions.insert({0, k * 16});
    for (index_t r = 1; r < 16; ++r) {
        for (index_t k = 0; k < others; ++k) positions.insert({r, k * 16 + r});
    }
    return matrix_of(16, slots * 16, positions);
}

TEST(StripValueMap, TakesLongStrips) {
    for (const index_t slots : {512, 2000, 4095}) {
        SCOPED_TRACE(slots);
        expect_update(long_strip(slots, slots), {.max_slots = 4096, .most_bytes = 1000});
    }
}

TEST(StripValueMap, RefusesAStripOfTooManyNonzeros) {
    const auto most = make_strip_matrix(long_strip(4380, 4077), {.max_slots = 5000, .most_bytes = 1000});
    ASSERT_EQ(most.nnz, 65'535);
    EXPECT_NO_THROW(StripValueMap{most});
    const auto more = make_strip_matrix(long_strip(4381, 4077), {.max_slots = 5000, .most_bytes = 1000});
    EXPECT_EQ(test::message_of([&] { StripValueMap{more}; }),
              "1: update_values: the strip of the 16 rows from 0 holds 65536 nonzeros, at most 65,535 can be mapped");
}

TEST(StripValueMap, RefusesTheWrongNumberOfValues) {
    auto m = strip_sample();
    const StripValueMap map(m);
    const auto before = to_csr(m);
    for (const std::size_t n : {0, 350, 352}) {
        EXPECT_EQ(test::message_of([&] { map.update<double>(m, std::vector<double>(n)); }),
                  "1: update_values: " + std::to_string(n) + " values for a map of 351 nonzeros");
    }
    EXPECT_EQ(to_csr(m), before);
}

TEST(StripValueMap, RefusesStripsOfOtherSizes) {
    const auto a = strip_sample_csr();
    const StripValueMap map(strip_sample());
    for (const int max_slots : {2, 100}) {
        auto other = make_strip_matrix(a, {.max_slots = max_slots, .most_bytes = 1000});
        const auto before = to_csr(other);
        EXPECT_EQ(test::message_of([&] { map.update(other, values_of(a)); }),
                  "1: update_values: the map was made for other strips; make one for these");
        EXPECT_EQ(to_csr(other), before);
    }
}

}  // namespace
}  // namespace tilespmv::testing
