#include "kernels/published/cusparse/bsr.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::int64_t kBlockRowGrain = 256;  // block rows a thread takes at a time

template <Value V>
class BsrBuilder {
public:
    BsrBuilder(const CsrMatrix<V>& a, int block_size, BlockOrder order)
        : a_(a), by_row_(order == BlockOrder::row_major) {
        bsr_.block_size = block_size;
        bsr_.block_rows = static_cast<index_t>(div_up(a.rows, block_size));
        bsr_.block_cols = static_cast<index_t>(div_up(a.cols, block_size));
    }

    BsrMatrix<V> run() {
        count_blocks();
        bsr_.col_idxs = Buffer<index_t>(static_cast<std::size_t>(bsr_.row_ptrs[bsr_.block_rows]));
        bsr_.values = Buffer<V>(bsr_.col_idxs.size() * values_of_block());
        parallel_ranges(0, bsr_.block_rows, kBlockRowGrain, [&](std::int64_t first, std::int64_t last) {
            std::vector<index_t> cols;
            for (std::int64_t r = first; r < last; ++r) fill(r, cols);
        });
        return std::move(bsr_);
    }

private:
    [[nodiscard]] std::size_t values_of_block() const {
        return static_cast<std::size_t>(bsr_.block_size) * static_cast<std::size_t>(bsr_.block_size);
    }

    void count_blocks() {
        Buffer<offset_t> counts(static_cast<std::size_t>(bsr_.block_rows));
        parallel_ranges(0, bsr_.block_rows, kBlockRowGrain, [&](std::int64_t first, std::int64_t last) {
            std::vector<index_t> cols;
            for (std::int64_t r = first; r < last; ++r) {
                find_blocks(r, cols);
                counts[r] = static_cast<offset_t>(cols.size());
            }
        });
        offset_t blocks = 0;
        bsr_.row_ptrs = Buffer<std::int32_t>(counts.size() + 1);
        bsr_.row_ptrs[0] = 0;
        for (index_t r = 0; r < bsr_.block_rows; ++r) {
            blocks += counts[r];
            require_32_bits(blocks);
            bsr_.row_ptrs[r + 1] = static_cast<std::int32_t>(blocks);
        }
    }

    void require_32_bits(offset_t blocks) const {
        if (blocks * static_cast<offset_t>(values_of_block()) <= std::numeric_limits<std::int32_t>::max()) return;
        throw Error(fmt::format("BSR with blocks of {} x {} has 2^31 values or more, cuSPARSE counts in 32 bits",
                                bsr_.block_size, bsr_.block_size));
    }

    /// The columns of the blocks in a block row, ascending.
    void find_blocks(std::int64_t block_row, std::vector<index_t>& cols) const {
        cols.clear();
        for (offset_t k = begin(block_row); k < begin(block_row + 1); ++k) {
            const index_t col = a_.col_idxs[k] / bsr_.block_size;
            if (cols.empty() || cols.back() != col) cols.push_back(col);
        }
        std::ranges::sort(cols);
        cols.erase(std::unique(cols.begin(), cols.end()), cols.end());
    }

    void fill(std::int64_t block_row, std::vector<index_t>& cols) {
        find_blocks(block_row, cols);
        const auto first = static_cast<std::size_t>(bsr_.row_ptrs[block_row]);
        std::ranges::copy(cols, bsr_.col_idxs.data() + first);
        V* const values = bsr_.values.data() + first * values_of_block();
        std::fill(values, values + cols.size() * values_of_block(), V{});
        for (std::int64_t row = row_of(block_row); row < row_of(block_row + 1); ++row) {
            auto block = cols.begin();
            for (offset_t k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
                block = std::lower_bound(block, cols.end(), a_.col_idxs[k] / bsr_.block_size);
                const auto at = static_cast<std::size_t>(block - cols.begin()) * values_of_block();
                values[at + place(static_cast<int>(row % bsr_.block_size), a_.col_idxs[k] % bsr_.block_size)] =
                    a_.values[k];
            }
        }
    }

    [[nodiscard]] std::size_t place(int row, int col) const {
        return static_cast<std::size_t>(by_row_ ? row * bsr_.block_size + col : col * bsr_.block_size + row);
    }
    [[nodiscard]] std::int64_t row_of(std::int64_t block_row) const {
        return std::min<std::int64_t>(block_row * bsr_.block_size, a_.rows);
    }
    [[nodiscard]] offset_t begin(std::int64_t block_row) const { return a_.row_ptrs[row_of(block_row)]; }

    const CsrMatrix<V>& a_;
    bool by_row_;
    BsrMatrix<V> bsr_;
};

}  // namespace

template <Value V>
BsrMatrix<V> make_bsr(const CsrMatrix<V>& a, int block_size, BlockOrder order) {
    return BsrBuilder<V>(a, block_size, order).run();
}

#define TILESPMV_INSTANTIATE(V) template BsrMatrix<V> make_bsr(const CsrMatrix<V>&, int, BlockOrder);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
