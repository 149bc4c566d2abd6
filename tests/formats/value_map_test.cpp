#include <gtest/gtest.h>

#include <algorithm>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
void expect_update_is_conversion() {
    for (const auto& info : selectors()) {
        const auto policy = make_policy(info.name);
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(std::string(info.name) + ' ' + name);
            const auto before = convert_values<V>(csr);
            auto tiles = convert(before, *policy);
            const ValueMap map(before, tiles);
            auto next = csr.clone();
            for (auto& v : next.values) v = 3 * v - 1;
            const auto after = convert_values<V>(next);
            map.update<V>(tiles, {after.values.data(), after.values.size()});
            EXPECT_EQ(tiles.values, convert(after, *policy).values);
            EXPECT_EQ(unpack(tiles), after);
        }
    }
}

TEST(ValueMap, UpdateEqualsConversionOfTheNewValues) {
    expect_update_is_conversion<double>();
    expect_update_is_conversion<float>();
    expect_update_is_conversion<Half>();
    expect_update_is_conversion<Bfloat16>();
}

template <class P>
void expect_positions_gather() {
    for (const auto& info : selectors()) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(std::string(info.name) + ' ' + name);
            const auto tiles = convert(csr, *make_policy(info.name));
            const ValueMap map(csr, tiles);
            const auto gathered = [&](const Buffer<P>& positions) {
                Buffer<double> values(positions.size());
                std::ranges::transform(positions, values.begin(),
                                       [&](P p) { return p == 0 ? 0.0 : csr.values[p - 1]; });
                return values;
            };
            EXPECT_EQ(gathered(map.tiled_positions<P>(tiles)), tiles.values);
            EXPECT_EQ(gathered(map.deferred_positions<P>(tiles)), tiles.deferred.values);
        }
    }
}

TEST(ValueMap, PositionsSayWhereStoredValuesComeFrom) {
    expect_positions_gather<std::uint32_t>();
    expect_positions_gather<std::uint64_t>();
}

TEST(ValueMap, RefusesAnotherPattern) {
    const auto a = matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}, {39, 39}});
    for (const auto* selector : {"paper", "paper-deferred", "only:ell"}) {
        const auto tiles = convert(a, *make_policy(selector));
        EXPECT_THROW(ValueMap(matrix_of(40, 40, {{0, 1}, {0, 3}, {17, 20}, {39, 39}}), tiles), Error);
        EXPECT_THROW(ValueMap(matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}, {17, 39}}), tiles), Error);
        EXPECT_THROW(ValueMap(matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}}), tiles), Error);
        EXPECT_THROW(ValueMap(matrix_of(40, 41, {{0, 1}, {0, 2}, {17, 20}, {39, 39}}), tiles), Error);
    }
}

TEST(ValueMap, RefusesTheWrongNumberOfValues) {
    const auto a = matrix_of(40, 40, {{0, 1}, {39, 39}});
    auto tiles = convert(a, *make_policy("paper"));
    const ValueMap map(a, tiles);
    EXPECT_THROW(map.update<double>(tiles, std::vector<double>(3)), Error);
}

}  // namespace
}  // namespace tilespmv::testing
