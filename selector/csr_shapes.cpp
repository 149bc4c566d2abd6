#include "selector/csr_shapes.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kWarp = 32;

RowLengths no_rows() {
    RowLengths lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i].threads = 2 << i;
    return lengths;
}

RowLengths lengths_of(std::span<const offset_t> row_ptrs, int flight) {
    RowLengths lengths = no_rows();
    for (std::size_t row = 0; row + 1 < row_ptrs.size(); ++row) {
        const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
        for (RowRounds& of : lengths) {
            const int nonzeros = of.threads * flight;
            const int log2 = std::countr_zero(static_cast<unsigned>(nonzeros));
            const offset_t rounds = std::max<offset_t>((length + nonzeros - 1) >> log2, 1);
            of.all += rounds;
            of.longest = std::max(of.longest, rounds);
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

RowLengths row_lengths(std::span<const offset_t> row_ptrs, int flight) {
    constexpr std::int64_t grain = 1 << 16;
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    std::vector<RowLengths> ranges(static_cast<std::size_t>(div_up(rows, grain)));
    parallel_ranges(0, rows, grain, [&](std::int64_t first, std::int64_t end) {
        const auto size = static_cast<std::size_t>(end - first) + 1;
        ranges[static_cast<std::size_t>(first / grain)] =
            lengths_of(row_ptrs.subspan(static_cast<std::size_t>(first), size), flight);
    });
    RowLengths lengths = no_rows();
    for (const RowLengths& range : ranges) {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths[i].all += range[i].all;
            lengths[i].longest = std::max(lengths[i].longest, range[i].longest);
        }
    }
    return lengths;
}

int threads_per_row(const RowLengths& lengths, const VectorTuning& tuning) {
    const offset_t full_round = tuning.request_time + kWarp;
    const auto time_of = [&](const RowRounds& rounds) {
        return rounds.all * (tuning.request_time + rounds.threads) +
               rounds.longest * tuning.concurrent_rounds * full_round;
    };
    return std::ranges::min_element(lengths, {}, time_of)->threads;
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
