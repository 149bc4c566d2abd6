#include "kernels/operators/sell_spmm/piece_slices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "kernels/operators/csr_inode/inodes.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kMostSteps = 1024;
constexpr int kClasses = kMostSteps / kLengthStep + 1;

/// Of the longest pieces 0.
std::size_t class_of(offset_t length) { return static_cast<std::size_t>(kClasses - 1 - div_up(length, kLengthStep)); }

/// Groups of rows that a thread takes at a time, and where their pieces and partial sums go.
struct GroupChunk {
    std::array<std::uint64_t, kClasses> pieces{};  ///< of each class: first how many, then where the next one goes
    std::uint64_t partials = 0;
    std::vector<SplitRow> splits{};
    std::vector<std::uint32_t> split_rows{};
};

class PieceSlicer {
public:
    PieceSlicer(std::span<const offset_t> row_ptrs, int most_steps, const RowGroups& groups)
        : row_ptrs_(row_ptrs),
          first_rows_(groups.first_rows),
          groups_(static_cast<std::int64_t>(first_rows_.empty() ? row_ptrs.size() : first_rows_.size()) - 1),
          most_steps_(most_steps),
          chunk_groups_(std::max(kRowGrain, div_up(groups_, std::int64_t{256}))),
          chunks_(static_cast<std::size_t>(div_up(groups_, chunk_groups_))) {
        slices_.most_rows = groups.most_rows;
    }

    PieceSlices run() {
        for_each_chunk([this](GroupChunk& chunk, std::int64_t first, std::int64_t last) { count(chunk, first, last); });
        reserve();
        for_each_chunk([this](GroupChunk& chunk, std::int64_t first, std::int64_t last) { place(chunk, first, last); });
        append_splits(true);
        slices_.long_splits = slices_.splits.size();
        append_splits(false);
        count_steps();
        return std::move(slices_);
    }

private:
    template <class F>
    void for_each_chunk(F&& f) {
        parallel_for(0, static_cast<std::int64_t>(chunks_.size()), 1, [&](std::int64_t i) {
            f(chunks_[static_cast<std::size_t>(i)], i * chunk_groups_, std::min((i + 1) * chunk_groups_, groups_));
        });
    }
    [[nodiscard]] std::int64_t first_row(std::int64_t group) const {
        return first_rows_.empty() ? group : first_rows_[static_cast<std::size_t>(group)];
    }
    /// Of a row of the group.
    [[nodiscard]] offset_t length(std::int64_t group) const {
        const auto row = static_cast<std::size_t>(first_row(group));
        return row_ptrs_[row + 1] - row_ptrs_[row];
    }
    /// f(first nonzero, length, pieces of the group) for each piece of a group; empty rows have one.
    template <class F>
    void for_each_piece(std::int64_t group, F&& f) const {
        const offset_t first = row_ptrs_[static_cast<std::size_t>(first_row(group))];
        const offset_t all = length(group);
        const offset_t pieces = std::max<offset_t>(1, div_up(all, most_steps_));
        for (offset_t i = 0; i < pieces; ++i) {
            const offset_t begin = all * i / pieces;
            f(first + begin, all * (i + 1) / pieces - begin, pieces);
        }
    }

    void count(GroupChunk& chunk, std::int64_t first, std::int64_t end) const {
        for (std::int64_t group = first; group < end; ++group) {
            for_each_piece(group, [&](offset_t, offset_t length, offset_t pieces) {
                ++chunk.pieces[class_of(length)];
                chunk.partials += pieces > 1 ? 1u : 0u;
            });
        }
    }

