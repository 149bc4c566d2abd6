#include "kernels/csr_hub/csr_hub.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace tilespmv::cuda {
namespace {

constexpr std::int64_t kGrain = 64;  // tiles that a thread takes at a time

class CsrHubMaker {
public:
    CsrHubMaker(std::span<const offset_t> row_ptrs, index_t cols, std::span<const index_t> col_idxs,
                Buffer<index_t> hubs)
        : row_ptrs_(row_ptrs),
          rows_(static_cast<std::int64_t>(row_ptrs.size()) - 1),
          cols_(cols),
          col_idxs_(col_idxs),
          hubs_(static_cast<std::uint32_t>(hubs.size())) {
        b_.nonzeros = row_ptrs.back();
        b_.hubs = std::move(hubs);
        b_.high_bytes = std::int64_t{cols} + hubs_ < std::int64_t{1} << 24 ? 1 : 2;
    }

    CsrHub run(const HubRuns& runs) {
        cut_tiles();
        make_codes();
        const auto tiles = static_cast<std::size_t>(b_.tiles());
        b_.lanes = Buffer<HubLane>(tiles * kHubLanes);
        b_.lows = Buffer<std::uint16_t>(tiles * kHubTile);
        b_.highs = Buffer<std::uint8_t>(tiles * kHubTile * static_cast<std::size_t>(b_.high_bytes));
        others_ = Buffer<std::uint16_t>(tiles);
        parallel_for(0, b_.tiles(), kGrain, [&](std::int64_t t) {
            if (b_.high_bytes == 1) {
                encode<std::uint8_t>(t);
            } else {
                encode<std::uint16_t>(t);
            }
            mark_ends(t);
        });
        mark_filled_rows();
        count_parts();
        cut_runs(runs);
        return std::move(b_);
    }

private:
    [[nodiscard]] offset_t begin_of(std::int64_t row) const { return row_ptrs_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] offset_t source(std::int64_t tile) const { return b_.sources[static_cast<std::size_t>(tile)]; }
    [[nodiscard]] std::int64_t first_row(std::int64_t tile) const {
        return b_.first_rows[static_cast<std::size_t>(tile)];
    }
    [[nodiscard]] std::uint32_t code_of(index_t column) const { return codes_[static_cast<std::size_t>(column)]; }

    /// The first row that ends behind nonzero `k`, but no row is before 0.
    [[nodiscard]] std::int64_t row_ending_behind(offset_t k) const {
        if (k == 0) return 0;
        return std::upper_bound(row_ptrs_.begin() + 1, row_ptrs_.end(), k) - row_ptrs_.begin() - 1;
    }

    /// Groups of kHubTile nonzeros are a tile, or several if they end many rows.
    void cut_tiles() {
        const std::int64_t groups = div_up(b_.nonzeros, kHubTile);
        Buffer<std::int64_t> rows(static_cast<std::size_t>(groups) + 1);
        parallel_for(0, groups, kGrain, [&](std::int64_t g) { rows[g] = row_ending_behind(g * kHubTile); });
        rows[static_cast<std::size_t>(groups)] = rows_;
        Buffer<std::int64_t> tiles(static_cast<std::size_t>(groups) + 1);
        tiles[0] = 0;
        for (std::int64_t g = 0; g < groups; ++g) {
            tiles[g + 1] = tiles[g] + std::max<std::int64_t>(div_up(rows[g + 1] - rows[g], kHubTileRows), 1);
        }
        const auto all = static_cast<std::size_t>(tiles[static_cast<std::size_t>(groups)]);
        b_.first_rows = Buffer<std::uint32_t>(all + 1);
        b_.sources = Buffer<offset_t>(all + 1);
        parallel_for(0, groups, kGrain, [&](std::int64_t g) {
            b_.first_rows[tiles[g]] = static_cast<std::uint32_t>(rows[g]);
            b_.sources[tiles[g]] = g * kHubTile;
            for (std::int64_t t = tiles[g] + 1; t < tiles[g + 1]; ++t) {
                const std::int64_t row = rows[g] + (t - tiles[g]) * kHubTileRows;
                b_.first_rows[t] = static_cast<std::uint32_t>(row);
                b_.sources[t] = begin_of(row);
            }
        });
        b_.first_rows[all] = static_cast<std::uint32_t>(rows_);
        b_.sources[all] = b_.nonzeros;
    }

