#include "kernels/cuda/batch.hpp"

#include <algorithm>
#include <limits>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// Threads that add up a row, as a power of 2, so that each has about so many of a mean row's products.
int threads_log2(const BatchItem& item) {
    constexpr int each = 16;
    int log2 = 0;
    while (log2 < 5 && item.nonzeros > item.rows * (each << log2)) ++log2;
    return log2;
}

template <Value V>
class Batcher {
public:
    Batcher(const CsrMatrix<V>& a, const Paths& paths, const BatchLimits& limits)
        : a_(a), paths_(paths), limits_(limits) {}

    Batch run() {
        cut();
        b_.ends = Buffer<std::uint16_t>(ends_);
        parallel_for(0, size(), 16, [&](std::int64_t i) { measure(i); });
        place_codes();
        parallel_for(0, size(), 16, [&](std::int64_t i) { encode(i); });
        return std::move(b_);
    }

private:
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(b_.items.size()); }
    [[nodiscard]] bool is_batched(std::int64_t row) const {
        return paths_[static_cast<std::size_t>(row / kTileSize)] == Path::batch;
    }

    /// Items by their rows and nonzeros, one after the other.
    void cut() {
        for (std::int64_t row = 0; row < a_.rows;) {
            if (!is_batched(row)) {
                row = (row / kTileSize + 1) * kTileSize;
                continue;
            }
            const offset_t length = a_.row_ptrs[row + 1] - a_.row_ptrs[row];
            if (length > limits_.item_nonzeros) {
                add_long_row(row, length);
                ++row;
            } else {
                row = add_rows(row);
            }
        }
    }

    std::int64_t add_rows(std::int64_t first) {
        const std::int64_t limit = std::min<std::int64_t>(first + Batch::kMaxRows, a_.rows);
        std::int64_t end = first;
        while (end < limit && is_batched(end) && a_.row_ptrs[end + 1] - a_.row_ptrs[first] <= limits_.item_nonzeros)
            ++end;
        add_item(first, end - first, a_.row_ptrs[first], a_.row_ptrs[end] - a_.row_ptrs[first]);
        return end;
    }

    void add_long_row(std::int64_t row, offset_t length) {
        const offset_t pieces = div_up(length, limits_.piece_nonzeros);
        const SplitRow split{b_.slots, static_cast<std::uint32_t>(pieces)};
        for (offset_t i = 0; i < pieces; ++i) {
            const offset_t from = length * i / pieces;
            add_item(row, 1, a_.row_ptrs[row] + from, length * (i + 1) / pieces - from);
            b_.items.back().is_piece = true;
            if (pieces == 1) return;
            b_.items.back().slot = static_cast<std::int32_t>(b_.slots++);
            b_.items.back().split = static_cast<std::int32_t>(b_.splits.size());
        }
        b_.splits.push_back(split);
    }

    void add_item(std::int64_t first_row, std::int64_t rows, offset_t first, offset_t nonzeros) {
        BatchItem item;
        item.first_nonzero = b_.nonzeros;
        item.first_end = ends_;
        item.first_row = static_cast<std::uint32_t>(first_row);
        item.nonzeros = static_cast<std::uint16_t>(nonzeros);
        item.rows = static_cast<std::uint16_t>(rows);
        item.threads_log2 = static_cast<std::uint8_t>(threads_log2(item));
        b_.items.push_back(item);
        b_.sources.push_back(first);
        b_.nonzeros += nonzeros;
        ends_ += static_cast<std::uint32_t>(rows);
    }

    /// Ends of the item's rows and the columns it spans.
    void measure(std::int64_t i) {
        BatchItem& item = b_.items[static_cast<std::size_t>(i)];
        const offset_t from = b_.sources[static_cast<std::size_t>(i)];
        for (int r = 0; r < item.rows; ++r) {
            const offset_t end = std::min<offset_t>(a_.row_ptrs[item.first_row + r + 1] - from, item.nonzeros);
            b_.ends[item.first_end + r] = static_cast<std::uint16_t>(end);
        }
        const index_t* cols = a_.col_idxs.data() + from;
        const auto [lowest, highest] = std::minmax_element(cols, cols + item.nonzeros);
        if (item.nonzeros > 0) {
            const index_t base = *lowest / kTileSize * kTileSize;
            item.wide = *highest - base > std::numeric_limits<std::uint16_t>::max();
            item.base_column = item.wide ? 0 : static_cast<std::uint32_t>(base);
        }
    }

    void place_codes() {
        std::int64_t next = 0;
        for (BatchItem& item : b_.items) {
            item.first_code = next;
            next += item.wide ? item.nonzeros * 2 : (item.nonzeros + 1) / 2 * 2;  // wide ones are read as 32 bits
        }
        b_.codes = Buffer<std::uint16_t>(static_cast<std::size_t>(next));
    }

    void encode(std::int64_t i) {
        const BatchItem& item = b_.items[static_cast<std::size_t>(i)];
        const index_t* cols = a_.col_idxs.data() + b_.sources[static_cast<std::size_t>(i)];
        std::uint16_t* codes = b_.codes.data() + item.first_code;
        if (item.wide) {
            std::copy_n(cols, item.nonzeros, reinterpret_cast<index_t*>(codes));
            return;
        }
        for (int k = 0; k < item.nonzeros; ++k) {
            codes[k] = static_cast<std::uint16_t>(static_cast<std::uint32_t>(cols[k]) - item.base_column);
        }
        if (item.nonzeros % 2 != 0) codes[item.nonzeros] = 0;
    }

    const CsrMatrix<V>& a_;
    const Paths& paths_;
    BatchLimits limits_;
    Batch b_;
    std::uint32_t ends_ = 0;
};

}  // namespace

template <Value V>
Batch make_batch(const CsrMatrix<V>& a, const Paths& paths, const BatchLimits& limits) {
    return Batcher<V>(a, paths, limits).run();
}

BatchLimits batch_limits(offset_t nonzeros, int multiprocessors) {
    constexpr offset_t items_each = 16;
    const offset_t share = nonzeros / (items_each * multiprocessors);
    const offset_t item = std::clamp<offset_t>(share, Batch::kThreads * 2, Batch::kMaxNonzeros);
    const offset_t piece = std::clamp<offset_t>(share, item, 4 * Batch::kMaxNonzeros);
    return {static_cast<int>(item), static_cast<int>(piece)};
}

#define TILESPMV_INSTANTIATE(V) template Batch make_batch(const CsrMatrix<V>&, const Paths&, const BatchLimits&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
