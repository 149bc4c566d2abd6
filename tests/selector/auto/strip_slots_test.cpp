#include "selector/auto/strip_slots.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/instruction_sets.hpp"

namespace tilespmv {
namespace {

using Rows = std::vector<std::vector<index_t>>;

/// Rows of a tile row, with the arrays that they refer to.
struct Strip {
    Strip(const Rows& of, index_t first_row) {
        for (std::size_t r = 0; r < of.size(); ++r) {
            rows.begin[r] = static_cast<std::int32_t>(columns.size());
            columns.insert(columns.end(), of[r].begin(), of[r].end());
            rows.end[r] = static_cast<std::int32_t>(columns.size());
        }
        rows.columns = columns;
        rows.first_row = first_row;
    }

    std::vector<index_t> columns;
    StripRows rows;
};

/// As `MatrixFeatures::strip_slots` says it.
StripSlots by_definition(Rows rows, offset_t most_slots) {
    StripSlots all;
    std::set<index_t> tiles;
    while (std::ranges::any_of(rows, [](const auto& row) { return !row.empty(); }) && all.slots < most_slots) {
        index_t base = std::numeric_limits<index_t>::max();
        for (const auto& row : rows) {
            if (!row.empty()) base = std::min(base, row.front());
        }
        for (auto& row : rows) {
            if (row.empty() || row.front() - base >= kTileSize) continue;
            tiles.insert(row.front() / kTileSize);
            row.erase(row.begin());
            ++all.taken;
        }
        ++all.slots;
    }
    all.tiles = std::ssize(tiles);
    return all;
}

Rows drawn(std::mt19937& random, index_t cols, int most) {
    Rows rows(random() % (kTileSize + 1));
    for (auto& row : rows) {
        std::set<index_t> columns;
        const auto wanted = random() % static_cast<unsigned>(most + 1);
        for (unsigned i = 0; i < wanted; ++i)
            columns.insert(static_cast<index_t>(random() % static_cast<unsigned>(cols)));
        row.assign(columns.begin(), columns.end());
    }
    return rows;
}

void expect_same(const StripSlots& found, const StripSlots& expected) {
    EXPECT_EQ(found.taken, expected.taken);
    EXPECT_EQ(found.slots, expected.slots);
    EXPECT_EQ(found.tiles, expected.tiles);
}

TEST(StripSlots, AreThoseOfTheirDefinition) {
    testing::on_every_instruction_set([] {
        std::mt19937 random(1);
        for (int i = 0; i < 300; ++i) {
            const index_t cols = i % 3 == 0 ? 40 : i % 3 == 1 ? 2000 : 2'000'000'000;
            const Rows first = drawn(random, cols, 30);
            const Rows second = drawn(random, cols, 3);
            const offset_t most = i % 5 == 0 ? 7 : 1000;
            const auto found = count_slots({Strip(first, 0).rows, Strip(second, 16).rows}, most);
            expect_same(found[0], by_definition(first, most));
            expect_same(found[1], by_definition(second, most));
        }
    });
}

TEST(StripSlots, OfTheLastColumnsThereCanBe) {
    constexpr index_t kLast = std::numeric_limits<index_t>::max() - 1;
    testing::on_every_instruction_set([] {
        const Rows rows{{kLast - 20, kLast}, {kLast - 1, kLast}, {}, {kLast}};
        expect_same(count_slots({Strip(rows, 0).rows, Strip({}, 0).rows}, 100)[0], by_definition(rows, 100));
    });
}

TEST(StripSlots, HaveTheSamePatternIfTheyAreTheSameRelativeToTheFirstRow) {
    testing::on_every_instruction_set([] {
        const Rows rows{{3, 20, 21}, {4}, {}, {3, 90}};
        const auto pattern_of = [](const Rows& of, index_t first_row) {
            return count_slots({Strip(of, first_row).rows, Strip({}, 0).rows}, 100)[0].pattern;
        };
        const auto pattern = pattern_of(rows, 0);
        EXPECT_EQ(pattern_of({{35, 52, 53}, {36}, {}, {35, 122}}, 32), pattern);
        EXPECT_EQ(count_slots({Strip({}, 0).rows, Strip(rows, 0).rows}, 100)[1].pattern, pattern);
        const std::vector<Rows> others{{{3, 20, 21}, {4}, {}, {3, 91}}, {{3, 20, 21}, {}, {4}, {3, 90}},
                                       {{4, 20, 21}, {3}, {}, {3, 90}}, {{3, 20}, {4, 21}, {}, {3, 90}},
                                       {{3, 20, 21}, {4}, {}, {3}},     {{4, 21, 22}, {5}, {}, {4, 91}}};
        for (const Rows& other : others) EXPECT_NE(pattern_of(other, 0), pattern);
    });
}

}  // namespace
}  // namespace tilespmv
