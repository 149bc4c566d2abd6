#include "selector/csr_shapes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr int kWarp = 32;

/// Counts rows by their length, up to one that few exceed, so that all statistics cost one counter a row.
class LengthCounts {
public:
    LengthCounts() {
        for (std::size_t i = 0; i < statistics_.rounds.size(); ++i) statistics_.rounds[i].nonzeros = 2 << i;
    }
    /// The rows between these pointers. Neighbours, which often have the same length, have counters of their own, for
    /// one would wait for the other.
    void add(std::span<const offset_t> row_ptrs) {
        constexpr std::size_t kApart = 4;
        std::array<std::array<std::uint32_t, kCounted>, kApart> counters{};
        const std::size_t rows = row_ptrs.size() - 1;
        const auto count = [&](std::size_t row, std::size_t counter) {
            const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
            if (static_cast<std::uint64_t>(length) < kCounted)
                ++counters[counter][static_cast<std::size_t>(length)];
            else
                add_rows(length, 1);
        };
        std::size_t row = 0;
        for (; row + kApart <= rows; row += kApart) {
            for (std::size_t i = 0; i < kApart; ++i) count(row + i, i);
        }
        for (; row < rows; ++row) count(row, 0);
        for (std::size_t length = 0; length < kCounted; ++length) {
            for (const auto& of : counters) rows_[length] += of[length];
        }
    }
    void add(offset_t length, offset_t rows) {
        if (static_cast<std::uint64_t>(length) < kCounted) {
            rows_[static_cast<std::size_t>(length)] += rows;
        } else {
            add_rows(length, rows);
        }
    }
    void add(const RowStatistics& more) {
        statistics_.squares += more.squares;
        statistics_.longest = std::max(statistics_.longest, more.longest);
        statistics_.empty += more.empty;
        statistics_.even += more.even;
        statistics_.tile_rows += more.tile_rows;
        for (std::size_t i = 0; i < statistics_.rounds.size(); ++i) {
            statistics_.rounds[i].all += more.rounds[i].all;
            statistics_.rounds[i].longest = std::max(statistics_.rounds[i].longest, more.rounds[i].longest);
            statistics_.rounds[i].lanes += more.rounds[i].lanes;
        }
    }
    [[nodiscard]] const RowStatistics& statistics() {
        for (offset_t length = 0; length < kCounted; ++length) {
            const offset_t rows = std::exchange(rows_[static_cast<std::size_t>(length)], 0);
            if (rows > 0) add_rows(length, rows);
        }
        return statistics_;
    }

private:
    static constexpr offset_t kCounted = 512;

    void add_rows(offset_t length, offset_t rows) {
        const auto wide = static_cast<double>(length);
        statistics_.squares += static_cast<double>(rows) * wide * wide;
        statistics_.longest = std::max(statistics_.longest, length);
        statistics_.empty += length == 0 ? rows : 0;
        for (std::size_t i = 0; i < statistics_.rounds.size(); ++i) {
            RowRounds& of = statistics_.rounds[i];
            // of.nonzeros is 2^(i + 1).
            const offset_t rounds = std::max((length + of.nonzeros - 1) >> (i + 1), offset_t{1});
            of.all += rows * rounds;
            of.longest = std::max(of.longest, rounds);
            of.lanes += rows * sell_lanes(length, of.nonzeros);
        }
    }

    std::array<offset_t, kCounted> rows_{};
    RowStatistics statistics_;
};

/// Of the tile rows among some rows.
void add_tile_rows(std::span<const offset_t> row_ptrs, RowStatistics& of_rows) {
    for (; row_ptrs.size() > kTileSize; row_ptrs = row_ptrs.subspan(kTileSize)) {
        of_rows.even += even_nonzeros(row_ptrs.first<kTileSize + 1>());
        of_rows.tile_rows += row_ptrs[kTileSize] > row_ptrs[0] ? 1 : 0;
    }
    of_rows.tile_rows += row_ptrs.back() > row_ptrs.front() ? 1 : 0;  // fewer rows
}

/// Relative to that of a thread with four nonzeros in flight ...
struct VectorRound {
    double time = 0;     ///< ... of a round among many
    double latency = 0;  ///< ... and of one that others wait for, in rounds among many
};

VectorRound round_of(const VectorShape& shape, const VectorTuning& tuning) {
    const bool is_deep = shape.flight > 4;
    const double lanes = shape.threads * (is_deep ? tuning.deep_lanes : 1);
    const double full = tuning.request_time + kWarp;
    return {(tuning.request_time + lanes) / full, tuning.concurrent_rounds * (is_deep ? tuning.deep_latency : 1)};
}

/// Lines of 128 bytes that a warp reads for one value of each of its threads, if so many of these read one after the
/// other.
double lines_of_warp(int threads, std::size_t bytes) {
    constexpr double kLine = 128;
    return static_cast<double>(kWarp) / threads * (1 + threads * static_cast<double>(bytes) / kLine);
}

/// Waves of warps, with what the last one lacks counted twice: while it runs, multiprocessors are idle.
double busy_waves(double waves) { return waves <= 1 ? 1 : 2 * std::ceil(waves) - waves; }

}  // namespace

offset_t sell_lanes(std::span<const offset_t> row_ptrs, int steps) {
    constexpr std::int64_t grain = 1 << 16;  // fewer rows are not worth waking threads
    std::atomic<offset_t> all = 0;
    parallel_ranges(0, static_cast<std::int64_t>(row_ptrs.size()) - 1, grain,
                    [&](std::int64_t first, std::int64_t end) {
                        offset_t lanes = 0;
                        for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(end); ++row)
                            lanes += sell_lanes(row_ptrs[row + 1] - row_ptrs[row], steps);
                        all += lanes;
                    });
    return all;
}