    /// Pieces go by classes, those of a class by chunks; partial sums by chunks.
    void reserve() {
        std::uint64_t pieces = 0;
        for (std::size_t c = 0; c < kClasses; ++c) {
            for (GroupChunk& chunk : chunks_) pieces += std::exchange(chunk.pieces[c], pieces);
        }
        std::uint64_t partials = 0;
        for (GroupChunk& chunk : chunks_) partials += std::exchange(chunk.partials, partials);
        const std::uint64_t sums = partials * static_cast<std::uint64_t>(slices_.most_rows);
        if (std::max(pieces, sums) > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
            throw Error("sell-spmm: the rows make 2^31 pieces or more; give more steps");
        }
        slices_.partial_sums = sums;
        slices_.targets = Buffer<std::int32_t>(pieces);
        slices_.first_nonzeros = Buffer<offset_t>(pieces);
        slices_.lengths = Buffer<std::uint16_t>(pieces);
        if (slices_.most_rows == 1) return;
        slices_.heights = Buffer<std::uint8_t>(pieces);
        slices_.row_lengths = Buffer<std::uint32_t>(pieces);
    }

    void place(GroupChunk& chunk, std::int64_t first_group, std::int64_t end) {
        for (std::int64_t group = first_group; group < end; ++group) {
            const std::uint64_t first_partial = chunk.partials;
            const std::int64_t row = first_row(group);
            const std::int64_t height = first_row(group + 1) - row;
            for_each_piece(group, [&](offset_t first, offset_t length_of_piece, offset_t pieces) {
                const std::uint64_t to = chunk.pieces[class_of(length_of_piece)]++;
                const std::int64_t target = pieces == 1 ? row : -1 - static_cast<std::int64_t>(chunk.partials++);
                slices_.targets[to] = static_cast<std::int32_t>(target);
                slices_.first_nonzeros[to] = first;
                slices_.lengths[to] = static_cast<std::uint16_t>(length_of_piece);
                if (slices_.most_rows == 1) return;
                slices_.heights[to] = static_cast<std::uint8_t>(height);
                slices_.row_lengths[to] = static_cast<std::uint32_t>(length(group));
            });
            if (chunk.partials > first_partial) split(chunk, row, height, first_partial);
        }
    }

    /// The rows of a group whose pieces' partial sums begin at `first`.
    void split(GroupChunk& chunk, std::int64_t first_row, std::int64_t height, std::uint64_t first) const {
        const auto most_rows = static_cast<std::uint64_t>(slices_.most_rows);
        for (std::int64_t r = 0; r < height; ++r) {
            chunk.splits.push_back({static_cast<std::uint32_t>(first * most_rows + static_cast<std::uint64_t>(r)),
                                    static_cast<std::uint32_t>(chunk.partials - first)});
            chunk.split_rows.push_back(static_cast<std::uint32_t>(first_row + r));
        }
    }

    void append_splits(bool are_long) {
        constexpr std::uint32_t kMany = 64;  // partial sums, which more than 8 lanes add faster; not swept
        for (const GroupChunk& chunk : chunks_) {
            for (std::size_t i = 0; i < chunk.splits.size(); ++i) {
                if ((chunk.splits[i].partials > kMany) != are_long) continue;
                slices_.splits.push_back(chunk.splits[i]);
                slices_.split_rows.push_back(chunk.split_rows[i]);
            }
        }
    }

    /// Each slice has as many as its longest piece.
    void count_steps() {
        const auto& lengths = slices_.lengths;
        slices_.first_steps = {0};
        for (std::size_t first = 0; first < lengths.size(); first += kSlicePieces) {
            const std::size_t last = std::min(first + kSlicePieces, lengths.size());
            const auto longest = *std::max_element(lengths.data() + first, lengths.data() + last);
            slices_.first_steps.push_back(slices_.first_steps.back() + longest);
        }
    }

    std::span<const offset_t> row_ptrs_;
    std::span<const index_t> first_rows_;
    std::int64_t groups_;
    int most_steps_;
    std::int64_t chunk_groups_;
    std::vector<GroupChunk> chunks_;
    PieceSlices slices_;
};

