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

/// Rows of so few nonzeros are not worth a vector, of which gathers fill most lanes in vain.
inline constexpr offset_t kFewNonzeros = 2;

/// sum of values[i] * x[cols[i]]
template <Value V>
HWY_INLINE double row_dot(const V* HWY_RESTRICT values, const index_t* HWY_RESTRICT cols, offset_t n,
                          const V* HWY_RESTRICT x) {
    if (n <= kFewNonzeros) {
        double sum = 0;
        for (offset_t i = 0; i < n; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(x[cols[i]]);
        return sum;
    }
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

template <Value V, class Offset>
void add_rows(const CsrRows<V>& a, const Offset* row_ptrs, Span rows, Span nonzeros, index_t first_row, const V* x,
              double* sums) {
    offset_t p = nonzeros.begin;
    offset_t asked = p;
    for (offset_t k = rows.begin; k < rows.end; ++k) {
        const offset_t end = std::min(static_cast<offset_t>(row_ptrs[k + 1]), nonzeros.end);
        if (p >= end) continue;
        if (a.x_ahead > 0) {
            const offset_t ask = std::min(end + a.x_ahead, nonzeros.end);
            a.ask_for_x(x, asked, ask);
            asked = ask;
        }
        sums[a.row(k) - first_row] += row_dot(a.values + p, a.col_idxs + p, end - p, x);
        p = end;
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