    void make_codes() {
        codes_ = Buffer<std::uint32_t>(static_cast<std::size_t>(cols_));
        parallel_for(0, cols_, 1 << 16, [&](std::int64_t c) { codes_[c] = hubs_ + 1 + static_cast<std::uint32_t>(c); });
        for (std::uint32_t i = 0; i < hubs_; ++i) codes_[static_cast<std::size_t>(b_.hubs[i])] = i;
    }

    template <class High>
    void encode(std::int64_t t) {
        const offset_t first = source(t);
        const auto count = static_cast<int>(source(t + 1) - first);
        const index_t* const cols = col_idxs_.data() + first;
        std::uint16_t* const lows = b_.lows.data() + t * kHubTile;
        High* const highs = reinterpret_cast<High*>(b_.highs.data()) + t * kHubTile;
        int others = 0;
        for (int i = 0; i < count; ++i) {
            const std::uint32_t code = code_of(cols[i]);
            lows[i] = static_cast<std::uint16_t>(code);
            highs[i] = static_cast<High>(code >> 16);
            others += code > hubs_ ? 1 : 0;
        }
        std::fill(lows + count, lows + kHubTile, static_cast<std::uint16_t>(hubs_));
        std::fill(highs + count, highs + kHubTile, static_cast<High>(hubs_ >> 16));
        others_[static_cast<std::size_t>(t)] = static_cast<std::uint16_t>(others);
    }

    void mark_ends(std::int64_t t) {
        HubLane* const lanes = b_.lanes.data() + t * kHubLanes;
        std::fill_n(lanes, kHubLanes, HubLane{});
        for (std::int64_t row = first_row(t); row < first_row(t + 1); ++row) {
            if (begin_of(row + 1) == begin_of(row)) continue;
            const auto last = static_cast<int>(begin_of(row + 1) - 1 - source(t));
            HubLane& lane = lanes[last / kHubEach];
            lane.bits = static_cast<std::uint16_t>(lane.bits | 1u << last % kHubEach);
        }
        int before = 0;
        for (HubLane* lane = lanes; lane < lanes + kHubLanes; ++lane) {
            const int ends = std::popcount(lane->bits);
            lane->bits = static_cast<std::uint16_t>(lane->bits | before << 8);
            before += ends;
        }
    }

    void mark_filled_rows() {
        b_.filled = Buffer<std::uint32_t>(static_cast<std::size_t>(div_up(rows_, 32)) + kHubLanes);
        parallel_for(0, static_cast<std::int64_t>(b_.filled.size()), 1 << 10, [&](std::int64_t word) {
            std::uint32_t bits = 0;
            for (std::int64_t row = word * 32; row < std::min((word + 1) * 32, rows_); ++row) {
                if (begin_of(row + 1) > begin_of(row)) bits |= 1u << row % 32;
            }
            b_.filled[static_cast<std::size_t>(word)] = bits;
        });
    }

    /// What `executed()` of an operator tells of hubs and others.
    void count_parts() {
        offset_t others = 0;
        for (const auto of_tile : others_) others += of_tile;
        b_.hub_nonzeros = b_.nonzeros - others;
        offset_t with_hubs = 0;
        offset_t with_others = 0;
#pragma omp parallel for reduction(+ : with_hubs, with_others) schedule(static)
        for (std::int64_t row = 0; row < rows_; row += kTileSize) {
            bool hub = false;
            bool other = false;
            const offset_t end = begin_of(std::min<std::int64_t>(row + kTileSize, rows_));
            for (offset_t k = begin_of(row); k < end && !(hub && other); ++k) {
                (code_of(col_idxs_[static_cast<std::size_t>(k)]) < hubs_ ? hub : other) = true;
            }
            with_hubs += hub ? 1 : 0;
            with_others += other ? 1 : 0;
        }
        b_.hub_tile_rows = with_hubs;
        b_.other_tile_rows = with_others;
    }