int threads_of_mean_row(index_t rows, offset_t nnz) {
    int threads = 2;
    while (threads < kWarp && nnz > offset_t{rows} * threads) threads *= 2;
    return threads;
}

offset_t even_nonzeros(std::span<const offset_t, kTileSize + 1> row_ptrs) {
    const offset_t length = row_ptrs[1] - row_ptrs[0];
    if (length == 0 || length % kTileSize != 0) return 0;
    for (std::size_t r = 1; r < kTileSize; ++r) {
        if (row_ptrs[r + 1] - row_ptrs[r] != length) return 0;
    }
    return kTileSize * length;
}

RowStatistics row_statistics(std::span<const offset_t> row_ptrs) {
    constexpr std::int64_t grain = 1 << 17;  // whole tile rows; fewer are not worth waking threads
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    std::vector<RowStatistics> ranges(static_cast<std::size_t>(div_up(rows, grain)));
    parallel_ranges(0, rows, grain, [&](std::int64_t first, std::int64_t end) {
        LengthCounts counts;
        const auto of_range =
            row_ptrs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first) + 1);
        counts.add(of_range);
        RowStatistics& range = ranges[static_cast<std::size_t>(first / grain)];
        range = counts.statistics();
        add_tile_rows(of_range, range);
    });
    LengthCounts all;
    for (const RowStatistics& range : ranges) all.add(range);
    return all.statistics();
}

std::array<InodeLengths, kInodeRows.size()> inode_lengths(std::span<const offset_t> row_ptrs,
                                                          std::span<const std::uint8_t> alike) {
    std::array<LengthCounts, kInodeRows.size()> counts;
    std::array<InodeLengths, kInodeRows.size()> lengths{};
    for (std::size_t row = 0; row < alike.size();) {
        std::size_t end = row + 1;
        while (end < alike.size() && alike[end] != 0) ++end;
        const auto rows = static_cast<offset_t>(end - row);
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const offset_t inodes = div_up(rows, offset_t{kInodeRows[i]});
            lengths[i].inodes += inodes;
            counts[i].add(row_ptrs[row + 1] - row_ptrs[row], inodes);
        }
        row = end;
    }
    for (std::size_t i = 0; i < counts.size(); ++i) lengths[i].rounds = counts[i].statistics().rounds;
    return lengths;
}

const RowRounds& rounds_of(const RowLengths& lengths, const VectorShape& shape) {
    const auto nonzeros = static_cast<unsigned>(shape.threads * shape.flight);
    return lengths.at(static_cast<std::size_t>(std::countr_zero(nonzeros)) - 1);
}

VectorShape vector_shape(const RowLengths& lengths, std::span<const int> flights, const VectorTuning& tuning) {
    VectorShape best;
    double least = std::numeric_limits<double>::infinity();
    for (const int flight : flights) {
        for (int threads = 2; threads <= kWarp; threads *= 2) {
            const VectorShape shape{threads, flight};
            const RowRounds& rounds = rounds_of(lengths, shape);
            const VectorRound round = round_of(shape, tuning);
            const double time =
                static_cast<double>(rounds.all) * round.time + static_cast<double>(rounds.longest) * round.latency;
            if (time >= least) continue;
            least = time;
            best = shape;
        }
    }
    return best;
}

double inode_time(const InodeLengths& lengths, const InodeShape& shape, const NumberSizes& of, const Gpu& gpu) {
    const InodeTuning& tuning = gpu.tuning.inodes;
    const RowRounds& rounds = rounds_of(lengths.rounds, {shape.threads, shape.flight});
    const auto all = static_cast<double>(rounds.all);
    const auto inodes = static_cast<double>(std::max(lengths.inodes, offset_t{1}));
    const double warps_of_inode = static_cast<double>(shape.threads) / kWarp / gpu.multiprocessors;
    const double warps = inodes * warps_of_inode;  // of a multiprocessor, as all that follows

    const double value_latency = of.sum > of.value ? tuning.converted_latency : tuning.value_latency;
    const double latency = tuning.round_latency + value_latency * shape.flight * shape.rows;
    const double one_by_one = busy_waves(warps / inode_warps(shape, of)) * all / inodes;
    const double waiting = std::max(static_cast<double>(rounds.longest), one_by_one) * latency;

    const double lines =
        shape.rows * lines_of_warp(shape.threads, of.value) + lines_of_warp(shape.threads, sizeof(index_t));
    const double round = tuning.line_time * std::pow(shape.flight, tuning.flight_power) * lines;
    return std::hypot(waiting, all * warps_of_inode * round + warps * tuning.warp_time);
}

InodeShape inode_shape(std::span<const InodeLengths, kInodeRows.size()> lengths, const InodeShape& given,
                       const NumberSizes& of, const Gpu& gpu) {
    InodeShape best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        if (given.rows > 0 && kInodeRows[i] != given.rows) continue;
        for (const int threads : kInodeThreads) {
            if (given.threads > 0 && threads != given.threads) continue;
            for (const int flight : kInodeFlights) {
                if (given.flight > 0 && flight != given.flight) continue;
                const InodeShape shape{kInodeRows[i], threads, flight};
                const double time = inode_time(lengths[i], shape, of, gpu);
                if (time >= least) continue;
                least = time;
                best = shape;
            }
        }
    }
    return best;
}

int csr5_sigma(index_t rows, offset_t nnz) {
    constexpr int most = 16;
    int sigma = 4;
    while (sigma < most && nnz > offset_t{rows} * sigma) sigma *= 2;
    return sigma;
}

}  // namespace tilespmv
