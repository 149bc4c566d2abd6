#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/auto/sector_count.hpp"
#include "selector/csr_shapes.hpp"
#include "selector/work_sizes.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kLanes = 32;
constexpr offset_t kBlockLanes = 8 * kLanes;  ///< of sell
constexpr offset_t kLeastSliceBlocks = 4;     ///< that are looked at
constexpr offset_t kMostSliceBlocks = 32;
constexpr index_t kNearRows = 1 << 13;  ///< among which rows of as many rounds are looked for
constexpr offset_t kRowBlockSamples = 64;

index_t row_of(const PatternView& a, offset_t nonzero) {
    return static_cast<index_t>(std::ranges::upper_bound(a.row_ptrs, nonzero) - a.row_ptrs.begin()) - 1;
}
offset_t length_of(const PatternView& a, index_t row) {
    const auto i = static_cast<std::size_t>(row);
    return a.row_ptrs[i + 1] - a.row_ptrs[i];
}

/// Which rows sell takes side by side: those of as many rounds of loads, or long ones, in pieces.
class SliceRounds {
public:
    SliceRounds(int most_steps, int flight) : of_length_(static_cast<std::size_t>(kLanes * most_steps) + 2) {
        for (offset_t length = 1; length + 1 < std::ssize(of_length_); ++length) {
            const offset_t steps = div_up(length, sell_lanes(length, most_steps));
            of_length_[static_cast<std::size_t>(length)] = static_cast<std::uint8_t>(div_up(steps, flight));
        }
        of_length_.back() = kInPieces;
    }
    [[nodiscard]] int of(offset_t length) const {
        return of_length_[static_cast<std::size_t>(std::min(length, std::ssize(of_length_) - 1))];
    }
    static constexpr std::uint8_t kInPieces = 255;

private:
    std::vector<std::uint8_t> of_length_;  // 0 of an empty row, which is in no slice
};

/// Calls f(columns) for rows of a block of slices of at most so many steps: a row and those of as many rounds that
/// follow it.
template <class F>
void for_each_row_of_block(const PatternView& a, index_t row, int most_steps, const SliceRounds& rounds, F&& f) {
    const offset_t* const ptrs = a.row_ptrs.data();
    const int of_block = rounds.of(length_of(a, row));
    const bool in_pieces = of_block == SliceRounds::kInPieces;
    const index_t end = std::min<index_t>(a.rows - row, kNearRows) + row;
    for (offset_t left = kBlockLanes * (in_pieces ? most_steps : 1); row < end && left > 0; ++row) {
        const offset_t length = ptrs[row + 1] - ptrs[row];
        if (rounds.of(length) != of_block) continue;
        const offset_t some = in_pieces ? std::min(length, left) : length;
        f(std::span(a.col_idxs.data() + ptrs[row], static_cast<std::size_t>(some)));
        left -= in_pieces ? length : sell_lanes(length, most_steps);
    }
}

/// The blocks of slices of the sample.
struct SliceSample {
    SliceSample(const PatternView& a, const MatrixFeatures& f)
        : steps(sell_steps_of(f)), rounds(steps, sell_flight(f.value_bytes, sell_code_bytes(f.cols))) {
        const offset_t of_block = kBlockLanes * std::clamp<offset_t>(a.nnz() / a.rows, 1, steps);
        size = std::clamp(sampled_nonzeros(a.nnz()) / of_block, kLeastSliceBlocks, kMostSliceBlocks);
    }
    template <class F>
    void for_each_row(const PatternView& a, offset_t i, F&& f) const {
        for_each_row_of_block(a, row_of(a, spread(i, size, a.nnz())), steps, rounds, f);
    }

    int steps;
    SliceRounds rounds;
    offset_t size = 0;  ///< blocks
};

struct SliceCount {
    offset_t nonzeros = 0;
    offset_t sectors = 0;
};