    void cut_runs(const HubRuns& of) {
        const std::int64_t tiles = b_.tiles();
        const std::int64_t runs = std::min<std::int64_t>(of.runs, tiles);
        const std::int64_t tile_cost = kHubTile * (of.value_bytes + 2 + b_.high_bytes) + kHubLanes * sizeof(HubLane);
        const auto cost = [&](std::int64_t t) {
            return tile_cost + std::int64_t{others_[static_cast<std::size_t>(t)]} * of.gather_bytes +
                   (first_row(t + 1) - first_row(t)) * of.value_bytes;
        };
        std::int64_t all = 0;
        for (std::int64_t t = 0; t < tiles; ++t) all += cost(t);
        b_.runs.resize(static_cast<std::size_t>(runs) + 1);
        std::int64_t t = 0;
        std::int64_t passed = 0;
        for (std::int64_t i = 0; i < runs; ++i) {
            b_.runs[static_cast<std::size_t>(i)].first_tile = static_cast<std::uint32_t>(t);
            const double target = static_cast<double>(all) * static_cast<double>(i + 1) / static_cast<double>(runs);
            const std::int64_t end = tiles - (runs - i - 1);  // each run has a tile
            do {
                passed += cost(t++);
            } while (t < end && static_cast<double>(passed) < target);
        }
        b_.runs.back().first_tile = static_cast<std::uint32_t>(tiles);
        for (std::int64_t i = 1; i < runs; ++i) join_run(i);
    }

    [[nodiscard]] offset_t first_nonzero(const HubRun& run) const { return source(run.first_tile); }

    /// With those before it, if its first nonzero is inside a row.
    void join_run(std::int64_t i) {
        HubRun* const run = b_.runs.data() + i;
        const offset_t first = first_nonzero(*run);
        if (first == b_.nonzeros) return;
        const std::int64_t row = row_ending_behind(first);
        const offset_t begin = begin_of(row);
        if (begin == first) return;
        run[-1].goes_on = 1;
        if (begin_of(row + 1) > first_nonzero(run[1])) return;
        const auto behind = std::upper_bound(b_.runs.data(), run, begin,
                                             [&](offset_t k, const HubRun& other) { return k < first_nonzero(other); });
        run->cut_row = static_cast<std::uint32_t>(row);
        run->back = static_cast<std::uint32_t>(run - (behind - 1));
    }

    std::span<const offset_t> row_ptrs_;
    std::int64_t rows_;
    index_t cols_;
    std::span<const index_t> col_idxs_;
    std::uint32_t hubs_;
    Buffer<std::uint32_t> codes_;   // of columns
    Buffer<std::uint16_t> others_;  // nonzeros of a tile that are in no hub
    CsrHub b_;
};

}  // namespace

CsrHub make_csr_hub(std::span<const offset_t> row_ptrs, index_t cols, std::span<const index_t> col_idxs,
                    Buffer<index_t> hubs, const HubRuns& runs) {
    return CsrHubMaker(row_ptrs, cols, col_idxs, std::move(hubs)).run(runs);
}

template <Value V>
CsrMatrix<V> to_csr(const CsrHub& b, index_t rows, index_t cols, const Buffer<V>& values) {
    const auto nonzeros = static_cast<std::size_t>(b.nonzeros);
    const std::size_t high_bytes = static_cast<std::size_t>(b.high_bytes);
    CsrMatrix<V> a{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1, offset_t{0}),
                   Buffer<index_t>(nonzeros), Buffer<V>(nonzeros)};
    for (std::size_t t = 0; t + 1 < b.first_rows.size(); ++t) {
        const auto first = static_cast<std::size_t>(b.sources[t]);
        std::uint32_t row = b.first_rows[t];
        for (std::size_t i = 0; first + i < static_cast<std::size_t>(b.sources[t + 1]); ++i) {
            const std::size_t place = t * kHubTile + i;
            std::uint32_t code = b.lows[place];
            for (std::size_t byte = 0; byte < high_bytes; ++byte) {
                code |= std::uint32_t{b.highs[place * high_bytes + byte]} << (16 + 8 * byte);
            }
            const auto hubs = static_cast<std::uint32_t>(b.hubs.size());
            a.col_idxs[first + i] = code < hubs ? b.hubs[code] : static_cast<index_t>(code - hubs - 1);
            a.values[first + i] =
                values[t * kHubTile + static_cast<std::size_t>(hub_place<sizeof(V)>(static_cast<int>(i)))];
            if ((b.lanes[place / kHubEach].ends() >> i % kHubEach & 1u) == 0) continue;
            while ((b.filled[row / 32] >> row % 32 & 1u) == 0) ++row;
            a.row_ptrs[++row] = static_cast<offset_t>(first + i + 1);
        }
    }
    for (index_t r = 0; r < rows; ++r) a.row_ptrs[r + 1] = std::max(a.row_ptrs[r + 1], a.row_ptrs[r]);
    return a;
}

#define TILESPMV_INSTANTIATE(V) template CsrMatrix<V> to_csr(const CsrHub&, index_t, index_t, const Buffer<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
