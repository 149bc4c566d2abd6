#include <gtest/gtest.h>

#include <algorithm>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::testing {
namespace {

/// All there are, and one that defers parts of tiles.
std::vector<std::string> mapped_selectors() {
    std::vector<std::string> names{"paper-tuned:coo=0,hyb=0,defer_hyb=1"};
    for (const auto& info : selectors()) names.emplace_back(info.name);
    return names;
}

template <class V>
void expect_update_is_conversion() {
    for (const auto& selector : mapped_selectors()) {
        const auto policy = make_policy(selector);
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(selector + ' ' + name);
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
    for (const auto& selector : mapped_selectors()) {
        for (const auto& [name, csr] : matrix_battery()) {
            SCOPED_TRACE(selector + ' ' + name);
            const auto tiles = convert(csr, *make_policy(selector));
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

template <class F>
void expect_refused(const std::string& message, F&& f) {
    EXPECT_EQ(test::error_of(f), message);
}

TEST(ValueMap, RefusesAnotherPattern) {
    const auto a = matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}, {39, 39}});
    for (const auto* selector : {"paper", "paper-deferred", "only:ell"}) {
        SCOPED_TRACE(selector);
        const auto tiles = convert(a, *make_policy(selector));
        const auto expect_refused_near = [&](int row, const CsrMatrix<double>& other) {
            expect_refused("update_values: the CSR pattern is not the one that was tiled (first seen near row " +
                               std::to_string(row) + ")",
                           [&] { ValueMap(other, tiles); });
        };
        const bool deferred = tiles.deferred.nnz() > 0;
        expect_refused_near(0, matrix_of(40, 40, {{0, 1}, {0, 3}, {17, 20}, {39, 39}}));
        expect_refused_near(0, matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}}));
        expect_refused_near(0, matrix_of(40, 41, {{0, 1}, {0, 2}, {17, 20}, {39, 39}}));
        expect_refused_near(0, matrix_of(41, 40, {{0, 1}, {0, 2}, {17, 20}, {39, 39}}));
        expect_refused_near(17, matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}, {17, 39}}));
        expect_refused_near(deferred ? 38 : 32, matrix_of(40, 40, {{0, 1}, {0, 2}, {17, 20}, {38, 39}}));
    }
}

// The tile of the first pattern holds the first nonzero of each row; nothing of the others tells it from theirs.
TEST(ValueMap, RefusesAnotherPatternOfADeferredPart) {
    const auto pattern_of = [](index_t kept, index_t deferred) {
        std::set<std::pair<index_t, index_t>> positions{{0, kept}, {0, deferred}, {0, 12}, {0, 13}};
        for (index_t r = 1; r < 16; ++r) positions.emplace(r, 3);
        return matrix_of(16, 16, positions);
    };
    const auto a = pattern_of(3, 9);
    const auto tiles = convert(a, *make_policy("paper-tuned:ell=-1,hyb=0,defer_hyb=1"));
    ASSERT_EQ(tiles.deferred.nnz(), 3);
    EXPECT_NO_THROW(ValueMap(a, tiles));
    for (const auto& other : {pattern_of(2, 9), pattern_of(3, 8)}) {
        expect_refused("update_values: the CSR pattern is not the one that was tiled (first seen near row 0)",
                       [&] { ValueMap(other, tiles); });
    }
}

// What is missing from a tile row is met in front of what is too much in a later one.
TEST(ValueMap, NamesTheFirstTileRowThatDiffers) {
    const std::string message = "update_values: the CSR pattern is not the one that was tiled (first seen near row 0)";
    const auto tiles = convert(matrix_of(40, 40, {{0, 1}, {0, 20}, {39, 39}}), *make_policy("paper"));
    expect_refused(message, [&] { ValueMap(matrix_of(40, 40, {{0, 1}, {39, 38}, {39, 39}}), tiles); });

    std::set<std::pair<index_t, index_t>> positions{{0, 9}, {0, 12}, {0, 13}, {20, 3}};
    for (index_t r = 0; r < 16; ++r) positions.emplace(r, 3);
    const auto part = convert(matrix_of(32, 16, positions), *make_policy("paper-tuned:ell=-1,hyb=0,defer_hyb=1"));
    ASSERT_EQ(part.deferred.nnz(), 3);
    positions.erase({1, 3});
    positions.emplace(20, 5);
    expect_refused(message, [&] { ValueMap(matrix_of(32, 16, positions), part); });
}

