// Strips that are found on the GPU: of windows every array is the one that the host makes, by rank each strip is what
// it is to be.
#include "kernels/operators/strip/find_strips.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

using cuda::DeviceBuffer;
using cuda::FoundStrips;
using cuda::kRankHole;

template <class T>
std::vector<T> copy_of(const Buffer<T>& a) {
    return {a.begin(), a.end()};
}

/// The tile rows of these rows.
std::vector<std::uint32_t> tile_rows_in(const std::vector<RowRange>& ranges) {
    std::vector<std::uint32_t> tile_rows;
    for (const RowRange range : ranges) {
        for (std::int64_t row = range.first; row < range.end; row += kTileSize)
            tile_rows.push_back(static_cast<std::uint32_t>(row / kTileSize));
    }
    return tile_rows;
}

void expect_same(const FoundStrips& found, const Strips& expected) {
    const auto& s = found.strips;
    EXPECT_EQ(on_host(s.runs), copy_of(expected.runs));
    EXPECT_EQ(on_host(s.tile_rows), copy_of(expected.tile_rows));
    EXPECT_EQ(on_host(s.bases), copy_of(expected.bases));
    EXPECT_EQ(on_host(s.codes), copy_of(expected.codes));
    EXPECT_EQ(s.slots, expected.slots);
    EXPECT_EQ(s.nonzeros, expected.nonzeros);
    EXPECT_EQ(on_host(found.rest), tile_rows_in(expected.rest));
    offset_t occupied = 0;
    for (const StripRun& run : expected.runs) occupied += run.slots > 0 ? run.strips : 0;
    EXPECT_EQ(s.occupied, occupied);
}

/// Those filled by rank, in the memory of the host.
struct RankStrips {
    std::vector<StripRun> runs;
    std::vector<std::uint32_t> tile_rows;
    std::vector<std::int32_t> bases;
    std::vector<std::uint16_t> codes;
};

/// Whether slot k of every row is its k-th nonzero, and all that a kernel relies on.
void expect_strip(const RankStrips& s, const StripRun& run, std::uint32_t i, const CsrMatrix<double>& a) {
    const std::int64_t row0 = std::int64_t{s.tile_rows[run.first_strip + i]} * kTileSize;
    const std::int32_t base = s.bases[run.first_strip + i];
    ASSERT_LT(row0, a.rows);
    EXPECT_TRUE(run.slots == 0 || (base >= 0 && base < a.cols)) << "x of the base is read for holes";
    offset_t longest = 0;
    for (std::int64_t r = 0; r < kTileSize; ++r) {
        const offset_t first = row0 + r < a.rows ? a.row_ptrs[row0 + r] : 0;
        const offset_t count = row0 + r < a.rows ? a.row_ptrs[row0 + r + 1] - first : 0;
        longest = std::max(longest, count);
        EXPECT_TRUE(run.holes != 0 || count == run.slots || row0 + r >= a.rows);
        for (offset_t k = 0; k < offset_t{run.quads()} * kQuad; ++k) {
            const std::size_t quad = run.quad_of(i) + static_cast<std::size_t>(k / kQuad);
            const auto code = s.codes[quad * kQuad * kTileSize + static_cast<std::size_t>(r * kQuad + k % kQuad)];
            if (k < count) {
                EXPECT_EQ(base + std::int64_t{code}, a.col_idxs[first + k]);
            } else {
                EXPECT_EQ(code, kRankHole);
            }
        }
    }
    EXPECT_EQ(run.slots, longest);
}

/// `given`: the tile rows that they were found among.
void expect_strips(const FoundStrips& found, const std::vector<std::uint32_t>& given, const CsrMatrix<double>& a,
                   const StripLimits& limits) {
    const RankStrips s{on_host(found.strips.runs), on_host(found.strips.tile_rows), on_host(found.strips.bases),
                       on_host(found.strips.codes)};
    std::uint64_t slot = 0;
    std::uint64_t quad = 0;
    std::uint32_t strip = 0;
    offset_t nonzeros = 0;
    std::multiset<std::uint32_t> tile_rows(s.tile_rows.begin(), s.tile_rows.end());
    for (const StripRun& run : s.runs) {
        EXPECT_EQ(run.first_slot, slot);
        EXPECT_EQ(run.first_quad, quad);
        EXPECT_EQ(run.first_strip, strip);
        EXPECT_EQ(run.shared, 0);
        EXPECT_EQ(run.groups_log2, run.slots > limits.lane_slots ? 1 : 0);
        EXPECT_GE(run.strips, 1);
        EXPECT_LE(run.strips, limits.threads / kTileSize >> run.groups_log2);
        for (std::uint32_t i = 0; i < run.strips; ++i) expect_strip(s, run, i, a);
        slot += std::uint64_t{run.slots} * run.strips;
        quad += std::uint64_t{run.quads()} * run.strips;
        strip += run.strips;
    }
    for (const std::uint32_t tile_row : tile_rows) {
        const std::int64_t first = std::int64_t{tile_row} * kTileSize;
        nonzeros += a.row_ptrs[std::min<std::int64_t>(first + kTileSize, a.rows)] - a.row_ptrs[first];
    }
    const std::vector<std::uint32_t> rest = on_host(found.rest);
    EXPECT_TRUE(std::ranges::is_sorted(rest));
    tile_rows.insert(rest.begin(), rest.end());
    EXPECT_EQ(tile_rows, std::multiset<std::uint32_t>(given.begin(), given.end())) << "each tile row once";
    EXPECT_EQ(found.strips.slots, static_cast<std::int64_t>(slot));
    EXPECT_EQ(s.codes.size(), quad * kQuad * kTileSize);
    EXPECT_EQ(s.tile_rows.size(), strip);
    EXPECT_EQ(found.strips.nonzeros, nonzeros);
}

