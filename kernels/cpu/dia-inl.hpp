// Products of diagonals. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_DIA_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_DIA_INL_HPP
#undef TILESPMV_KERNELS_CPU_DIA_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_DIA_INL_HPP
#endif

#include <algorithm>

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/operators/dia/dia.hpp"
#include "kernels/row_range.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// 8 rows of a group of diagonals: `held` as in `Dia`, `values` and x those of the first row, x on the main diagonal.
template <Value V>
HWY_INLINE void add_dia_rows(std::uint64_t held, const DiaOffsets& offsets, int diagonals, const V* values, const V* x,
                             double* sums) {
    constexpr int kNext = DiaLayout::kRows;  // the place of the next diagonal
    for (int lane = 0; lane < 8; lane += kLanes) {
        Vec sum = hn::LoadU(D(), sums + lane);
        for (int i = 0; i < diagonals; ++i) {  // what is not held is 0 times 0
            const V* at = values + i * kNext + lane;
            prefetch_stream(at);
            const auto x_i = load_some(static_cast<unsigned>(held >> (8 * i + lane)) & 255U, x + offsets.of[i] + lane);
            sum = hn::MulAdd(load(at), x_i, sum);
        }
        hn::StoreU(sum, D(), sums + lane);
    }
}

template <Value V>
void add_dia(const Dia<V>& a, RowRange rows, const V* x, double* sums) {
    for (offset_t g = 0; g < a.groups(); ++g) {
        const auto diagonals = static_cast<int>(std::min<offset_t>(8, a.diagonals - 8 * g));
        for (std::int64_t r = rows.first; r < rows.end; r += 8) {
            const std::uint64_t held = a.held[a.held_at(g, r)];
            if (held == 0) continue;
            add_dia_rows(held, a.offsets[g], diagonals, a.values.data() + a.value_at(8 * g, r), x + r,
                         sums + (r - rows.first));
        }
    }
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
