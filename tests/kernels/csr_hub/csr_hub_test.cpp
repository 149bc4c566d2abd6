#include "kernels/csr_hub/csr_hub.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

using cuda::CsrHub;
using cuda::HubRun;
using cuda::HubRuns;
using cuda::kHubEach;
using cuda::kHubLanes;
using cuda::kHubTile;
using cuda::kHubTileRows;

/// The first, every third, all columns, or none.
std::vector<Buffer<index_t>> choices_of_hubs(index_t cols) {
    std::vector<Buffer<index_t>> choices;
    for (const index_t step : {0, 1, 3, cols}) {
        std::vector<index_t> hubs;
        for (index_t c = 0; step > 0 && c < cols; c += step) hubs.push_back(c);
        choices.emplace_back(std::span<const index_t>(hubs));
    }
    return choices;
}

/// More than kHubTileRows empty rows before, between and behind rows with nonzeros, and inside a row that is split.
CsrMatrix<double> with_many_empty_rows() {
    std::set<std::pair<index_t, index_t>> positions;
    for (const index_t row : {2500, 2501, 5000, 7000}) {
        for (index_t c = 0; c < 300; ++c) positions.insert({row, c});
    }
    return matrix_of(10'000, 400, positions);
}

/// Rows of more than many runs, and short ones between them.
CsrMatrix<double> with_long_rows() {
    std::set<std::pair<index_t, index_t>> positions;
    for (const index_t row : {1, 2, 60}) {
        for (index_t c = 0; c < 3000; ++c) positions.insert({row, c});
    }
    for (index_t row = 5; row < 50; ++row) positions.insert({row, row * 7});
    return matrix_of(70, 3000, positions);
}

std::vector<NamedMatrix> matrices() {
    auto all = matrix_battery();
    all.push_back({"many empty rows", with_many_empty_rows()});
    all.push_back({"long rows", with_long_rows()});
    return all;
}

CsrHub make(const CsrMatrix<double>& a, const Buffer<index_t>& hubs, int runs) {
    return cuda::make_csr_hub(a.row_ptrs, a.cols, a.col_idxs, hubs.clone(), HubRuns{.runs = runs});
}

template <class Check>
void for_each_form(Check&& check) {
    for (const auto& [name, a] : matrices()) {
        for (const auto& hubs : choices_of_hubs(a.cols)) {
            for (const int runs : {1, 3, 1000}) {
                SCOPED_TRACE(name + ", " + std::to_string(hubs.size()) + " hubs, " + std::to_string(runs) + " runs");
                check(a, make(a, hubs, runs));
            }
        }
    }
}

template <std::size_t kValueBytes>
void expect_places() {
    std::set<int> places;
    for (int i = 0; i < kHubTile; ++i) places.insert(cuda::hub_place<kValueBytes>(i));
    EXPECT_EQ(places.size(), static_cast<std::size_t>(kHubTile));
    EXPECT_EQ(*places.begin(), 0);
    EXPECT_EQ(*places.rbegin(), kHubTile - 1);
}

TEST(CsrHub, PlacesOfALaneAreWordsOf16Bytes) {
    EXPECT_EQ(cuda::hub_place<8>(1), 1);
    EXPECT_EQ(cuda::hub_place<8>(2), 64) << "the second word of the first lane";
    EXPECT_EQ(cuda::hub_place<8>(kHubEach), 2) << "the second lane";
    EXPECT_EQ(cuda::hub_place<4>(kHubEach + 5), 128 + 4 + 1);
    for (int i = 0; i < kHubTile; ++i) EXPECT_EQ(cuda::hub_place<2>(i), i);
    expect_places<8>();
    expect_places<4>();
}

TEST(CsrHub, GoesBackToCsrExactly) {
    for_each_form([](const auto& a, const CsrHub& b) {
        EXPECT_EQ(cuda::to_csr(b, a.rows, a.cols, cuda::in_csr_hub<double>(b, a.values)), a);
    });
}

TEST(CsrHub, GoesBackToCsrExactlyForEveryTypeOfValues) {
    const auto expect_same = []<class V>(const CsrMatrix<V>& a) {
        const auto b = cuda::make_csr_hub(a.row_ptrs, a.cols, a.col_idxs, Buffer<index_t>{5, 6}, HubRuns{});
        EXPECT_EQ(cuda::to_csr(b, a.rows, a.cols, cuda::in_csr_hub<V>(b, a.values)), a);
    };
    expect_same(convert_values<float>(with_long_rows()));
    expect_same(convert_values<Half>(with_long_rows()));
    expect_same(convert_values<Bfloat16>(with_long_rows()));
}

/// The arrays by the words of the header, one nonzero and one row after the other.
struct Parts {
    std::vector<std::uint32_t> first_rows;
    std::vector<offset_t> sources;
    std::vector<std::uint16_t> lanes;
    std::vector<std::uint32_t> codes;
    std::vector<std::uint32_t> filled;
    offset_t hub_nonzeros = 0;
    offset_t hub_tile_rows = 0;
    offset_t other_tile_rows = 0;
    friend bool operator==(const Parts&, const Parts&) = default;
};

Parts parts_of(const CsrHub& b) {
    Parts parts;
    parts.first_rows.assign(b.first_rows.begin(), b.first_rows.end());
    parts.sources.assign(b.sources.begin(), b.sources.end());
    for (const auto lane : b.lanes) parts.lanes.push_back(lane.bits);
    for (std::size_t i = 0; i < b.places(); ++i) {
        const auto bytes = static_cast<std::size_t>(b.high_bytes);
        const std::uint32_t high = bytes == 1 ? b.highs[i] : b.highs[2 * i] + (std::uint32_t{b.highs[2 * i + 1]} << 8);
        parts.codes.push_back(b.lows[i] + (high << 16));
    }
    parts.filled.assign(b.filled.begin(), b.filled.end());
    parts.hub_nonzeros = b.hub_nonzeros;
    parts.hub_tile_rows = b.hub_tile_rows;
    parts.other_tile_rows = b.other_tile_rows;
    return parts;
}

/// Tile after tile, with the group of kHubTile nonzeros of each row looked up.
class Oracle {
public:
    Oracle(const CsrMatrix<double>& a, const Buffer<index_t>& hubs)
        : a_(a), padding_(static_cast<std::uint32_t>(hubs.size())) {
        for (index_t c = 0; c < a.cols; ++c) codes_.push_back(padding_ + 1 + static_cast<std::uint32_t>(c));
        for (std::size_t i = 0; i < hubs.size(); ++i) codes_[hubs[i]] = static_cast<std::uint32_t>(i);
        std::vector<std::vector<index_t>> rows_of_group(static_cast<std::size_t>(div_up(a.nnz(), kHubTile)));
        for (index_t row = 0; row < a.rows && a.nnz() > 0; ++row) {
            const offset_t last = std::max<offset_t>(a.row_ptrs[row + 1] - 1, 0);
            rows_of_group[static_cast<std::size_t>(last / kHubTile)].push_back(row);
        }
        index_t first_row = 0;
        for (std::size_t g = 0; g < rows_of_group.size(); ++g) {
            const auto end_row = first_row + static_cast<index_t>(rows_of_group[g].size());
            auto first = static_cast<offset_t>(g) * kHubTile;
            for (index_t row = first_row; row == first_row || row < end_row; row += kHubTileRows) {
                const index_t next = std::min(row + kHubTileRows, end_row);
                const offset_t end = next < end_row ? a.row_ptrs[next] : group_end(g);
                add_tile(row, next, first, end);
                first = end;
            }
            first_row = end_row;
        }
        parts_.first_rows.push_back(static_cast<std::uint32_t>(a.rows));
        parts_.sources.push_back(a.nnz());
        parts_.filled.assign(static_cast<std::size_t>(div_up(a.rows, 32)) + kHubLanes, 0);
        for (index_t row = 0; row < a.rows; ++row) {
            if (a.row_ptrs[row] < a.row_ptrs[row + 1])
                parts_.filled[static_cast<std::size_t>(row / 32)] |= 1u << row % 32;
        }
        count_parts();
    }

    [[nodiscard]] const Parts& parts() const { return parts_; }

private:
    [[nodiscard]] offset_t group_end(std::size_t g) const {
        return std::min((static_cast<offset_t>(g) + 1) * kHubTile, a_.nnz());
    }

    void add_tile(index_t first_row, index_t end_row, offset_t first, offset_t end) {
        parts_.first_rows.push_back(static_cast<std::uint32_t>(first_row));
        parts_.sources.push_back(first);
        std::set<offset_t> ends;
        for (index_t row = first_row; row < end_row; ++row) ends.insert(a_.row_ptrs[row + 1] - 1);
        std::uint32_t before = 0;
        for (offset_t lane = first; lane < first + kHubTile; lane += kHubEach) {
            std::uint32_t bits = 0;
            for (offset_t k = lane; k < lane + kHubEach; ++k) {
                const bool is_nonzero = k < end;
                parts_.codes.push_back(is_nonzero ? codes_[static_cast<std::size_t>(a_.col_idxs[k])] : padding_);
                if (is_nonzero && ends.count(k) > 0) bits |= 1u << (k - lane);
            }
            parts_.lanes.push_back(static_cast<std::uint16_t>(bits | before << 8));
            before += static_cast<std::uint32_t>(std::popcount(bits));
        }
    }
    void count_parts() {
        std::set<index_t> hub_tile_rows;
        std::set<index_t> other_tile_rows;
        for (index_t row = 0; row < a_.rows; ++row) {
            for (offset_t k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
                const bool is_hub = codes_[static_cast<std::size_t>(a_.col_idxs[k])] < padding_;
                (is_hub ? hub_tile_rows : other_tile_rows).insert(row / kTileSize);
                parts_.hub_nonzeros += is_hub ? 1 : 0;
            }
        }
        parts_.hub_tile_rows = static_cast<offset_t>(hub_tile_rows.size());
        parts_.other_tile_rows = static_cast<offset_t>(other_tile_rows.size());
    }

    const CsrMatrix<double>& a_;
    std::uint32_t padding_;             // its code, and the number of hubs
    std::vector<std::uint32_t> codes_;  // of columns
    Parts parts_;
};

TEST(CsrHub, ArraysAreThoseOfTheRule) {
    for (const auto& [name, a] : matrices()) {
        for (const auto& hubs : choices_of_hubs(a.cols)) {
            SCOPED_TRACE(name + ", " + std::to_string(hubs.size()) + " hubs");
            const auto b = make(a, hubs, 1);
            EXPECT_TRUE(parts_of(b) == Oracle(a, hubs).parts());
            EXPECT_EQ(b.hubs, hubs);
            EXPECT_EQ(b.nonzeros, a.nnz());
        }
    }
}

TEST(CsrHub, RunsShareTheTiles) {
    for_each_form([](const auto&, const CsrHub& b) {
        const auto tiles = static_cast<std::uint32_t>(b.tiles());
        ASSERT_EQ(b.runs.back().first_tile, tiles);
        EXPECT_EQ(b.runs[0].first_tile, 0u);
        for (std::size_t i = 0; i + 1 < b.runs.size(); ++i) EXPECT_LT(b.runs[i].first_tile, b.runs[i + 1].first_tile);
        EXPECT_LE(b.runs.size() - 1, tiles);
    });
}

TEST(CsrHub, RunsAreOfEqualCost) {
    const auto a = with_long_rows();
    std::vector<index_t> half;
    for (index_t c = 0; c < 1500; ++c) half.push_back(c);
    for (const auto& hubs : {Buffer<index_t>(), Buffer<index_t>(std::span<const index_t>(half))}) {
        const HubRuns of{.runs = 12, .value_bytes = 8, .gather_bytes = 100};
        const auto b = cuda::make_csr_hub(a.row_ptrs, a.cols, a.col_idxs, hubs.clone(), of);
        std::vector<offset_t> cost_before{0};
        for (std::size_t t = 0; t + 1 < b.first_rows.size(); ++t) {
            const auto cols = std::span(a.col_idxs.data() + b.sources[t], a.col_idxs.data() + b.sources[t + 1]);
            const auto others = std::ranges::count_if(cols, [&](index_t c) { return hubs.empty() || c >= 1500; });
            cost_before.push_back(cost_before.back() + kHubTile * (8 + 3) + kHubLanes * 2 + 100 * others +
                                  8 * (b.first_rows[t + 1] - b.first_rows[t]));
        }
        for (offset_t i = 1; i < of.runs; ++i) {
            const auto tile = b.runs[static_cast<std::size_t>(i)].first_tile;
            EXPECT_GE(cost_before[tile] * of.runs, cost_before.back() * i) << "run " << i;
            EXPECT_LT(cost_before[tile - 1] * of.runs, cost_before.back() * i) << "run " << i;
        }
    }
}

/// The kernel's way from lanes to rows, with 1 for every product: a row's sum must be its length. What a run leaves
/// must be taken once.
class Walk {
public:
    Walk(const CsrHub& b, index_t rows) : b_(b), sums_(static_cast<std::size_t>(rows), 0), written_(sums_.size(), 0) {
        left_.resize(b.runs.size());
        for (std::size_t i = 0; i + 1 < b.runs.size(); ++i) add_run(i);
    }

    [[nodiscard]] const std::vector<offset_t>& sums() const { return sums_; }
    [[nodiscard]] bool writes_each_once() const { return written_ == std::vector<int>(written_.size(), 1); }
    [[nodiscard]] bool all_taken() const {
        return std::ranges::none_of(left_, [](const auto& sum) { return sum.has_value(); });
    }

private:
    void add_run(std::size_t i) {
        const HubRun& run = b_.runs[i];
        offset_t open = 0;
        offset_t cut = 0;
        for (std::size_t t = run.first_tile; t < b_.runs[i + 1].first_tile; ++t)
            open = add_tile(t, run.cut_row, open, cut);
        if (run.goes_on != 0) left_[i] = open;
        if (run.cut_row == HubRun::kNoRow) return;
        for (std::size_t other = i - run.back; other < i; ++other) {
            ASSERT_TRUE(left_[other].has_value()) << "run " << i << " waits for ever";
            cut += *std::exchange(left_[other], std::nullopt);
        }
        write(run.cut_row, cut);
    }

    offset_t add_tile(std::size_t t, std::uint32_t cut_row, offset_t open, offset_t& cut) {
        std::vector<offset_t> ended;
        for (std::size_t i = 0; i < static_cast<std::size_t>(kHubTile); ++i) {
            const auto lane = b_.lanes[t * kHubLanes + i / kHubEach];
            if (i % kHubEach == 0) {
                EXPECT_EQ(lane.ends_before(), static_cast<int>(ended.size()));
            }
            open += b_.sources[t] + static_cast<offset_t>(i) < b_.sources[t + 1] ? 1 : 0;
            if ((lane.ends() >> i % kHubEach & 1u) == 0) continue;
            ended.push_back(open);
            open = 0;
        }
        std::size_t at = 0;
        EXPECT_LE(b_.first_rows[t + 1] - b_.first_rows[t], static_cast<unsigned>(kHubTileRows));
        for (std::uint32_t row = b_.first_rows[t]; row < b_.first_rows[t + 1]; ++row) {
            const bool is_filled = (b_.filled[row / 32] >> row % 32 & 1u) != 0;
            const offset_t sum = is_filled ? ended.at(at++) : 0;
            if (row == cut_row) {
                cut = sum;
            } else {
                write(row, sum);
            }
        }
        EXPECT_EQ(at, ended.size());
        return open;
    }

    void write(std::uint32_t row, offset_t sum) {
        sums_.at(row) = sum;
        ++written_[row];
    }

    const CsrHub& b_;
    std::vector<offset_t> sums_;
    std::vector<int> written_;
    std::vector<std::optional<offset_t>> left_;
};

TEST(CsrHub, RowsThatAreCutGetAllTheirPartsAndAllAreWrittenOnce) {
    for_each_form([](const auto& a, const CsrHub& b) {
        if (a.nnz() == 0) return;  // no tile: y is only scaled
        const Walk walk(b, a.rows);
        for (index_t r = 0; r < a.rows; ++r) {
            ASSERT_EQ(walk.sums()[static_cast<std::size_t>(r)], a.row_ptrs[r + 1] - a.row_ptrs[r]) << "row " << r;
        }
        EXPECT_TRUE(walk.writes_each_once());
        EXPECT_TRUE(walk.all_taken());
    });
}

TEST(CsrHub, CodesTakeFourBytesWhereTheColumnsAskForIt) {
    const auto high_bytes = [](index_t cols, Buffer<index_t> hubs) {
        const auto a = matrix_of(1, cols, {{0, 0}, {0, cols - 1}});
        const auto b = cuda::make_csr_hub(a.row_ptrs, a.cols, a.col_idxs, std::move(hubs), HubRuns{});
        EXPECT_EQ(cuda::to_csr(b, 1, cols, cuda::in_csr_hub<double>(b, a.values)), a);
        return b.high_bytes;
    };
    EXPECT_EQ(high_bytes((1 << 24) - 1, {}), 1);
    EXPECT_EQ(high_bytes((1 << 24) - 1, {0}), 2) << "the code of the last column has 25 bits";
    EXPECT_EQ(high_bytes((1 << 24) - 2, {0}), 1);
}

TEST(CsrHub, BytesAreThoseOfItsArrays) {
    const auto a = matrix_of(40, 50, {{0, 0}, {0, 1}, {2, 40}});
    const auto b = cuda::make_csr_hub(a.row_ptrs, a.cols, a.col_idxs, Buffer<index_t>{1}, HubRuns{});
    EXPECT_EQ(b.bytes(sizeof(double)), 4 + 2 * 4 + 32 * 2 + 256 * (2 + 1 + 8) + (2 + 32) * 4 + 2 * 16);
}

}  // namespace
}  // namespace tilespmv::testing
