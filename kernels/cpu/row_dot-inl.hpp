// Products of CSR rows. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP
#undef TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP
#endif

#include <algorithm>

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/schedule.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// sum of values[i] * x[cols[i]]
template <Value V>
HWY_INLINE double row_dot(const V* HWY_RESTRICT values, const index_t* HWY_RESTRICT cols, offset_t n,
                          const V* HWY_RESTRICT x) {
    const D d;
    auto sum = hn::Zero(d);
    offset_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        prefetch_stream(values + i);
        prefetch_stream(cols + i);
        sum = hn::MulAdd(load(values + i), gather(x, load_columns(cols + i)), sum);
    }
#if HWY_MEM_OPS_MIGHT_FAULT  // no masked loads
    double rest = 0;
    for (; i < n; ++i) rest += static_cast<double>(values[i]) * static_cast<double>(x[cols[i]]);
    return rest + hn::GetLane(hn::SumOfLanes(d, sum));
#else
    if (i < n) {
        prefetch_stream(values + i);
        prefetch_stream(cols + i);
        const auto mask = hn::FirstN(d, static_cast<size_t>(n - i));
        const auto x_i = hn::IfThenElseZero(mask, gather(x, load_columns_first(cols + i, n - i)));
        sum = hn::MulAdd(load_first(values + i, n - i), x_i, sum);
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
#endif
}

/// Writes values[i] * x[cols[i]] to products[i], for i below n.
template <Value V>
HWY_INLINE void multiply(const V* HWY_RESTRICT values, const index_t* HWY_RESTRICT cols, int n, const V* HWY_RESTRICT x,
                         double* HWY_RESTRICT products) {
    const D d;
    int i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        prefetch_stream(values + i);
        prefetch_stream(cols + i);
        hn::StoreU(load(values + i) * gather(x, load_columns(cols + i)), d, products + i);
    }
#if HWY_MEM_OPS_MIGHT_FAULT  // no masked loads
    for (; i < n; ++i) products[i] = static_cast<double>(values[i]) * static_cast<double>(x[cols[i]]);
#else
    if (i == n) return;
    const auto left = static_cast<std::size_t>(n - i);
    hn::StoreU(load_first(values + i, left) * gather(x, load_columns_first(cols + i, left)), d, products + i);
#endif
}

/// A group of 16 rows with few nonzeros: products are computed by vectors across the ends of the rows, and each is then
/// added to its row. A loop of its own for every row would cost more than the two or three nonzeros in it.
class ShortRows {
public:
    static constexpr int kRows = kTileSize;
    static constexpr int kMaxNonzeros = 3 * kRows;
    static constexpr offset_t kAhead = 64;  ///< nonzeros before it is needed, x is asked for

    /// Rows k to k + kRows, whose pointers stand at `ptrs`; `sums` is that of `first_row`. Nonzeros from `last` on
    /// belong to others.
    template <Value V, class Offset>
    HWY_INLINE void add(const CsrRows<V>& a, const Offset* ptrs, offset_t k, offset_t last, index_t first_row,
                        const V* x, double* sums) {
        const Offset begin = ptrs[0];
        const int n = static_cast<int>(ptrs[kRows] - begin);
        multiply(a.values + begin, a.col_idxs + begin, n, x, products_);
        const offset_t ahead = std::min(static_cast<offset_t>(begin) + kAhead, last - n);
        for (int i = 0; i < n; ++i) __builtin_prefetch(x + a.col_idxs[ahead + i], 0, 3);
        // Every row writes its number at least 16 times; the next row overwrites what is not its own.
        for (int r = 0; r < kRows; ++r) {
            const auto row = static_cast<std::uint16_t>(a.row(k + r) - first_row);
            const int end = static_cast<int>(ptrs[r + 1] - begin);
            int i = static_cast<int>(ptrs[r] - begin);
            do {
                std::fill_n(rows_ + i, kTileSize, row);
                i += kTileSize;
            } while (i < end);
        }
        for (int i = 0; i < n; ++i) sums[rows_[i]] += products_[i];
    }

private:
    HWY_ALIGN double products_[kMaxNonzeros + kLanes];
    HWY_ALIGN std::uint16_t rows_[kMaxNonzeros + kTileSize];
};
static_assert(Schedule::kMaxRows <= 1 << 16);

template <Value V, class Offset>
void add_rows(const CsrRows<V>& a, const Offset* row_ptrs, Span rows, Span nonzeros, index_t first_row, const V* x,
              double* sums) {
    ShortRows short_rows;
    for (offset_t k = rows.begin; k < rows.end;) {
        const auto begin = std::max(static_cast<offset_t>(row_ptrs[k]), nonzeros.begin);
        if (k + ShortRows::kRows <= rows.end) {
            const auto end = static_cast<offset_t>(row_ptrs[k + ShortRows::kRows]);
            if (end - begin <= ShortRows::kMaxNonzeros && row_ptrs[k] >= nonzeros.begin && end <= nonzeros.end) {
                short_rows.add(a, row_ptrs + k, k, nonzeros.end, first_row, x, sums);
                k += ShortRows::kRows;
                continue;
            }
        }
        const offset_t end = std::min(static_cast<offset_t>(row_ptrs[k + 1]), nonzeros.end);
        if (begin < end) sums[a.row(k) - first_row] += row_dot(a.values + begin, a.col_idxs + begin, end - begin, x);
        ++k;
    }
}

template <Value V>
void add_csr(const CsrRows<V>& a, Span rows, Span nonzeros, index_t first_row, const V* x, double* sums) {
    if (a.row_ptrs32) {
        add_rows(a, a.row_ptrs32, rows, nonzeros, first_row, x, sums);
    } else {
        add_rows(a, a.row_ptrs64, rows, nonzeros, first_row, x, sums);
    }
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