/// A row block, or the pieces of a long row.
struct RowBlock {
    offset_t count = 0;
    index_t end = 0;  ///< row
};
RowBlock row_block_at(const PatternView& a, index_t first, const RowBlockLimits& limits) {
    const offset_t length = length_of(a, first);
    if (length > limits.block_nonzeros) {
        return {length <= limits.whole_row ? 1 : div_up(length, offset_t{limits.piece_nonzeros}), first + 1};
    }
    const auto most_rows = std::min<index_t>(a.rows - first, RowBlockTeam::kRows);
    const auto ptrs = a.row_ptrs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(most_rows) + 1);
    const auto behind = std::ranges::upper_bound(ptrs, ptrs.front() + limits.block_nonzeros);
    return {1, first + static_cast<index_t>(behind - ptrs.begin()) - 1};
}

/// Row blocks between two nonzeros, parts of them as such: whatever row blocks begin with, after a few they are those
/// of the matrix.
double row_blocks_between(const PatternView& a, offset_t first, offset_t end, const RowBlockLimits& limits) {
    constexpr int kBefore = 4;
    const index_t near = row_of(a, std::max<offset_t>(first - kBefore * limits.block_nonzeros, 0));
    index_t row = std::max(near, row_of(a, first) - kBefore * RowBlockTeam::kRows);
    double blocks = 0;
    while (row < a.rows && a.row_ptrs[static_cast<std::size_t>(row)] < end) {
        const RowBlock block = row_block_at(a, row, limits);
        const offset_t begin = a.row_ptrs[static_cast<std::size_t>(row)];
        const offset_t size = a.row_ptrs[static_cast<std::size_t>(block.end)] - begin;
        const offset_t shared = std::min(begin + size, end) - std::max(begin, first);
        if (size == 0)
            blocks += begin >= first ? 1 : 0;
        else if (shared > 0)
            blocks += static_cast<double>(block.count * shared) / static_cast<double>(size);
        row = block.end;
    }
    return blocks;
}

}  // namespace

void list_slices(const PatternView& a, const MatrixFeatures& f, ColumnRanges& columns) {
    const SliceSample sample(a, f);
    for (offset_t i = 0; i < sample.size; ++i)
        sample.for_each_row(a, i, [&](std::span<const index_t> row) { columns.push_back(row); });
}

void add_slices(const PatternView& a, MatrixFeatures& f) {
    const SliceSample sample(a, f);
    std::vector<SliceCount> blocks(static_cast<std::size_t>(sample.size));
    parallel_ranges(0, sample.size, 8,
                    [&](std::int64_t first, std::int64_t end) {  // fewer are not worth waking threads
                        SectorCount sectors(a);
                        for (std::int64_t i = first; i < end; ++i) {
                            SliceCount& count = blocks[static_cast<std::size_t>(i)];
                            sectors.start();
                            sample.for_each_row(a, i, [&](std::span<const index_t> row) {
                                count.nonzeros += std::ssize(row);
                                count.sectors += sectors.add(row);
                            });
                        }
                    });
    SliceCount all;
    for (const SliceCount& block : blocks) {
        all.nonzeros += block.nonzeros;
        all.sectors += block.sectors;
    }
    f.slice_sectors = static_cast<double>(all.sectors) / static_cast<double>(all.nonzeros);
}

int sell_steps_of(const MatrixFeatures& f) {
    const auto lanes_of = [&](int steps) { return rounds_of(f.row_rounds, {steps, 1}).lanes; };
    return sell_steps(f.cols, f.nnz, f.value_bytes, lanes_of, measured_gpu(f.value_bytes));
}

void add_row_blocks(const PatternView& a, MatrixFeatures& f) {
    using Team = RowBlockTeam;
    const RowBlockLimits limits = row_block_limits(f.nnz, Team::kThreads, Team::kNonzeros, measured_gpu(f.value_bytes));
    constexpr offset_t kSome = 8;
    const offset_t samples = std::clamp(sampled_nonzeros(f.nnz) / kBlock, offset_t{1}, kRowBlockSamples);
    double blocks = 0;
    offset_t nonzeros = 0;
    for (offset_t i = 0; i < samples; ++i) {
        const offset_t first = spread(i, samples, f.nnz);
        const offset_t end = std::min(first + kSome * limits.block_nonzeros, f.nnz);
        blocks += row_blocks_between(a, first, end, limits);
        nonzeros += end - first;
    }
    f.row_blocks = blocks * static_cast<double>(f.nnz) / static_cast<double>(nonzeros);
}

}  // namespace tilespmv