/// Both kinds of strips, those by rank of what windows leave and of everything.
void expect_found(const CsrMatrix<double>& a, const StripLimits& limits) {
    const MatrixOnGpu<offset_t> there(a);
    const cuda::DeviceRows rows{a.rows, there.row_ptrs.data(), there.col_idxs.data()};
    const Strips strips = make_strips(a, limits);
    const FoundStrips found = find_strips(rows, limits, nullptr);
    expect_same(found, strips);
    EXPECT_EQ(on_host(found.strips.masks), copy_of(strips.masks));
    expect_strips(find_rank_strips(rows, found.rest, limits, nullptr), on_host(found.rest), a, limits);
    if (a.rows == 0) return;
    std::vector<std::uint32_t> all(static_cast<std::size_t>(div_up(a.rows, kTileSize)));
    std::iota(all.begin(), all.end(), 0U);
    expect_strips(find_rank_strips(rows, on_gpu(all), limits, nullptr), all, a, limits);
}

constexpr double kAll = std::numeric_limits<double>::infinity();

std::vector<StripLimits> limits_for(const CsrMatrix<double>& a, int value_bytes) {
    auto by_default = strip_limits(a.rows, a.nnz(), value_bytes, measured_gpu(static_cast<std::size_t>(value_bytes)));
    auto all = by_default;
    all.most_bytes = all.most_rank_bytes = kAll;
    auto few_slots = all;
    few_slots.max_slots = 3;
    auto by_rank = all;
    by_rank.most_bytes = 0;
    by_rank.most_rank_bytes = 1.3;
    auto wide = all;
    wide.block_strips = 128;
    wide.lane_slots = 11;
    wide.resident_blocks = cuda::kManyStripBlocks;
    return {by_default, all, few_slots, by_rank, wide};
}

class FindStrips : public OnDevice {
protected:
    static void expect_all(const std::string& name, const CsrMatrix<double>& a) {
        for (const int value_bytes : {2, 4, 8}) {
            int i = 0;
            for (const StripLimits& limits : limits_for(a, value_bytes)) {
                SCOPED_TRACE(name + ", values of " + std::to_string(value_bytes) + " bytes, limits " +
                             std::to_string(i++));
                expect_found(a, limits);
            }
        }
    }
};

TEST_F(FindStrips, OfTheBattery) {
    for (const auto& [name, a] : matrix_battery()) expect_all(name, a);
}

TEST_F(FindStrips, OfEveryClass) {
    for (const char* name : {"laplace2d:n=300", "laplace3d:n=41", "fem:n=12,dof=3", "banded:n=90001,half=3",
                             "stencil27:n=30", "rmat:scale=15,degree=16", "arrow:n=90000",
                             "uniform:n=30000,cols=900000,per_row=20", "uniform:n=20,cols=90000,per_row=20000",
                             "hypersparse:n=900000,nnz=300000", "dense:rows=640,cols=640", "rgg:n=40000,degree=16"}) {
        expect_all(name, generate<double>(name));
    }
}

// Patterns of which 1 to 200 strips are, in an order of their own, so that runs are full, half full and left over.
TEST_F(FindStrips, ThatShareTheirPatterns) {
    for (const index_t patterns : {1, 2, 7, 40, 333}) {
        std::set<std::pair<index_t, index_t>> positions;
        for (index_t tile_row = 0; tile_row < 2500; ++tile_row) {
            const index_t pattern = tile_row * 37 % (tile_row % patterns + 1);
            for (index_t r = 0; r < kTileSize; ++r) {
                for (index_t k = 0; k <= pattern % 9; ++k)
                    positions.insert({tile_row * kTileSize + r, tile_row * kTileSize + r + k * (20 + pattern)});
            }
        }
        expect_all(std::to_string(patterns) + " patterns", matrix_of(2500 * kTileSize, 60'000, positions));
    }
}

using SanitizerFindStrips = OnDevice;
TEST_F(SanitizerFindStrips, IsClean) {
    const auto a = generate<double>("rgg:n=20000,degree=12");
    expect_found(a, strip_limits(a.rows, a.nnz(), 8, measured_gpu(8)));
}

}  // namespace
}  // namespace tilespmv::testing
