// Whole outputs of `stats`.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/tools/golden.hpp"
#include "tests/tools/transcript.hpp"
#include "tile/archive/archive.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tools/stats/report.hpp"

namespace tilespmv::tools {
namespace {

using test::expect_golden;
using test::Transcript;

/// 64 x 128 with a tile for each format by the published rules: a full one, a full row, a full column in the first tile
/// row; even rows (ell), all lengths (csr), one long row (hyb) and three nonzeros (coo) in the second; none in the
/// third; single ones in the last, one tile with two.
CsrMatrix<double> gallery() {
    std::set<std::pair<index_t, index_t>> p;
    for (index_t r = 0; r < 16; ++r) {
        for (index_t c = 0; c < 16; ++c) p.emplace(r, c);
        p.emplace(5, 16 + r);
        p.emplace(r, 32 + 7);
        p.emplace(16 + r, r);
        p.emplace(16 + r, (r + 5) % 16);
        for (index_t c = r; c < 16; ++c) p.emplace(16 + r, 16 + c);
        if (r < 9) p.emplace(16 + r, 32 + r);
    }
    for (index_t c = 0; c < 5; ++c) p.emplace(16, 32 + c);
    for (const auto c : {50, 55, 60}) p.emplace(20, c);
    for (const auto c : {3, 30, 64, 65, 127}) p.emplace(48 + c % 16, c);
    return testing::matrix_of(64, 128, p);
}

/// The matrix as a file, without nonzeros too, and as archives.
class GoldenStats : public ::testing::Test {
protected:
    GoldenStats() {
        write_matrix_market(commands_.path("gallery.mtx"), gallery());
        write_matrix_market(commands_.path("empty.mtx"), testing::matrix_of(20, 17, {}));
        write_archive(commands_.path("stored.tsp"), convert(gallery(), *make_policy("paper-deferred:defer=2")),
                      formats::format_table());
    }

