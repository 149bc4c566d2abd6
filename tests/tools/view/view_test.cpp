#include "tools/view/view.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "kernels/operators/strip/strip.hpp"
#include "selector/policy.hpp"
#include "tests/support/tile_rows.hpp"
#include "tests/tools/view/decoded_view.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::tools {
namespace {

using test::DecodedView;
using ::testing::HasSubstr;

constexpr int kDeferred = formats::kFormatCount;

using testing::positions_of;

ViewPage page_of(const CsrMatrix<double>& a, const std::string& selector, std::size_t most_bytes = 5'000'000) {
    return view_page(a, convert(a, *make_policy(selector)),
                     {.name = "a", .selector = selector, .most_bytes = most_bytes});
}
DecodedView decoded(const CsrMatrix<double>& a, const std::string& selector) {
    return DecodedView(page_of(a, selector).html);
}

/// The tiles of `t`, with their formats and the nonzeros that are in them.
void expect_tiles(const DecodedView& view, const TileMatrix<double>& t) {
    std::size_t found = 0;
    for (std::size_t k = 0; k < t.tile_rows.size(); ++k) {
        for_each_tile(t, static_cast<offset_t>(k), [&](const TileView<double>& tile) {
            const auto at = view.tiles.find({t.tile_rows[k], tile.entry.column()});
            ASSERT_NE(at, view.tiles.end());
            EXPECT_EQ(at->second.format, tile.entry.format());
            int held = 0;
            for (const unsigned mask : at->second.masks) {
                const int count = std::popcount(mask);
                held += at->second.part == 0 ? count : std::min(count, at->second.part);
            }
            EXPECT_EQ(held, tile.entry.nnz());
            const int beyond = at->second.bytes[static_cast<std::size_t>(tile.entry.format())];
            if (at->second.part == 0) {
                EXPECT_EQ(beyond + 8 * held, tile.entry.values() * 8 + tile.entry.index_bytes());
            }
            ++found;
        });
    }
    EXPECT_EQ(found,
              std::ranges::count_if(view.tiles, [](const auto& tile) { return tile.second.format != kDeferred; }));
}

TEST(View, HoldsEveryNonzeroAndFormatOfSmallMatrices) {
    for (const auto& [name, csr] : testing::matrix_battery()) {
        if (csr.rows > 1'000'000 || csr.cols > 100'000'000) continue;
        for (const char* selector : {"bytes", "paper-deferred:defer_hyb=1", "only:ell"}) {
            SCOPED_TRACE(name + " " + selector);
            const DecodedView view = decoded(csr, selector);
            EXPECT_EQ(view.positions(), positions_of(csr));
            EXPECT_EQ(view.nnz, csr.nnz());
            EXPECT_TRUE(view.cut.empty());
            expect_tiles(view, convert(csr, *make_policy(selector)));
        }
    }
}

TEST(View, StoresWhatIsTheSameOnce) {
    const auto grid = generate<double>("laplace2d:n=256");
    const ViewPage page = page_of(grid, "bytes");
    EXPECT_EQ(page.detailed_tiles, page.tiles);
    EXPECT_LT(page.html.size(), 60'000U) << "little more than the page without a matrix";
    const DecodedView view(page.html);
    EXPECT_EQ(view.positions(), positions_of(grid));
    std::size_t cells = 0;
    for (const auto& count : view.json["counts"]) cells += count.get<std::size_t>();
    EXPECT_LT(cells, 100U);
}

TEST(View, LeavesTilesOutWhereTheyDoNotFit) {
    const auto a = generate<double>("rmat:scale=13,degree=8");
    const auto all = positions_of(a);
    const DecodedView whole = decoded(a, "bytes");
    for (const std::size_t most : {140'000U, 90'000U, 60'000U, 10'000U}) {
        const ViewPage page = page_of(a, "bytes", most);
        const DecodedView view(page.html);
        if (most > 50'000) {  // the page itself takes as much
            EXPECT_LE(page.html.size(), most);
            EXPECT_GT(page.html.size(), most * 3 / 4) << "and as many as fit are there";
            EXPECT_GT(page.detailed_tiles, 0);
        }
        EXPECT_EQ(view.nnz, a.nnz());
        EXPECT_EQ(page.tiles, std::ssize(whole.tiles));
        EXPECT_EQ(page.detailed_tiles, std::ssize(view.tiles));
        EXPECT_LT(page.detailed_tiles, page.tiles);
        EXPECT_TRUE(std::ranges::includes(all, view.positions()));
        const int cut = view.json["cut"];
        offset_t left_out = 0;
        std::map<DecodedView::Place, std::vector<DecodedView::Tile>> blocks;
        for (const auto& [at, tile] : whole.tiles) blocks[{at.first >> cut, at.second >> cut}].push_back(tile);
        for (const auto& [place, summary] : view.cut) {
            std::array<offset_t, kDeferred + 1> nnz{};
            offset_t tiles = 0;
            offset_t formats = 0;
            for (const auto& tile : blocks[place]) {
                for (const unsigned mask : tile.masks)
                    nnz[static_cast<std::size_t>(tile.format)] += std::popcount(mask);
                formats |= offset_t{1} << tile.format;
                ++tiles;
            }
            const auto most_of = std::ranges::max_element(nnz) - nnz.begin();
            EXPECT_EQ(summary, (std::array<offset_t, 4>{std::reduce(nnz.begin(), nnz.end()), tiles, most_of, formats}));
            left_out += tiles;
        }
        EXPECT_EQ(left_out + std::ssize(view.tiles), std::ssize(whole.tiles));
    }
}

TEST(View, ShowsAnExampleOfEachFormatInDetail) {
    const auto a = generate<double>("rmat:scale=13,degree=8");
    const DecodedView view(page_of(a, "paper", 80'000).html);
    for (std::size_t f = 0; f < view.json["formats"].size(); ++f) {
        const auto& format = view.json["formats"][f];
        if (format["tiles"] == 0) continue;
        const DecodedView::Place place{format["examples"][0][0], format["examples"][0][1]};
        ASSERT_TRUE(view.tiles.contains(place)) << format["name"];
        EXPECT_EQ(view.tiles.at(place).format, static_cast<int>(f));
    }
}

TEST(View, SaysWhyAndWhatBecomesOfTiles) {
    std::set<std::pair<index_t, index_t>> p;
    for (index_t r = 0; r < 16; ++r) {
        for (index_t c = 0; c < 16; ++c) p.emplace(r, c);  // (0, 0): full
        p.emplace(16 + r, r);                              // (1, 0): a diagonal and two nonzeros
    }
    p.insert({{16, 5}, {20, 9}, {32, 3}, {33, 40}});
    const auto a = testing::matrix_of(48, 48, p);
    const DecodedView paper = decoded(a, "paper-deferred:defer=1");
    EXPECT_EQ(paper.tiles.at({0, 0}).reason, "at least 75% of its places hold nonzeros");
    EXPECT_EQ(paper.tiles.at({0, 0}).slots, 16);
    EXPECT_EQ(paper.tiles.at({1, 0}).slots, 1) << "the two others are entries";
    EXPECT_EQ(paper.tiles.at({2, 0}).reason, "tiles of at most 1 nonzeros are left to CSR rows");
    EXPECT_EQ(paper.tiles.at({2, 0}).format, kDeferred);
    const DecodedView bytes = decoded(a, "bytes:defer=0");
    EXPECT_THAT(bytes.tiles.at({0, 0}).reason, HasSubstr("fewest bytes"));
    const DecodedView only = decoded(a, "only:dense_row");
    EXPECT_THAT(only.tiles.at({0, 0}).reason, HasSubstr("wherever it can"));
    EXPECT_THAT(only.tiles.at({1, 0}).reason, HasSubstr("cannot hold"));
    const auto rows = DecodedView::numbers(bytes.section("strip_rows"));
    EXPECT_EQ(std::reduce(rows.begin(), rows.end()), 3U);
}

TEST(View, HasTheSlotsOfStrips) {
    const auto a = generate<double>("stencil27:n=20");
    const DecodedView view = decoded(a, "bytes");
    const auto strips = make_strips(a, strip_limits(a.rows, a.nnz(), 8, measured_gpu(8)));
    const auto rows = DecodedView::numbers(view.section("strip_rows"));
    const auto slots = DecodedView::numbers(view.section("strip_slots"));
    const auto fill = DecodedView::numbers(view.section("strip_fill"));
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(fill[i], 0U) << "windows";
        all += rows[i] * slots[i];
    }
    EXPECT_EQ(all, static_cast<std::uint64_t>(strips.slots));
}

TEST(View, HoldsHostileNamesAsText) {
    const auto a = testing::matrix_of(4, 4, {{1, 1}});
    const std::string name = "</script><img id=hack>&amp;\"'";
    const ViewPage page = view_page(a, convert(a, *make_policy("bytes")), {.name = name});
    EXPECT_EQ(page.html.find("<img"), std::string::npos);
    EXPECT_EQ(DecodedView(page.html).json["matrix"]["name"], name);
    EXPECT_THAT(DecodedView(page.html).tiles.at({0, 0}).reason, HasSubstr("stored so")) << "no selector is known";
}

TEST(View, LoadsNothing) {
    const std::string page = page_of(testing::matrix_of(4, 4, {{1, 1}}), "bytes").html;
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    for (const char* loading : {"src=", "href=", "url(", "import ", "fetch("})
        EXPECT_EQ(page.find(loading), std::string::npos);
    const std::string namespaces = "http://www.w3.org/2000/svg";
    for (auto at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1)) {
        const std::string found = page.substr(at, namespaces.size());
        EXPECT_TRUE(found == namespaces || found.starts_with("http-equiv")) << found;
    }
}

}  // namespace
}  // namespace tilespmv::tools
