#include "kernels/published/csr5/csr5.hpp"

#include <algorithm>
#include <bit>

#include "kernels/operators/coo/coo.hpp"

namespace tilespmv::cuda {
namespace {

class Csr5Maker {
public:
    Csr5Maker(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs, int sigma)
        : row_ptrs_(row_ptrs), size_(kCsr5Lanes * sigma), tiles_(div_up(row_ptrs.back(), size_)) {
        b_.sigma = sigma;
        b_.nonzeros = row_ptrs.back();
        b_.tiles = Buffer<Csr5Tile>(static_cast<std::size_t>(tiles_));
        b_.lanes = Buffer<Csr5Lane>(static_cast<std::size_t>(tiles_ * kCsr5Lanes));
        b_.cols = in_csr5(b_, col_idxs);
    }

    Csr5 run() {
        parallel_for(0, tiles_, 64, [&](std::int64_t t) { describe(t); });
        place_ended_rows();
        parallel_for(0, tiles_, 64, [&](std::int64_t t) { list_ended_rows(t); });
        b_.empty_rows = empty_rows(row_ptrs_);
        return std::move(b_);
    }

private:
    [[nodiscard]] offset_t end_of(std::int64_t row) const { return row_ptrs_[static_cast<std::size_t>(row) + 1]; }
    [[nodiscard]] bool is_empty(std::int64_t row) const {
        return end_of(row) == row_ptrs_[static_cast<std::size_t>(row)];
    }
    [[nodiscard]] Csr5Tile& tile(std::int64_t t) { return b_.tiles[static_cast<std::size_t>(t)]; }

    /// Calls f(row, last nonzero) for the rows that end in tile `t`, which begins in `first_row`.
    template <class F>
    void for_each_ended_row(std::int64_t t, std::int64_t first_row, F&& f) const {
        const std::int64_t end = std::min((t + 1) * size_, b_.nonzeros);
        const auto rows = static_cast<std::int64_t>(row_ptrs_.size()) - 1;
        for (std::int64_t row = first_row; row < rows && end_of(row) <= end; ++row) {
            if (!is_empty(row)) f(row, end_of(row) - 1);
        }
    }

    /// All of a tile but its list of rows, of which `ended` says for now how many there are.
    void describe(std::int64_t t) {
        const offset_t first = t * size_;
        const auto behind = std::ranges::upper_bound(row_ptrs_, first);
        const std::int64_t first_row = behind - row_ptrs_.begin() - 1;
        tile(t).first_row = static_cast<std::uint32_t>(first_row);
        tile(t).back = static_cast<std::uint32_t>(t - row_ptrs_[static_cast<std::size_t>(first_row)] / size_);
        Csr5Lane* const lanes = b_.lanes.data() + t * kCsr5Lanes;
        std::fill_n(lanes, kCsr5Lanes, Csr5Lane{});
        std::int64_t ended = 0;
        bool consecutive = true;
        for_each_ended_row(t, first_row, [&](std::int64_t row, offset_t last) {
            const auto in_tile = static_cast<int>(last - first);
            lanes[in_tile / b_.sigma].bits |= 1u << in_tile % b_.sigma;
            consecutive = row == first_row + ended;  // rows ascend, so that the last one tells
            ++ended;
        });
        std::uint32_t before = 0;
        for (int lane = 0; lane < kCsr5Lanes; ++lane) {
            const auto ends = static_cast<std::uint32_t>(std::popcount(lanes[lane].bits));
            lanes[lane].bits |= before << 16;
            before += ends;
        }
        tile(t).ended = consecutive ? 0 : ended;
    }

    void place_ended_rows() {
        std::int64_t next = 0;
        for (Csr5Tile& tile : b_.tiles) {
            const std::int64_t count = tile.ended;
            tile.ended = count > 0 ? next : -1;
            next += count;
        }
        b_.ended_rows = Buffer<std::uint32_t>(static_cast<std::size_t>(next));
    }

    void list_ended_rows(std::int64_t t) {
        if (tile(t).ended < 0) return;
        auto at = static_cast<std::size_t>(tile(t).ended);
        for_each_ended_row(t, tile(t).first_row,
                           [&](std::int64_t row, offset_t) { b_.ended_rows[at++] = static_cast<std::uint32_t>(row); });
    }

    std::span<const offset_t> row_ptrs_;
    std::int64_t size_;  // of a tile
    std::int64_t tiles_;
    Csr5 b_;
};

}  // namespace

Csr5 make_csr5(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs, int sigma) {
    return Csr5Maker(row_ptrs, col_idxs, sigma).run();
}

}  // namespace tilespmv::cuda