/// Rows of a group for which columns, values and rows of X are fewest bytes; 1 unless they are a fifth fewer.
int least_traffic(std::span<const offset_t> row_ptrs, const std::vector<std::uint8_t>& alike, std::size_t value_bytes) {
    constexpr int kColumns = 16;  // of X, to compare by
    const auto bytes_of = [&](int most_rows) {
        std::size_t steps = 0;
        for_each_inode(alike, most_rows, [&](index_t row) {
            steps += static_cast<std::size_t>(row_ptrs[static_cast<std::size_t>(row) + 1] -
                                              row_ptrs[static_cast<std::size_t>(row)]);
        });
        return steps * (sizeof(index_t) + value_bytes * static_cast<std::size_t>(most_rows + kColumns));
    };
    if (std::count(alike.begin(), alike.end(), 1) * 4 < std::ssize(alike)) return 1;
    int best = 1;
    std::size_t least = bytes_of(1) * 4 / 5;
    for (const int rows : {2, 3, 5}) {
        const std::size_t bytes = bytes_of(rows);
        if (bytes < least) {
            best = rows;
            least = bytes;
        }
    }
    return best;
}

}  // namespace

RowGroups group_rows(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs, std::size_t value_bytes,
                     int most_rows) {
    if (most_rows == 1 || (most_rows == 0 && row_ptrs.back() < kFewestToGroup)) return {};
    const auto alike = rows_alike(row_ptrs, col_idxs);
    if (most_rows == 0) most_rows = least_traffic(row_ptrs, alike, value_bytes);
    if (most_rows == 1) return {};
    RowGroups groups{most_rows};
    for_each_inode(alike, most_rows, [&](index_t row) { groups.first_rows.push_back(row); });
    groups.first_rows.push_back(static_cast<index_t>(alike.size()));
    return groups;
}

offset_t shared_nonzeros(std::span<const offset_t> row_ptrs, const RowGroups& groups) {
    if (groups.most_rows == 1) return 0;
    offset_t loaded = 0;
    for (std::size_t i = 0; i + 1 < groups.first_rows.size(); ++i) {
        const auto row = static_cast<std::size_t>(groups.first_rows[i]);
        loaded += row_ptrs[row + 1] - row_ptrs[row];
    }
    return row_ptrs.back() - loaded;
}

PieceSlices slice_pieces(std::span<const offset_t> row_ptrs, int most_steps, const RowGroups& groups) {
    return PieceSlicer(row_ptrs, most_steps, groups).run();
}

int piece_steps(offset_t nonzeros, index_t rows) {
    constexpr std::uint64_t kPieces = 65536;
    const auto all = static_cast<std::uint64_t>(nonzeros);
    const std::uint64_t twice_the_mean = 2 * all / static_cast<std::uint64_t>(std::max(rows, index_t{1}));
    return static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(std::max(all / kPieces, twice_the_mean)), 32, 256));
}

bool is_scattered(const PieceSlices& slices, std::span<const index_t> col_idxs, std::size_t value_bytes) {
    constexpr std::size_t kSamples = 1024;
    constexpr std::size_t kMostLines = 8;
    const std::size_t pieces = slices.lengths.size();
    const std::size_t stride = kSlicePieces * (pieces / (kSamples * kSlicePieces) + 1);
    std::size_t steps = 0;
    std::size_t lines = 0;
    for (std::size_t first = 0; first < pieces; first += stride) {
        const std::size_t step = slices.lengths[first] / 2;
        std::set<std::size_t> of_step;
        for (std::size_t i = first; i < std::min(first + kSlicePieces, pieces); ++i) {
            if (step >= slices.lengths[i]) continue;
            const auto col = col_idxs[static_cast<std::size_t>(slices.first_nonzeros[i]) + step];
            of_step.insert(static_cast<std::size_t>(col) * value_bytes / 128);
        }
        lines += of_step.size();
        ++steps;
    }
    return lines > kMostLines * steps;
}

bool are_rows_apart(const PieceSlices& slices) {
    std::int64_t apart = 0;
    for (std::size_t i = 1; i < slices.targets.size(); ++i) {
        const int height = slices.most_rows == 1 ? 1 : slices.heights[i - 1];
        const bool is_row = slices.targets[i] >= 0;
        apart += is_row && slices.targets[i] != slices.targets[i - 1] + height ? 1 : 0;
    }
    return apart * 4 > slices.pieces();
}

}  // namespace tilespmv::cuda
