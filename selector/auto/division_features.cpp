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
            const offset_t steps = div_up(length, cuda::sell_lanes(length, most_steps));
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

struct SliceCount {
    offset_t nonzeros = 0;
    offset_t sectors = 0;
};
/// Of a block of slices of at most so many steps: of a row and those of as many rounds that follow it.
SliceCount count_slices(const PatternView& a, index_t row, int most_steps, const SliceRounds& rounds,
                        SectorCount& sectors) {
    const offset_t* const ptrs = a.row_ptrs.data();
    const int of_block = rounds.of(length_of(a, row));
    const bool in_pieces = of_block == SliceRounds::kInPieces;
    const index_t end = std::min<index_t>(a.rows - row, kNearRows) + row;
    SliceCount count;
    sectors.start();
    for (offset_t left = kBlockLanes * (in_pieces ? most_steps : 1); row < end && left > 0; ++row) {
        const offset_t length = ptrs[row + 1] - ptrs[row];
        if (rounds.of(length) != of_block) continue;
        const offset_t some = in_pieces ? std::min(length, left) : length;
        count.nonzeros += some;
        count.sectors += sectors.add({a.col_idxs.data() + ptrs[row], static_cast<std::size_t>(some)});
        left -= in_pieces ? length : cuda::sell_lanes(length, most_steps);
    }
    return count;
}

/// A row block, or the pieces of a long row.
struct RowBlock {
    offset_t count = 0;
    index_t end = 0;  ///< row
};
RowBlock row_block_at(const PatternView& a, index_t first, const cuda::RowBlockLimits& limits) {
    const offset_t length = length_of(a, first);
    if (length > limits.block_nonzeros) {
        return {length <= limits.whole_row ? 1 : div_up(length, offset_t{limits.piece_nonzeros}), first + 1};
    }
    const auto most_rows = std::min<index_t>(a.rows - first, cuda::RowBlockTeam::kRows);
    const auto ptrs = a.row_ptrs.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(most_rows) + 1);
    const auto behind = std::ranges::upper_bound(ptrs, ptrs.front() + limits.block_nonzeros);
    return {1, first + static_cast<index_t>(behind - ptrs.begin()) - 1};
}

/// Row blocks between two nonzeros, parts of them as such: whatever row blocks begin with, after a few they are those
/// of the matrix.
double row_blocks_between(const PatternView& a, offset_t first, offset_t end, const cuda::RowBlockLimits& limits) {
    constexpr int kBefore = 4;
    const index_t near = row_of(a, std::max<offset_t>(first - kBefore * limits.block_nonzeros, 0));
    index_t row = std::max(near, row_of(a, first) - kBefore * cuda::RowBlockTeam::kRows);
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

void add_slices(const PatternView& a, MatrixFeatures& f) {
    const int steps = sell_steps_of(f);
    const offset_t of_block = kBlockLanes * std::clamp<offset_t>(f.nnz / f.rows, 1, steps);
    const offset_t samples = std::clamp(sampled_nonzeros(f.nnz) / of_block, kLeastSliceBlocks, kMostSliceBlocks);
    const SliceRounds rounds(steps, cuda::sell_flight(f.value_bytes, cuda::sell_code_bytes(f.cols)));
    std::vector<SliceCount> blocks(static_cast<std::size_t>(samples));
    parallel_ranges(0, samples, 8, [&](std::int64_t first, std::int64_t end) {  // fewer are not worth waking threads
        SectorCount sectors(a);
        for (std::int64_t i = first; i < end; ++i)
            blocks[static_cast<std::size_t>(i)] =
                count_slices(a, row_of(a, spread(i, samples, f.nnz)), steps, rounds, sectors);
    });
    SliceCount all;
    for (const SliceCount& block : blocks) {
        all.nonzeros += block.nonzeros;
        all.sectors += block.sectors;
    }
    f.slice_sectors = static_cast<double>(all.sectors) / static_cast<double>(all.nonzeros);
}

int sell_steps_of(const MatrixFeatures& f) {
    const auto lanes_of = [&](int steps) { return cuda::rounds_of(f.row_rounds, {steps, 1}).lanes; };
    return cuda::sell_steps(f.cols, f.nnz, f.value_bytes, lanes_of, cuda::measured_gpu(f.value_bytes));
}

void add_row_blocks(const PatternView& a, MatrixFeatures& f) {
    using Team = cuda::RowBlockTeam;
    const cuda::RowBlockLimits limits =
        cuda::row_block_limits(f.nnz, Team::kThreads, Team::kNonzeros, cuda::measured_gpu(f.value_bytes));
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
