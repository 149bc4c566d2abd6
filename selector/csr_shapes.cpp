#include "selector/csr_shapes.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kWarp = 32;

RowLengths lengths_of(std::span<const offset_t> row_ptrs) {
    RowLengths lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i].nonzeros = 2 << i;
    const auto rows = static_cast<offset_t>(row_ptrs.size()) - 1;
    for (RowRounds& of : lengths) {
        of.all = rows;
        of.longest = rows > 0 ? 1 : 0;
    }
    for (std::size_t row = 0; row + 1 < row_ptrs.size(); ++row) {
        const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
        for (std::size_t i = 0; i < lengths.size() && length > lengths[i].nonzeros; ++i) {
            const offset_t rounds = ((length - 1) >> (i + 1)) + 1;
            lengths[i].all += rounds - 1;
            lengths[i].longest = std::max(lengths[i].longest, rounds);
        }
    }
    return lengths;
}

/// The smallest group of threads, up to a warp, for which as many mean rows as there are groups fill at most the share
/// of a round that `tuning` says.
int smallest_group(index_t rows, offset_t nnz, int products, const MultiroundTuning& tuning) {
    int group = 1;
    while (group < kWarp && 8 * nnz > offset_t{tuning.filled_eighths} * products * group * rows) group *= 2;
    return group;
}

}  // namespace

int threads_of_mean_row(index_t rows, offset_t nnz) {
    int threads = 2;
    while (threads < kWarp && nnz > offset_t{rows} * threads) threads *= 2;
    return threads;
}

RowLengths row_lengths(std::span<const offset_t> row_ptrs) {
    constexpr std::int64_t grain = 1 << 16;
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    std::vector<RowLengths> ranges(static_cast<std::size_t>(div_up(rows, grain)));
    parallel_ranges(0, rows, grain, [&](std::int64_t first, std::int64_t end) {
        const auto size = static_cast<std::size_t>(end - first) + 1;
        ranges[static_cast<std::size_t>(first / grain)] =
            lengths_of(row_ptrs.subspan(static_cast<std::size_t>(first), size));
    });
    RowLengths lengths = lengths_of(row_ptrs.first(1));
    for (const RowLengths& range : ranges) {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths[i].all += range[i].all;
            lengths[i].longest = std::max(lengths[i].longest, range[i].longest);
        }
    }
    return lengths;
}

const RowRounds& rounds_of(const RowLengths& lengths, const VectorShape& shape) {
    const auto nonzeros = static_cast<unsigned>(shape.threads * shape.flight);
    return lengths.at(static_cast<std::size_t>(std::countr_zero(nonzeros)) - 1);
}

VectorRound round_of(const VectorShape& shape, const VectorTuning& tuning) {
    const bool is_deep = shape.flight > 4;
    const double lanes = shape.threads * (is_deep ? tuning.deep_lanes : 1);
    const double full = tuning.request_time + kWarp;
    return {(tuning.request_time + lanes) / full, tuning.concurrent_rounds * (is_deep ? tuning.deep_latency : 1)};
}

VectorShape vector_shape(const RowLengths& lengths, std::span<const int> flights, const VectorTuning& tuning) {
    VectorShape best;
    double least = std::numeric_limits<double>::infinity();
    for (const int flight : flights) {
        for (int threads = 2; threads <= kWarp; threads *= 2) {
            const VectorShape shape{threads, flight};
            const RowRounds& rounds = rounds_of(lengths, shape);
            if (flight > flights.front() && static_cast<double>(rounds.all) * threads > tuning.most_deep_threads) {
                continue;
            }
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

double inode_time(const RowLengths& lengths, const InodeShape& shape, const InodeTuning& tuning) {
    const RowRounds& rounds = rounds_of(lengths, {shape.threads, shape.flight});
    const double round = tuning.request_time + shape.threads * shape.flight * (1 + shape.rows);
    return static_cast<double>(rounds.all) * round + static_cast<double>(rounds.longest) * tuning.longest_time;
}

MultiroundShape multiround_shape(MultiroundShape given, index_t rows, offset_t nnz, const MultiroundTuning& tuning) {
    MultiroundShape shape = given;
    if (shape.products == 0) shape.products = tuning.products;
    if (shape.threads == 0) shape.threads = std::max(shape.group, tuning.threads);
    if (shape.group == 0) {
        shape.group = smallest_group(rows, nnz, shape.products, tuning);
        while (shape.group > 1 && shape.rows * shape.group > shape.threads) shape.group /= 2;
    }
    if (shape.rows == 0) shape.rows = std::max(shape.threads / shape.group, 1);
    return shape;
}

int csr5_sigma(index_t rows, offset_t nnz) {
    constexpr int most = 16;
    int sigma = 4;
    while (sigma < most && nnz > offset_t{rows} * sigma) sigma *= 2;
    return sigma;
}

}  // namespace tilespmv::cuda
