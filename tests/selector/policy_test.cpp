#include "selector/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "formats/list.hpp"
#include "selector/bytes.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::testing {
namespace {

std::string chosen(std::string_view selector, const TilePattern& p) {
    const auto choice = make_policy(selector)->choose(p, 8);
    return std::string(formats::format_table()[static_cast<std::size_t>(choice.format)].name);
}

/// Rows of one nonzero but for one of `longest` and seven empty ones: hyb keeps all but `longest` - 1 in its block.
TilePattern long_row(int longest) {
    return tile_of(16, 16, [=](int r, int c) { return r == 0 ? c < longest : r < 9 && r == c; });
}

/// 16 rows of `even` and `odd` nonzeros in turn, no column full.
TilePattern rows_in_turn(int even, int odd) {
    return tile_of(16, 16, [=](int r, int c) { return (c - r + 16) % 16 < (r % 2 == 0 ? even : odd); });
}

TEST(Paper, ThresholdsBelongToTheFormatTheyLeadTo) {
    const auto half = rows_in_turn(1, 3);  // variation 0.5
    EXPECT_EQ(chosen("paper:ell=0.5", half), "ell");
    EXPECT_EQ(chosen("paper:ell=0.4999", half), "csr");
    EXPECT_EQ(chosen("paper:ell=-1,hyb=0.5,hyb_rest=16", half), "hyb") << "with half of the nonzeros in its COO part";
    EXPECT_EQ(chosen("paper:ell=-1,hyb=0.5,hyb_rest=15", half), "csr");
    EXPECT_EQ(chosen("paper:ell=-1,hyb=0.5001,hyb_rest=16", half), "csr");
    EXPECT_EQ(chosen("paper-tuned:ell=-1,hyb=0.5", half), "hyb");
    EXPECT_EQ(chosen("paper-tuned:ell=-1,hyb=0.5,hyb_coo=0.4999", half), "csr");
    const auto three_quarters = rows_in_turn(2, 4);
    EXPECT_EQ(chosen("paper-tuned:ell=0.5", three_quarters), "ell") << "three quarters of the places are nonzeros";
    EXPECT_EQ(chosen("paper-tuned:ell=0.5,ell_fill=0.7501", three_quarters), "csr");
    EXPECT_EQ(chosen("paper:coo=32", half), "coo");
    EXPECT_EQ(chosen("paper:coo=31,ell=-1", half), "csr");
}

TEST(Paper, ReachesEveryPublishedFormat) {
    std::set<std::string> reached;
    for (const auto& [name, p] : tile_battery()) reached.insert(chosen("paper", p));
    std::set<std::string> published;
    for (const auto& format : formats::published_formats()) published.emplace(format.name);
    EXPECT_EQ(reached, published);
}

TEST(Paper, ThresholdsAreOptions) {
    const auto half = tile_of(16, 16, [](int r, int c) { return (r + c) % 2 == 0; });
    EXPECT_EQ(chosen("paper", half), "ell");
    EXPECT_EQ(chosen("paper:dense=0.5", half), "dense");
    EXPECT_EQ(chosen("paper:coo=128", half), "coo");
    EXPECT_EQ(chosen("paper:ell=-1", half), "csr");
    EXPECT_EQ(chosen("paper:ell=-1,hyb=0,hyb_rest=256", half), "hyb");
}

TEST(Paper, DenseThresholdsHaveNames) {
    const auto quarters = [](int filled) {
        return tile_of(16, 16, [=](int r, int c) { return (c - r + 16) % 4 < filled; });
    };
    EXPECT_EQ(chosen("paper:dense=cpu-code", quarters(2)), "dense");
    EXPECT_EQ(chosen("paper:dense=published", quarters(2)), "ell");
    EXPECT_EQ(chosen("paper:dense=published", quarters(3)), "dense");
    EXPECT_EQ(chosen("paper", quarters(2)), "ell") << "published is the default";
}

/// The published rules as they are written, with floating point and the search for a width of the GPU code.
std::string by_the_letter(const TilePattern& p, int value_bytes) {
    const auto count_all = [](const auto& counts, int full) {
        return std::ranges::all_of(counts, [=](int n) { return n == 0 || n == full; });
    };
    std::vector<int> rows(static_cast<std::size_t>(p.rows));
    std::vector<int> cols(static_cast<std::size_t>(p.cols));
    for (int r = 0; r < p.rows; ++r) {
        rows[r] = p.row_counts[r];
        for_each_bit(p.row_masks[r], [&](int c) { ++cols[c]; });
    }
    if (p.nnz >= 0.75 * p.rows * p.cols) return "dense";
    if (p.nnz <= 12) return "coo";
    if (count_all(rows, p.cols)) return "dense_row";
    if (count_all(cols, p.rows)) return "dense_col";
    const double mean = static_cast<double>(p.nnz) / p.rows;
    double variance = 0;
    for (const int n : rows) variance += (n - mean) * (n - mean) / p.rows;
    const double variation = std::sqrt(variance) / mean;
    if (variation <= 0.2) return "ell";
    int rest = 0;
    int least = p.rows * p.longest_row * value_bytes + (p.rows * p.longest_row + 1) / 2;
    for (int width = p.longest_row - 1; width > 0; --width) {
        int next_rest = 0;
        for (const int n : rows) next_rest += std::max(0, n - width);
        const int bytes = p.rows * width * value_bytes + (p.rows * width + 1) / 2 + next_rest * (value_bytes + 1);
        if (least <= bytes) break;
        least = bytes;
        rest = next_rest;
    }
    return variation >= 1.0 && rest <= 4 ? "hyb" : "csr";
}

TEST(Paper, IsThePublishedRulesToTheLetter) {
    std::vector<TilePattern> tiles;
    for (const auto& [name, p] : tile_battery()) tiles.push_back(p);
    std::mt19937 random(3);
    for (int i = 0; i < 20000; ++i) {
        const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        std::array<int, 16> lengths{};  // most rows alike, some empty, few longer
        const int usual = below(3) + 1;
        const int empty = below(12);
        for (int& n : lengths) n = below(16) < empty ? 0 : below(8) == 0 ? below(17) : usual;
        const int cols = below(4) == 0 ? below(16) + 1 : 16;
        const auto p = tile_of(below(4) == 0 ? below(16) + 1 : 16, cols,
                               [&](int r, int c) { return (c + cols - r % cols) % cols < lengths[r]; });
        if (p.nnz > 0) tiles.push_back(p);
    }
    std::set<std::string> reached;
    for (const auto& p : tiles) {
        for (const int value_bytes : {8, 4}) {
            const auto choice = make_policy("paper")->choose(p, value_bytes);
            const auto expected = by_the_letter(p, value_bytes);
            ASSERT_EQ(formats::format_table()[static_cast<std::size_t>(choice.format)].name, expected);
            reached.insert(expected);
        }
    }
    EXPECT_EQ(reached.size(), formats::published_formats().size());
}

TEST(PaperTuned, HasGuardsOfItsOwn) {
    const auto diagonal_and_row = tile_of(16, 16, [](int r, int c) { return c == r || r == 3; });  // 15 of 31 in COO
    EXPECT_EQ(chosen("paper-tuned", diagonal_and_row), "hyb");
    EXPECT_EQ(chosen("paper", diagonal_and_row), "csr");
    EXPECT_EQ(chosen("paper:ell_fill=0.75,hyb_rest=256,hyb_coo=0.5", diagonal_and_row), "hyb");
    const auto padded = tile_of(16, 16, [](int r, int c) { return c < 3 + (r == 7) * 2 && c + 1 < 9; });  // 50 of 80
    EXPECT_EQ(chosen("paper-tuned", padded), "csr");
    EXPECT_EQ(chosen("paper", padded), "ell");
}

TEST(PaperDeferred, DefersSmallTiles) {
    const auto p = tile_of(16, 16, [](int r, int c) { return r == 5 && c < 12; });
    EXPECT_TRUE(make_policy("paper-deferred")->choose(p, 8).defer);
    EXPECT_FALSE(make_policy("paper-deferred:defer=11")->choose(p, 8).defer);
    EXPECT_FALSE(make_policy("paper-deferred:coo=11")->choose(p, 8).defer);
    EXPECT_TRUE(make_policy("paper-deferred:coo=11,defer=12")->choose(p, 8).defer);
    EXPECT_FALSE(make_policy("paper-adaptive")->choose(p, 8).defer);
    EXPECT_TRUE(make_policy("paper-tuned-deferred")->choose(p, 8).defer);
    EXPECT_FALSE(make_policy("paper-tuned")->choose(p, 8).defer);
}

TEST(PaperDeferHyb, KeepsTheBlockAsEll) {
    const auto choice = make_policy("paper:defer_hyb=1")->choose(long_row(5), 8);
    EXPECT_EQ(choice.part.row_nnz, 1);
    EXPECT_EQ(choice.part.format, formats::id_of<formats::Ell>);
    EXPECT_FALSE(choice.defer);
    EXPECT_EQ(choice.format, formats::id_of<formats::Hyb>) << "if nothing is deferred after all";
    EXPECT_FALSE(make_policy("paper")->choose(long_row(5), 8).part.row_nnz > 0);
    EXPECT_FALSE(make_policy("paper:defer_hyb=1,coo=0")->choose(long_row(1), 8).part.row_nnz > 0)
        << "without a COO part";
    EXPECT_TRUE(make_policy("paper-deferred:defer_hyb=1,defer=13")->choose(long_row(5), 8).defer);
    EXPECT_TRUE(make_policy("paper:defer_hyb=1")->may_defer());
    EXPECT_FALSE(make_policy("paper")->may_defer());
}

TEST(PaperCsr, MakesEveryTileCsr) {
    for (const auto& [name, p] : tile_battery()) EXPECT_EQ(chosen("paper-csr", p), "csr") << name;
}

/// The bytes of the smallest format, of those with a vector routine on the CPU or of all.
int fewest_bytes(const TilePattern& p, int value_bytes, bool walked) {
    int best = 1 << 20;
    for (int id = 0; id < formats::kFormatCount; ++id) {
        formats::visit_format(id, [&]<class F>() {
            const auto size = F::size(p, value_bytes);
            if (size && (walked || formats::has_vector_routine<F>)) best = std::min(best, size->bytes(value_bytes));
        });
    }
    return best;
}

TEST(Bytes, ChoosesTheSmallestFormat) {
    for (const bool walked : {false, true}) {
        const auto policy = make_policy(walked ? "bytes:walked=1" : "bytes");
        for (const int value_bytes : {8, 4, 2}) {
            for (const auto& [name, p] : tile_battery()) {
                const int best = fewest_bytes(p, value_bytes, walked);
                const auto choice = policy->choose(p, value_bytes);
                EXPECT_EQ(choice.size.bytes(value_bytes), best) << name << ", values of " << value_bytes << " bytes";
                EXPECT_EQ(choice.defer, best + 8 > (value_bytes + 4) * p.nnz) << name;
            }
        }
    }
}

// A tile of n nonzeros in coo takes n bytes less than 4 n, and 8 for its entry: it saves 3 n - 8.
TEST(Bytes, ATileStaysOneThatSavesAsMuchAsIsAskedFor) {
    for (const int nnz : {4, 5, 6, 8}) {
        const auto tile = tile_of(16, 16, [&](int r, int c) { return c == 0 && r < nnz; });
        const int saved = 3 * nnz - 8;
        for (const int value_bytes : {8, 4, 2}) {
            const auto defers = [&](int saving) {
                return make_policy("bytes:saving=" + std::to_string(saving))->choose(tile, value_bytes).defer;
            };
            EXPECT_FALSE(defers(saved)) << nnz;
            EXPECT_TRUE(defers(saved + 1)) << nnz;
            EXPECT_FALSE(defers(saved - 1)) << nnz;
        }
    }
    const auto pair = tile_of(16, 16, [](int r, int c) { return c == 0 && r < 2; });  // takes 2 bytes more
    EXPECT_TRUE(make_policy("bytes")->choose(pair, 8).defer);
    EXPECT_FALSE(make_policy("bytes:defer=0")->choose(pair, 8).defer);
    EXPECT_FALSE(make_policy("bytes:saving=4096,defer=0")->choose(pair, 8).defer);
}

TEST(Bytes, EqualBytesStayInTiles) {
    const BytesPolicy policy(0, true);
    EXPECT_FALSE(policy.defer_row(100, 100));
    EXPECT_TRUE(policy.defer_row(101, 100));
    EXPECT_FALSE(policy.keep_deferral({.with = 100, .without = 100}));
    EXPECT_TRUE(policy.keep_deferral({.with = 99, .without = 100}));
}

TEST(Only, TakesItsFormatOrTheSecondChoice) {
    const auto triangle = tile_of(16, 16, [](int r, int c) { return c >= r; });
    for (const auto& format : formats::format_table()) {
        bool fits = false;
        formats::visit_format(formats::format_id(format.name),
                              [&]<class F>() { fits = F::size(triangle, 8).has_value(); });
        EXPECT_EQ(chosen(std::string("only:") + std::string(format.name), triangle), fits ? format.name : "csr");
    }
    EXPECT_EQ(chosen("only:dense_row:else=ell", triangle), "ell");
    EXPECT_EQ(chosen("only:dense_row", tile_of(16, 16, [](int r, int) { return r == 5; })), "dense_row");
    EXPECT_EQ(test::message_of([&] { chosen("only:dense_row:else=dense_col", triangle); }),
              "2: selector only: the second format cannot hold every tile; take csr");
}

}  // namespace
}  // namespace tilespmv::testing
