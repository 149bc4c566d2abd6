#include "kernels/operators/sell_spmm/piece_slices.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kMostSteps = 1024;
constexpr int kClasses = kMostSteps / kLengthStep + 1;

/// Of the longest pieces 0.
std::size_t class_of(offset_t length) { return static_cast<std::size_t>(kClasses - 1 - div_up(length, kLengthStep)); }

/// Rows that a thread takes at a time, and where their pieces and partial sums go.
struct RowChunk {
    std::array<std::uint64_t, kClasses> pieces{};  ///< of each class: first how many, then where the next one goes
    std::uint64_t partials = 0;
    std::vector<SplitRow> splits{};
    std::vector<std::uint32_t> split_rows{};
};

class PieceSlicer {
public:
    PieceSlicer(std::span<const offset_t> row_ptrs, int most_steps)
        : row_ptrs_(row_ptrs),
          rows_(static_cast<std::int64_t>(row_ptrs.size()) - 1),
          most_steps_(most_steps),
          chunk_rows_(std::max(kRowGrain, div_up(rows_, std::int64_t{256}))),
          chunks_(static_cast<std::size_t>(div_up(rows_, chunk_rows_))) {}

    PieceSlices run() {
        for_each_chunk([this](RowChunk& chunk, std::int64_t first, std::int64_t last) { count(chunk, first, last); });
        reserve();
        for_each_chunk([this](RowChunk& chunk, std::int64_t first, std::int64_t last) { place(chunk, first, last); });
        for (const RowChunk& chunk : chunks_) {
            slices_.splits.insert(slices_.splits.end(), chunk.splits.begin(), chunk.splits.end());
            slices_.split_rows.insert(slices_.split_rows.end(), chunk.split_rows.begin(), chunk.split_rows.end());
        }
        count_steps();
        return std::move(slices_);
    }

private:
    template <class F>
    void for_each_chunk(F&& f) {
        parallel_for(0, static_cast<std::int64_t>(chunks_.size()), 1, [&](std::int64_t i) {
            f(chunks_[static_cast<std::size_t>(i)], i * chunk_rows_, std::min((i + 1) * chunk_rows_, rows_));
        });
    }
    /// f(first nonzero, length, pieces of the row) for each piece of a row; an empty row has one.
    template <class F>
    void for_each_piece(std::int64_t row, F&& f) const {
        const offset_t first = row_ptrs_[static_cast<std::size_t>(row)];
        const offset_t length = row_ptrs_[static_cast<std::size_t>(row) + 1] - first;
        const offset_t pieces = std::max<offset_t>(1, div_up(length, most_steps_));
        for (offset_t i = 0; i < pieces; ++i) {
            const offset_t begin = length * i / pieces;
            f(first + begin, length * (i + 1) / pieces - begin, pieces);
        }
    }

    void count(RowChunk& chunk, std::int64_t first_row, std::int64_t end) const {
        for (std::int64_t row = first_row; row < end; ++row) {
            for_each_piece(row, [&](offset_t, offset_t length, offset_t pieces) {
                ++chunk.pieces[class_of(length)];
                chunk.partials += pieces > 1 ? 1u : 0u;
            });
        }
    }

    /// Pieces go by classes, those of a class by chunks; partial sums by chunks.
    void reserve() {
        std::uint64_t pieces = 0;
        for (std::size_t c = 0; c < kClasses; ++c) {
            for (RowChunk& chunk : chunks_) pieces += std::exchange(chunk.pieces[c], pieces);
        }
        if (pieces > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) {
            throw Error("sell-spmm: the rows make 2^31 pieces or more; give more steps");
        }
        std::uint64_t partials = 0;
        for (RowChunk& chunk : chunks_) partials += std::exchange(chunk.partials, partials);
        slices_.targets = Buffer<std::int32_t>(pieces);
        slices_.first_nonzeros = Buffer<offset_t>(pieces);
        slices_.lengths = Buffer<std::uint16_t>(pieces);
    }

    void place(RowChunk& chunk, std::int64_t first_row, std::int64_t end) {
        for (std::int64_t row = first_row; row < end; ++row) {
            const std::uint64_t first_partial = chunk.partials;
            for_each_piece(row, [&](offset_t first, offset_t length, offset_t pieces) {
                const std::uint64_t to = chunk.pieces[class_of(length)]++;
                const std::int64_t target = pieces == 1 ? row : -1 - static_cast<std::int64_t>(chunk.partials++);
                slices_.targets[to] = static_cast<std::int32_t>(target);
                slices_.first_nonzeros[to] = first;
                slices_.lengths[to] = static_cast<std::uint16_t>(length);
            });
            if (chunk.partials == first_partial) continue;
            chunk.splits.push_back({static_cast<std::uint32_t>(first_partial),
                                    static_cast<std::uint32_t>(chunk.partials - first_partial)});
            chunk.split_rows.push_back(static_cast<std::uint32_t>(row));
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
    std::int64_t rows_;
    int most_steps_;
    std::int64_t chunk_rows_;
    std::vector<RowChunk> chunks_;
    PieceSlices slices_;
};

}  // namespace

PieceSlices slice_pieces(std::span<const offset_t> row_ptrs, int most_steps) {
    return PieceSlicer(row_ptrs, most_steps).run();
}

int piece_steps(offset_t nonzeros, index_t rows) {
    constexpr std::uint64_t kPieces = 65536;
    const auto all = static_cast<std::uint64_t>(nonzeros);
    const std::uint64_t twice_the_mean = 2 * all / static_cast<std::uint64_t>(std::max(rows, index_t{1}));
    const std::uint64_t steps = std::bit_ceil(std::max(all / kPieces, twice_the_mean));
    return static_cast<int>(std::clamp<std::uint64_t>(steps, 32, 256));
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

}  // namespace tilespmv::cuda
