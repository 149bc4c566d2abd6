// Products of nonzeros in COO. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_COO_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_COO_INL_HPP
#undef TILESPMV_KERNELS_CPU_COO_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_COO_INL_HPP
#endif

#include "kernels/cpu/row_dot-inl.hpp"
#include "kernels/cpu/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

template <Value V>
offset_t sum_coo(const Coo<V>& a, Span nonzeros, const V* x, CooSum* sums) {
    offset_t rows = 0;
    for (offset_t k = nonzeros.begin; k < nonzeros.end;) {
        const index_t row = a.row_idxs[k];
        const offset_t first = k;
        while (k < nonzeros.end && a.row_idxs[k] == row) ++k;
        sums[rows++] = {row, row_dot(a.values.data() + first, a.col_idxs.data() + first, k - first, x)};
    }
    return rows;
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
