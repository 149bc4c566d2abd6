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
#include "kernels/cpu/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// sum of values[i] * x[cols[i]]
template <Value V>
HWY_INLINE double row_dot(const V* HWY_RESTRICT values, const index_t* HWY_RESTRICT cols, offset_t n,
                          const V* HWY_RESTRICT x) {
    if (n <= kScalarRow) {
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
        sum = hn::MulAdd(load(values + i), gather_at(x, cols + i), sum);
    }
#if HWY_TARGET > HWY_AVX3  // a masked load of the columns, and one of the values, for three nonzeros at most
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
    offset_t prefetched = p;
    for (offset_t k = rows.begin; k < rows.end; ++k) {
        const offset_t end = std::min(static_cast<offset_t>(row_ptrs[k + 1]), nonzeros.end);
        if (p >= end) continue;
        if (a.x_access.prefetch_distance > 0) {
            const offset_t until = std::min(end + a.x_access.prefetch_distance, nonzeros.end);
            a.prefetch_x(x, prefetched, until);
            prefetched = until;
        }
        sums[a.row(k) - first_row] += row_dot(a.values.data() + p, a.col_idxs.data() + p, end - p, x);
        p = end;
    }
}

/// The same for rows of few nonzeros, whose number cannot be foreseen: the partial products of a block of nonzeros
/// first, then the sums of rows, without a branch on their lengths up to kFew.
template <Value V, class Offset>
void add_short_rows(const CsrRows<V>& a, const Offset* row_ptrs, Span rows, Span nonzeros, index_t first_row,
                    const V* x, double* sums) {
    constexpr offset_t kFew = 3;
    HWY_ALIGN double products[kShortRowBlock + kFew] = {};
    offset_t p = nonzeros.begin;
    for (offset_t k = rows.begin; k < rows.end;) {
        const offset_t base = p;
        const offset_t stop = std::min(base + kShortRowBlock, nonzeros.end);
        const offset_t distance = a.x_access.prefetch_distance;
        a.prefetch_x(x, base + distance, std::min(stop + distance, nonzeros.end));
        for (offset_t i = base; i < stop; ++i) {
            products[i - base] = static_cast<double>(a.values[i]) * static_cast<double>(x[a.col_idxs[i]]);
        }
        for (; k < rows.end; ++k) {
            const offset_t end = std::clamp(static_cast<offset_t>(row_ptrs[k + 1]), p, nonzeros.end);
            const bool is_longer = end > stop;  // than what is left of the block, or even than all of it
            if (is_longer && p > base) break;
            double& sum = sums[a.row(k) - first_row];
            const double* const q = products + (p - base);
            if (is_longer) {
                sum += row_dot(a.values.data() + p, a.col_idxs.data() + p, end - p, x);
            } else if (end - p <= kFew) {
                const double sums_of_few[kFew + 1] = {0, q[0], q[0] + q[1], q[0] + q[1] + q[2]};
                sum += sums_of_few[end - p];
            } else {
                for (const double* product = q; product < products + (end - base); ++product) sum += *product;
            }
            p = end;
            if (is_longer) break;
        }
        k += p > stop;
    }
}

template <Value V, class Offset>
void add_csr_rows(const CsrRows<V>& a, const Offset* row_ptrs, Span rows, Span nonzeros, index_t first_row, const V* x,
                  double* sums) {
    if (a.x_access.has_short_rows) {
        add_short_rows(a, row_ptrs, rows, nonzeros, first_row, x, sums);
    } else {
        add_rows(a, row_ptrs, rows, nonzeros, first_row, x, sums);
    }
}

template <Value V>
void add_csr(const CsrRows<V>& a, Span rows, Span nonzeros, index_t first_row, const V* x, double* sums) {
    std::visit([&](auto row_ptrs) { add_csr_rows(a, row_ptrs.data(), rows, nonzeros, first_row, x, sums); },
               a.row_ptrs);
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
