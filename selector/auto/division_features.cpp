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

/// Row pointers among which the end of the row of a nonzero is.
std::span<const offset_t> row_ptrs_near(const PatternView& a, offset_t nonzero) {
    if (a.spread_row_ptrs.empty()) return a.row_ptrs;
    const auto behind = std::ranges::upper_bound(a.spread_row_ptrs, nonzero) - a.spread_row_ptrs.begin();
    return row_ptrs_of(a, (behind - 1) * kRowPtrStep, behind * kRowPtrStep);
}
index_t row_of(const PatternView& a, offset_t nonzero) {
    const auto near = row_ptrs_near(a, nonzero);
    const auto* const behind = std::upper_bound(near.data(), near.data() + near.size(), nonzero);
    return static_cast<index_t>(behind - a.row_ptrs.data()) - 1;
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
    [[nodiscard]] offset_t nonzero(const PatternView& a, offset_t i) const { return spread(i, size, a.nnz()); }
    template <class F>
    void for_each_row(const PatternView& a, offset_t i, F&& f) const {
        for_each_row_of_block(a, row_of(a, nonzero(a, i)), steps, rounds, f);
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

/// Nonzeros between which row blocks are counted.
struct RowBlockSample {
    explicit RowBlockSample(const PatternView& a)
        : limits(row_block_limits(a.nnz(), RowBlockTeam::kThreads, RowBlockTeam::kNonzeros,
                                  measured_gpu(a.sizes().value))),
          size(std::clamp(sampled_nonzeros(a.nnz()) / kBlock, offset_t{1}, kRowBlockSamples)) {}
    [[nodiscard]] offset_t first(const PatternView& a, offset_t i) const { return spread(i, size, a.nnz()); }
    [[nodiscard]] offset_t end(const PatternView& a, offset_t i) const {
        constexpr offset_t kSome = 8;
        return std::min(first(a, i) + kSome * limits.block_nonzeros, a.nnz());
    }

    RowBlockLimits limits;
    offset_t size = 0;
};
constexpr int kBlocksBefore = 4;  ///< whatever row blocks begin with, after so many they are those of the matrix

/// Row blocks between two nonzeros, parts of them as such.
double row_blocks_between(const PatternView& a, offset_t first, offset_t end, const RowBlockLimits& limits) {
    const index_t near = row_of(a, std::max<offset_t>(first - kBlocksBefore * limits.block_nonzeros, 0));
    index_t row = std::max(near, row_of(a, first) - kBlocksBefore * RowBlockTeam::kRows);
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

void list_slice_rows(const PatternView& a, const MatrixFeatures& f, RowPtrRanges& ptrs) {
    const SliceSample sample(a, f);
    for (offset_t i = 0; i < sample.size; ++i) {
        const auto near = row_ptrs_near(a, sample.nonzero(a, i));
        const offset_t first = near.data() - a.row_ptrs.data();
        ptrs.push_back(row_ptrs_of(a, first, first + std::ssize(near) + kNearRows));
    }
}

void list_row_block_rows(const PatternView& a, RowPtrRanges& ptrs) {
    const RowBlockSample sample(a);
    for (offset_t i = 0; i < sample.size; ++i) {
        const offset_t first = sample.first(a, i);
        const offset_t before = std::max<offset_t>(first - kBlocksBefore * sample.limits.block_nonzeros, 0);
        const auto near = row_ptrs_near(a, before);
        const auto at = row_ptrs_near(a, first);
        const auto behind = row_ptrs_near(a, sample.end(a, i));
        ptrs.push_back(near);
        ptrs.push_back(at);
        const auto number = [&](std::span<const offset_t> some) { return offset_t{some.data() - a.row_ptrs.data()}; };
        const offset_t from = std::max(number(near), number(at) - kBlocksBefore * RowBlockTeam::kRows);
        ptrs.push_back(row_ptrs_of(a, from, number(behind) + std::ssize(behind) + RowBlockTeam::kRows));
    }
}

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
    const RowBlockSample sample(a);
    double blocks = 0;
    offset_t nonzeros = 0;
    for (offset_t i = 0; i < sample.size; ++i) {
        const offset_t first = sample.first(a, i);
        const offset_t end = sample.end(a, i);
        blocks += row_blocks_between(a, first, end, sample.limits);
        nonzeros += end - first;
    }
    f.row_blocks = blocks * static_cast<double>(f.nnz) / static_cast<double>(nonzeros);
}

}  // namespace tilespmv
