// Products of rows in ELL. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_ELL_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_ELL_INL_HPP
#undef TILESPMV_KERNELS_CPU_ELL_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_ELL_INL_HPP
#endif

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/operators/ell/ell.hpp"
#include "kernels/row_range.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// kLanes rows from `row` on, a lane each.
template <Value V>
HWY_INLINE void add_ell_lanes(const Ell<V>& a, std::int64_t row, const V* x, double* sums) {
    const auto none = hn::Zero(Like<std::int32_t>());
    Vec sum = hn::LoadU(D(), sums);
    for (offset_t k = 0; k < a.width; ++k) {
        const offset_t at = k * a.rows + row;
        prefetch_stream(a.columns.data() + at);
        prefetch_stream(a.values.data() + at);
        const auto columns = hn::LoadU(Like<std::int32_t>(), a.columns.data() + at);
        const Mask is_held = hn::Ge(hn::PromoteTo(D(), columns), hn::Zero(D()));
        const auto x_k = hn::IfThenElseZero(is_held, gather(x, hn::Max(columns, none)));
        sum = hn::MulAdd(load(a.values.data() + at), x_k, sum);  // padding is 0 times 0
    }
    hn::StoreU(sum, D(), sums);
}

template <Value V>
void add_ell(const Ell<V>& a, RowRange rows, const V* x, double* sums) {
    std::int64_t r = rows.first;
    for (; r + kLanes <= rows.end; r += kLanes) add_ell_lanes(a, r, x, sums + (r - rows.first));
    for (; r < rows.end; ++r) {
        for (offset_t at = r; at < a.width * a.rows && a.columns[at] != Ell<V>::kNone; at += a.rows) {
            sums[r - rows.first] += static_cast<double>(a.values[at]) * static_cast<double>(x[a.columns[at]]);
        }
    }
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