    Transcript commands_;
};

TEST_F(GoldenStats, TextOfOneMatrix) {
    commands_.run("stats {}gallery.mtx --selector paper");
    commands_.run("stats {}gallery.mtx --selector paper-deferred");
    commands_.run("stats {}gallery.mtx");
    commands_.run("stats {}gallery.mtx --values float32 --selector only:ell:else=coo");
    commands_.run("stats {}stored.tsp");
    commands_.run("stats {}empty.mtx");
    expect_golden("stats_one.txt", commands_.text());
}

TEST_F(GoldenStats, TextOfSeveralSelectors) {
    commands_.run(
        "stats {}gallery.mtx --selector paper --selector paper-csr --selector paper-adaptive --selector "
        "paper-deferred --selector paper-tuned --selector paper-tuned-deferred --selector bytes");
    commands_.run("stats {}gallery.mtx --selector only:dense --selector only:dense_row --selector only:hyb:else=coo");
    commands_.run("stats {}empty.mtx --selector paper --selector bytes");
    expect_golden("stats_selectors.txt", commands_.text());
}

TEST_F(GoldenStats, TextOfSeveralMatrices) {
    commands_.run("stats {}gallery.mtx {}missing.mtx {}empty.mtx --selector paper-deferred");
    commands_.run("stats {}gallery.mtx {}stored.tsp gen:hypersparse:n=400,nnz=300");
    commands_.run("stats {}gallery.mtx {}gallery.mtx --selector paper --selector only:coo --values float32");
    commands_.run("stats {}missing.mtx {}nowhere.mtx");
    expect_golden("stats_matrices.txt", commands_.text());
}

TEST_F(GoldenStats, Json) {
    commands_.run("stats {}gallery.mtx --selector paper-deferred --json -");
    commands_.run("stats {}missing.mtx {}empty.mtx --json -");
    expect_golden("stats.json.txt", commands_.text());
}

TEST_F(GoldenStats, Csv) {
    commands_.run("stats {}gallery.mtx {}missing.mtx --selector paper-deferred:coo=2,defer=2 --selector bytes --csv -");
    commands_.run("stats {}missing.mtx {}nowhere.mtx --csv -");
    expect_golden("stats.csv.txt", commands_.text());
}

/// A format of large numbers that are all different.
FormatStatistics format(std::string_view name, offset_t tiles, offset_t nnz, offset_t padding) {
    return {.name = name,
            .tiles = tiles,
            .tile_rows = tiles / 7,
            .nnz = nnz,
            .padding = padding,
            .value_bytes = 8 * (nnz + padding),
            .index_bytes = nnz + padding / 4,
            .mask_bytes = padding / 8,
            .level1_bytes = 8 * tiles};
}

TiledStatistics tiled(std::vector<FormatStatistics> formats) {
    TiledStatistics t;
    t.formats = std::move(formats);
    for (const auto& f : t.formats) {
        t.tiles += f.tiles;
        t.level1_bytes += f.level1_bytes;
        t.index_bytes += f.index_bytes;
        t.value_bytes += f.value_bytes;
        t.published.level1_bytes += f.tiles * PublishedLayout::kTileBytes;
        t.published.index_bytes += f.index_bytes - f.mask_bytes;
    }
    t.level1_bytes += 28 * 70'000;
    t.published.level1_bytes += 4 * 77'162;
    t.published.value_bytes = t.value_bytes;
    t.published.deferred_bytes = 99'970'000;
    t.deferred = {.nnz = 7'654'321, .rows = 1'000'003, .tile_rows = 60'001, .bytes = 99'960'000};
    t.bytes = t.level1_bytes + t.index_bytes + t.value_bytes + t.deferred.bytes;
    t.bytes_per_nnz = static_cast<double>(t.bytes) / 1'234'567'890;
    return t;
}

/// A matrix of more than a billion nonzeros, with a name that CSV has to quote.
StatsReport large(double row_mean) {
    MatrixStatistics m;
    m.rows = 1'234'567;
    m.cols = 89'012;
    m.nnz = 1'234'567'890;
    m.row_length = {.count = m.rows, .mean = row_mean, .max = 54'321, .variation = 1.125};
    m.empty_rows = 4'567;
    m.grid = {.tiles = 9'876'543,
              .possible = 429'331'368,
              .mean = 125.25,
              .median = 99.5,
              .max = 255,
              .histogram = {1, 23, 0, 4'567, 56'789, 678'901, 1'789'012, 3'890'123, 3'457'127, 0}};
    m.tile_rows = {.nnz = {.count = 70'000, .mean = 17'500.5, .max = 1'000'000, .variation = 2.5},
                   .heaviest_share = 0.0625};
    m.csr_bytes = 14'819'753'072;
    m.coo_bytes = 19'753'086'240;
    m.ell_bytes = 804'749'000'000;
    m.bsr = {.block_size = 8, .blocks = 77'160'493, .bytes = 39'814'814'388};
    const auto most = tiled({format("dense", 3'000'000, 700'000'000, 999), format("coo", 0, 0, 0),
                             format("ell", 6'800'000, 526'913'569, 123'456)});
    const auto none =
        tiled({format("dense", 0, 0, 0), format("coo", 9'800'000, 1'226'913'569, 0), format("ell", 0, 0, 0)});
    return {"a \"large\", wide matrix", "float64", m, {{"paper:coo=3,ell=0.5", most}, {"only:coo", none}}};
}

TEST(GoldenStatsReport, LargeNumbers) {
    StatsReport one = large(999.5);
    one.selectors.resize(1);
    StatsReport below = large(999.25);
    below.selectors.erase(below.selectors.begin());
    const std::string text = to_text(std::vector{one}) + '\n' + to_text(std::vector{below}) + '\n' +
                             to_text(std::vector{large(0.0625)}) + '\n' +
                             to_text(std::vector{large(1), {"gone", {}, {}, {}, "no \"such\" file\n"}});
    expect_golden("stats_large.txt", text);
}

TEST(GoldenStatsReport, LargeNumbersForPrograms) {
    const StatsReport gone{"gone, too", {}, {}, {}, "no \"such\" file"};
    expect_golden("stats_large.json", to_json(std::vector{large(1000)}).dump(2) + '\n');
    expect_golden("stats_large.csv", to_csv(std::vector{gone, large(1000), gone}));
}

}  // namespace
}  // namespace tilespmv::tools