/// A tile row for each of these numbers of nonzeros, spread evenly over its rows; the last row has one more.
CsrMatrix<double> tile_rows_of(const std::vector<index_t>& counts) {
    std::set<std::pair<index_t, index_t>> positions;
    for (std::size_t t = 0; t < counts.size(); ++t) {
        for (index_t i = 0; i < counts[t]; ++i) {
            const auto row = static_cast<index_t>(t) * kTileSize + i % kTileSize;
            positions.insert({row, i / kTileSize * 3});
        }
    }
    return matrix_of(static_cast<index_t>(counts.size()) * kTileSize, 2000, positions);
}

// Tile rows of up to some length are copied to one place first; a longer one before, so that what is left there is
// seen where it should not be.
TEST(ValueMap, UpdatesTileRowsOfEveryLength) {
    const auto csr = tile_rows_of({9601, 255, 9600, 256, 9599, 257, 8193, 1, 8192, 254, 8191, 256, 8190, 8192, 2});
    for (const auto* selector : {"only:ell", "only:dense", "bytes", "paper-deferred:defer=40"}) {
        SCOPED_TRACE(selector);
        const auto policy = make_policy(selector);
        auto tiles = convert(csr, *policy);
        const ValueMap map(csr, tiles);
        auto next = csr.clone();
        for (std::size_t i = 0; i < next.values.size(); ++i) next.values[i] = static_cast<double>(i) + 0.25;
        map.update<double>(tiles, {next.values.data(), next.values.size()});
        EXPECT_EQ(tiles.values, convert(next, *policy).values);
        EXPECT_EQ(unpack(tiles), next);
    }
}

TEST(ValueMap, RefusesTheWrongNumberOfValues) {
    const auto a = matrix_of(40, 40, {{0, 1}, {39, 39}});
    auto tiles = convert(a, *make_policy("paper"));
    const ValueMap map(a, tiles);
    for (const std::size_t n : {0, 1, 3}) {
        expect_refused("update_values: " + std::to_string(n) + " values for a map of 2 nonzeros",
                       [&] { map.update<double>(tiles, std::vector<double>(n)); });
    }
}

// Also where the numbers of values, tile rows and nonzeros are the same, and would be read beyond the new values.
TEST(ValueMap, RefusesTilesOfOtherSizes) {
    const auto a = matrix_of(64, 64, {{0, 1}, {0, 2}, {20, 3}, {60, 4}});
    const auto other = matrix_of(64, 64, {{0, 1}, {20, 2}, {20, 3}, {60, 4}});
    const auto shorter = matrix_of(64, 64, {{0, 1}, {0, 2}, {20, 3}, {20, 4}});
    const auto longer = matrix_of(64, 64, {{0, 1}, {0, 2}, {20, 3}, {60, 4}, {60, 5}});
    const std::vector<double> values(4);
    for (const auto* selector : {"only:coo", "paper-deferred"}) {
        const ValueMap map(a, convert(a, *make_policy(selector)));
        for (const auto* their_selector : {"only:coo", "only:dense", "paper-deferred"}) {
            for (const auto* b : {&a, &other, &shorter, &longer}) {
                if (b == &a && their_selector == std::string_view(selector)) continue;
                SCOPED_TRACE(::testing::Message() << selector << ' ' << their_selector << ' ' << b->row_ptrs[61]);
                auto tiles = convert(*b, *make_policy(their_selector));
                const auto before = unpack(tiles);
                constexpr auto* message = "update_values: the map was made for other tiles; make one for these";
                expect_refused(message, [&] { map.update<double>(tiles, values); });
                EXPECT_EQ(unpack(tiles), before);
                expect_refused(message, [&] { (void)map.tiled_positions<std::uint32_t>(tiles); });
                expect_refused(message, [&] { (void)map.deferred_positions<std::uint64_t>(tiles); });
            }
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
