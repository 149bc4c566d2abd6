#include "formats/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {
namespace {

std::vector<std::string> all_selectors() {
    std::vector<std::string> names{
        "bytes:defer=0",          "bytes:saving=30",   "paper-deferred:defer=256",
        "paper-deferred:defer=3", "paper:defer_hyb=1", "paper-tuned-deferred:defer=5,coo=0,hyb=0,defer_hyb=1"};
    for (const auto& info : selectors()) names.emplace_back(info.name);
    return names;
}

template <Value V>
bool same_tiles(const TileMatrix<V>& a, const TileMatrix<V>& b) {
    return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && a.tile_rows == b.tile_rows &&
           a.tile_ptrs == b.tile_ptrs && a.value_ptrs == b.value_ptrs && a.index_ptrs == b.index_ptrs &&
           a.tiles == b.tiles && a.values == b.values && a.indices == b.indices &&
           a.deferred.row_ids == b.deferred.row_ids && a.deferred.row_ptrs32 == b.deferred.row_ptrs32 &&
           a.deferred.row_ptrs64 == b.deferred.row_ptrs64 && a.deferred.col_idxs == b.deferred.col_idxs &&
           a.deferred.values == b.deferred.values;
}

class EverySelector : public ::testing::TestWithParam<std::string> {};

TEST_P(EverySelector, RoundTripsEveryMatrix) {
    const auto policy = make_policy(GetParam());
    for (const auto& [name, csr] : matrix_battery()) {
        for (const bool wide : {false, true}) {
            const auto tiles = convert(csr, *policy, wide);
            EXPECT_EQ(tiles.nnz, csr.nnz());
            EXPECT_EQ(unpack(tiles), csr) << name;
            EXPECT_NO_THROW(check_encoding(tiles)) << name;
        }
    }
}

template <class V>
void expect_round_trips(const TilePolicy& policy) {
    for (const auto& [name, csr] : matrix_battery()) {
        const auto typed = convert_values<V>(csr);
        EXPECT_EQ(unpack(convert(typed, policy)), typed) << name << ' ' << value_name<V>();
    }
}

TEST_P(EverySelector, RoundTripsNarrowerValues) {
    const auto policy = make_policy(GetParam());
    expect_round_trips<float>(*policy);
    expect_round_trips<Half>(*policy);
    expect_round_trips<Bfloat16>(*policy);
}

TEST_P(EverySelector, DoesNotDependOnTheNumberOfThreads) {
    const auto policy = make_policy(GetParam());
    for (const auto& [name, csr] : matrix_battery()) {
        const auto made = [&] { return convert(csr, *policy); };
        EXPECT_TRUE(same_tiles(test::with_threads(1, made), test::with_threads(5, made))) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Selectors, EverySelector, ::testing::ValuesIn(all_selectors()), [](const auto& instance) {
    std::string name = instance.param;
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
});

TEST(Convert, LevelOneListsOnlyTileRowsThatHoldTiles) {
    const auto a = matrix_of(1000, 1000, {{5, 5}, {500, 7}, {501, 900}});
    const auto tiles = convert(a, *make_policy("only:coo"));
    EXPECT_THAT(std::vector(tiles.tile_rows.begin(), tiles.tile_rows.end()), ::testing::ElementsAre(0, 31));
    EXPECT_EQ(tiles.tiles.size(), 3u);
    EXPECT_EQ(tiles.tiles[2].column(), 56);
    EXPECT_EQ(tiles.level1_bytes(), 2 * 28u + 3 * 8u + 3 * 8u);
}

TEST(Convert, KeepsExplicitZerosAndNonFiniteValues) {
    auto a = matrix_of(20, 20, {{0, 0}, {3, 4}, {3, 5}, {19, 19}});
    a.values[0] = 0.0;
    a.values[1] = -0.0;
    a.values[2] = std::numeric_limits<double>::infinity();
    for (const auto& info : selectors()) {
        const auto back = unpack(convert(a, *make_policy(info.name)));
        EXPECT_EQ(back, a) << info.name;
        EXPECT_TRUE(std::signbit(back.values[1])) << info.name;
    }
}

TEST(Convert, ListsDeferredRowsWhenMostAreEmpty) {
    const auto few = convert(matrix_of(1000, 1000, {{1, 1}, {700, 3}, {700, 900}}), *make_policy("paper-deferred"));
    EXPECT_THAT(std::vector(few.deferred.row_ids.begin(), few.deferred.row_ids.end()), ::testing::ElementsAre(1, 700));
    EXPECT_EQ(few.deferred.bytes(), 2 * 4u + 3 * 4u + 3 * 12u);
    const auto most = convert(matrix_of(3, 1000, {{0, 1}, {1, 3}, {1, 900}}), *make_policy("paper-deferred"));
    EXPECT_TRUE(most.deferred.row_ids.empty());
    EXPECT_EQ(most.deferred.bytes(), 4 * 4u + 3 * 12u);
}

TEST(Convert, ListsDeferredRowsOnlyIfThatTakesFewerBytes) {
    const auto policy = make_policy("paper-deferred");
    EXPECT_EQ(convert(matrix_of(5, 9, {{1, 1}, {3, 3}}), *policy).deferred.row_ids.size(), 2u);
    EXPECT_TRUE(convert(matrix_of(4, 9, {{1, 1}, {3, 3}}), *policy).deferred.row_ids.empty());
}

/// Defers tiles of one or two nonzeros; keeps what it is told of the matrix.
class Recorder final : public TilePolicy {
public:
    [[nodiscard]] TileChoice choose(const TilePattern& p, int value_bytes) const override {
        return {formats::id_of<formats::Coo>, *formats::Coo::size(p, value_bytes), p.nnz < 3};
    }
    [[nodiscard]] bool may_defer() const override { return true; }
    [[nodiscard]] bool keep_deferral(DeferralBytes told) const override {
        bytes = told;
        return keep;
    }

    bool keep = true;
    mutable DeferralBytes bytes;
};

// All but the last offsets of level 1, which every matrix has.
TEST(Convert, TellsPoliciesTheBytesOfTheMatrixWithAndWithoutDeferral) {
    constexpr offset_t ends = 3 * sizeof(offset_t);
    for (const index_t rows : {33, 34, 1000}) {
        std::set<std::pair<index_t, index_t>> positions{{0, 0}, {1, 1}, {2, 2}, {20, 40}, {32, 5}};
        for (index_t r = 0; r < (rows == 33 ? 15 : 0); ++r) positions.insert({r, 60});  // most rows
        const auto a = matrix_of(rows, 99, positions);
        Recorder policy;
        const auto deferring = convert(a, policy);
        EXPECT_GT(deferring.deferred.nnz(), 0);
        EXPECT_EQ(policy.bytes.with, static_cast<offset_t>(deferring.bytes()) - ends) << rows;
        policy.keep = false;
        EXPECT_EQ(policy.bytes.without, static_cast<offset_t>(convert(a, policy).bytes()) - ends) << rows;
    }
}

/// Tiles keep the first two nonzeros of each row, and tile row 1 none at all.
class FirstTwo final : public TilePolicy {
public:
    [[nodiscard]] TileChoice choose(const TilePattern& p, int value_bytes) const override {
        TileChoice choice{formats::id_of<formats::Csr>, *formats::Csr::size(p, value_bytes)};
        if (p.longest_row > 2) {
            choice.part = {2, formats::id_of<formats::Coo>};
        }
        return choice;
    }
    [[nodiscard]] bool may_defer() const override { return true; }
    [[nodiscard]] bool defer_row(offset_t /*tiled_bytes*/, offset_t csr_bytes) const override {
        return csr_bytes == 12;
    }
    [[nodiscard]] bool keep_deferral(DeferralBytes told) const override {
        bytes = told;
        return keep;
    }

    bool keep = true;
    mutable DeferralBytes bytes;
};

TEST(Convert, LeavesOtherNonzerosOfAPartToTheRemainder) {
    const auto a = matrix_of(50, 99, {{0, 1}, {0, 4}, {0, 9}, {0, 15}, {0, 20}, {3, 5}, {20, 40}, {33, 0}, {33, 1}});
    FirstTwo policy;
    const auto parts = convert(a, policy);
    EXPECT_EQ(unpack(parts), a);
    ASSERT_EQ(parts.tiles.size(), 3u) << "two in tile row 0, one in tile row 2";
    EXPECT_EQ(parts.tiles[0], TileEntry(0, formats::id_of<formats::Coo>, 3, 3, 3, 0));
    EXPECT_EQ(parts.tiles[1].nnz(), 1);
    EXPECT_EQ(parts.tiles[2].format(), formats::id_of<formats::Csr>) << "whole";
    EXPECT_THAT(std::vector(parts.deferred.row_ids.begin(), parts.deferred.row_ids.end()),
                ::testing::ElementsAre(0, 20));
    EXPECT_THAT(std::vector(parts.deferred.col_idxs.begin(), parts.deferred.col_idxs.end()),
                ::testing::ElementsAre(9, 15, 40));
    constexpr offset_t ends = 3 * sizeof(offset_t);
    EXPECT_EQ(policy.bytes.with, static_cast<offset_t>(parts.bytes()) - ends);
    policy.keep = false;
    const auto whole = convert(a, policy);
    EXPECT_EQ(unpack(whole), a);
    EXPECT_EQ(whole.deferred.nnz(), 0);
    EXPECT_EQ(whole.tiles[0].nnz(), 5);
    EXPECT_EQ(policy.bytes.without, static_cast<offset_t>(whole.bytes()) - ends);
}

TEST(Convert, ReachesTheLastColumnThereCanBe) {
    const index_t last = std::numeric_limits<index_t>::max() - 1;
    const auto a = matrix_of(2, std::numeric_limits<index_t>::max(), {{0, 0}, {0, last - 1}, {1, last}});
    for (const auto& info : selectors()) EXPECT_EQ(unpack(convert(a, *make_policy(info.name))), a) << info.name;
}

// Nonzeros of the right values at the right places, in another order than the format has.
TEST(CheckEncoding, NamesTheFirstTileThatItsFormatWouldWriteInAnotherWay) {
    auto tiles = convert(matrix_of(40, 40, {{0, 0}, {1, 0}, {20, 4}, {21, 4}, {22, 4}}), *make_policy("only:coo"));
    check_encoding(tiles);
    std::swap(tiles.indices[3], tiles.indices[4]);
    std::swap(tiles.values[3], tiles.values[4]);
    EXPECT_EQ(test::message_of([&] { check_encoding(tiles); }),
              "3: tile (1, 0): coo does not write what it reads from it in the same bytes");
}

// Bytes that no walk may follow, and values of padding.
TEST(CheckEncoding, FindsWrongPositionsCountsAndPadding) {
    const auto damaged = [](const char* selector, auto&& damage) {
        auto tiles = convert(matrix_of(16, 16, {{0, 0}, {0, 3}, {2, 0}, {5, 7}}), *make_policy(selector));
        damage(tiles);
        return test::message_of([&] { check_encoding(tiles); }).starts_with("3: tile (0, 0)");
    };
    EXPECT_FALSE(damaged("only:ell", [](auto&) {}));
    EXPECT_TRUE(damaged("only:coo", [](auto& a) { a.indices[1] = a.indices[0]; })) << "the same place twice";
    EXPECT_TRUE(damaged("only:coo", [](auto& a) { std::swap(a.indices[0], a.indices[1]); })) << "columns descend";
    EXPECT_TRUE(damaged("only:dense", [](auto& a) { a.indices[0] ^= 2; })) << "another number of nonzeros";
    EXPECT_TRUE(damaged("only:ell", [](auto& a) { a.values[1] = 1; })) << "padding";
}

TEST(Convert, RefusesBrokenCsr) {
    const auto policy = make_policy("bytes");
    const auto broken = [](auto&& damage) {
        auto a = matrix_of(20, 40, {{0, 1}, {0, 2}, {0, 20}, {0, 21}, {3, 0}, {3, 30}});
        damage(a);
        return a;
    };
    const auto refused = [&](auto&& damage) { EXPECT_THROW(convert(broken(damage), *policy), Error); };
    refused([](auto& a) { std::swap(a.col_idxs[0], a.col_idxs[1]); });
    refused([](auto& a) { std::swap(a.col_idxs[1], a.col_idxs[2]); });
    refused([](auto& a) { a.col_idxs[1] = a.col_idxs[0]; });
    refused([](auto& a) { a.col_idxs[5] = 40; });
    refused([](auto& a) { a.col_idxs[1] = 1000; });
    refused([](auto& a) { a.col_idxs[0] = -1; });
    refused([](auto& a) { a.col_idxs[2] = -5; });
    refused([](auto& a) { a.col_idxs[3] = -5; });
    refused([](auto& a) { a.col_idxs[5] = std::numeric_limits<index_t>::min(); });
    refused([](auto& a) { a.row_ptrs[1] = 7; });
    refused([](auto& a) { a.row_ptrs[2] = 1; });
    refused([](auto& a) { a.rows = 19; });
    refused([](auto& a) { a.values.truncate(3); });
}

}  // namespace
}  // namespace tilespmv::testing
