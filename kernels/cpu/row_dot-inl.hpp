// Products of CSR rows. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP
#undef TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_ROW_DOT_INL_HPP
#endif

#include <algorithm>
#include <utility>

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/schedule.hpp"
#include "kernels/cpu/tuning.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3
/// The first n values, then zeros; nothing past them is read.
HWY_INLINE Vec load_first(const double* p, std::size_t n) { return hn::MaskedLoad(hn::FirstN(D(), n), D(), p); }
// Half of a masked load of 64 bytes: after one of 32 bytes short rows take an EPYC 5 ns longer each.
HWY_INLINE Vec load_first(const float* p, std::size_t n) {
    const auto mask = static_cast<__mmask16>(_bzhi_u32(~0U, static_cast<unsigned>(n)));
    return Vec{_mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(mask, p)))};
}
HWY_INLINE auto load_columns_first(const index_t* p, std::size_t n) {
    const auto mask = static_cast<__mmask16>(_bzhi_u32(~0U, static_cast<unsigned>(n)));
    return hn::Vec<Like<std::int32_t>>{_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(mask, p))};
}
#endif

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

/// Lane i: the sum of the products of nonzeros i, i + kLanes and so on of a row. Values and columns are read up to
/// whole vectors, behind the row.
template <Value V>
HWY_INLINE Vec row_lanes(const V* HWY_RESTRICT values, const index_t* HWY_RESTRICT cols, offset_t n,
                         const V* HWY_RESTRICT x) {
    const auto last = [&] HWY_ATTR {
        const Mask mask = first_lanes(n);
        return hn::IfThenElseZero(mask, load(values) * gather_some(mask, x, cols));
    };
    if (HWY_LIKELY(n <= kLanes)) return last();
    auto sum = load(values) * gather_at(x, cols);
    for (;;) {
        prefetch_stream(values);
        prefetch_stream(cols);
        n -= kLanes;
        values += kLanes;
        cols += kLanes;
        if (n <= kLanes) return sum + last();
        sum = hn::MulAdd(load(values), gather_at(x, cols), sum);
    }
}

#if HWY_CAP_GE256
/// Whether none of the next kLanes rows has more than n nonzeros.
template <class Offset>
HWY_INLINE bool have_at_most(const Offset* row_ptrs, int n) {
    using Signed = std::make_signed_t<Offset>;
    const Like<Signed> d;
    const auto* ptrs = reinterpret_cast<const Signed*>(row_ptrs);
    return hn::AllFalse(d, hn::Gt(hn::LoadU(d, ptrs + 1) - hn::LoadU(d, ptrs), hn::Set(d, n)));
}
#endif

/// Sums of kLanes rows. Their lengths cannot be foreseen, so there is no branch on them where all rows have at most
/// kLanes / 2 nonzeros, two rows a vector, and none that is often taken where they have at most kLanes, a row each.
template <Value V, class Offset>
HWY_INLINE Vec sums_of_rows(const CsrRows<V>& a, const Offset* row_ptrs, const V* x) {
    const V* const values = a.values.data();
    const index_t* const cols = a.col_idxs.data();
    const auto size = [&](int r) HWY_ATTR { return static_cast<offset_t>(row_ptrs[r + 1] - row_ptrs[r]); };
    prefetch_stream(values + row_ptrs[0]);
    prefetch_stream(cols + row_ptrs[0]);
#if HWY_CAP_GE256
    if (have_at_most(row_ptrs, kLanes / 2)) {
        const auto two_rows = [&](int r, int s) HWY_ATTR {
            const Mask mask = first_of_halves(size(r), size(s));
            const auto x_of_both = gather_halves(mask, x, cols + row_ptrs[r], cols + row_ptrs[s]);
            return hn::IfThenElseZero(mask, load_halves(values + row_ptrs[r], values + row_ptrs[s]) * x_of_both);
        };
        return [&]<int... I>(std::integer_sequence<int, I...>) HWY_ATTR {
            const Vec rows[kLanes / 2] = {two_rows(first_half_row(I), first_half_row(I) + 2)...};
            return half_totals(rows);
        }
        (std::make_integer_sequence<int, kLanes / 2>());
    }
#endif
    const auto row = [&](int r) HWY_ATTR { return row_lanes(values + row_ptrs[r], cols + row_ptrs[r], size(r), x); };
    return [&]<int... R>(std::integer_sequence<int, R...>) HWY_ATTR {
        const Vec rows[kLanes] = {row(R)...};
        return lane_totals(rows);
    }
    (std::make_integer_sequence<int, kLanes>());
}

/// To the sums of the listed rows from k on.
template <Value V>
HWY_INLINE void add_totals(const CsrRows<V>& a, offset_t k, index_t first_row, Vec totals, double* sums) {
    if (a.row_ids.empty()) return add_to(sums + (k - first_row), totals);
    HWY_ALIGN double each[kLanes];
    hn::Store(totals, D(), each);
    for (int r = 0; r < kLanes; ++r) sums[a.row_ids[k + r] - first_row] += each[r];
}

template <Value V, class Offset>
void add_csr_rows(const CsrRows<V>& a, const Offset* row_ptrs, Span rows, Span nonzeros, index_t first_row, const V* x,
                  double* sums) {
    // Of rows that end here at most, whole vectors may be read.
    const offset_t vectors_end = std::min(nonzeros.end, static_cast<offset_t>(a.values.size()) - kLanes);
    offset_t p = nonzeros.begin;
    offset_t prefetched = p;
    const auto prefetch_for = [&](offset_t end) HWY_ATTR {
        if (a.prefetch_distance == 0) return;
        const offset_t until = std::min(end + a.prefetch_distance, nonzeros.end);
        a.prefetch_x(x, prefetched, until);
        prefetched = until;
    };
    for (offset_t k = rows.begin; k < rows.end;) {
        const offset_t next = std::min(k + kLanes, rows.end);
        const auto end = static_cast<offset_t>(row_ptrs[next]);
        if (next == k + kLanes && static_cast<offset_t>(row_ptrs[k]) == p && end <= vectors_end) {
            prefetch_for(end);
            add_totals(a, k, first_row, sums_of_rows(a, row_ptrs + k, x), sums);
            p = end;
            k = next;
            continue;
        }
        for (; k < next; ++k) {
            const offset_t row_end = std::min(static_cast<offset_t>(row_ptrs[k + 1]), nonzeros.end);
            if (p >= row_end) continue;
            prefetch_for(row_end);
            sums[a.row(k) - first_row] += row_dot(a.values.data() + p, a.col_idxs.data() + p, row_end - p, x);
            p = row_end;
        }
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
