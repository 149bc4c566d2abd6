// Products of strips. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_STRIP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_STRIP_INL_HPP
#undef TILESPMV_KERNELS_CPU_STRIP_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_STRIP_INL_HPP
#endif

#include <algorithm>

#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/strip_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// The sums of a strip, a vector lane for each of its 16 rows.
template <Value V>
class StripSums {
public:
    /// row: the first of the strip; x: `cols` numbers.
    HWY_INLINE StripSums(std::int64_t row, const V* x, index_t cols) : row_(row), x_(x), cols_(cols) {
        for (auto& part : sums_) part = hn::Zero(D());
    }

    HWY_INLINE void add(const StripSlot& slot, const V* values) {
        prefetch_stream(values);
        if (sizeof(V) * kTileSize > 64) prefetch_stream(values + kTileSize / 2);
        const std::int64_t base = row_ + slot.base;
#if !HWY_MEM_OPS_MIGHT_FAULT
        if (slot.diagonal != 0) {  // holes are 0 times 0
            for (int p = 0; p < kParts; ++p) {
                const int lane = p * kLanes;
                const auto x = load_some(static_cast<unsigned>(slot.rows) >> lane, x_ + base + lane);
                sums_[p] = hn::MulAdd(load(values + lane), x, sums_[p]);
            }
            return;
        }
#endif
        if (base >= 0 && base + kTileSize <= cols_) {
            add_from(x_ + base, slot, values);
        } else {
            add_at_edge(base, slot, values);
        }
    }

    /// y = alpha * sums + beta * y for the first `rows` rows.
    HWY_INLINE void finish(int rows, double alpha, double beta, V* y) const {
        if (rows == kTileSize) {
            for (int p = 0; p < kParts; ++p) {
                V* at = y + p * kLanes;
                const Vec scaled = hn::Set(D(), alpha) * sums_[p];
                store(beta == 0 ? scaled : hn::MulAdd(hn::Set(D(), beta), load(at), scaled), at);
            }
            return;
        }
        HWY_ALIGN double sums[kTileSize];
        for (int p = 0; p < kParts; ++p) hn::Store(sums_[p], D(), sums + p * kLanes);
        if (beta == 0) {
            for (int r = 0; r < rows; ++r) y[r] = static_cast<V>(alpha * sums[r]);
        } else {
            for (int r = 0; r < rows; ++r) y[r] = static_cast<V>(alpha * sums[r] + beta * static_cast<double>(y[r]));
        }
    }

private:
    static constexpr int kParts = kTileSize / kLanes;

    static HWY_INLINE void store(Vec v, double* y) { hn::StoreU(v, D(), y); }
    static HWY_INLINE void store(Vec v, float* y) { hn::StoreU(hn::DemoteTo(Like<float>(), v), Like<float>(), y); }

    /// x: 16 numbers from the base on.
    HWY_INLINE void add_from(const V* x, const StripSlot& slot, const V* values) {
        const XTile<V> tile(x);
        for (int p = 0; p < kParts; ++p) {
            const auto rows = mask_of(static_cast<unsigned>(slot.rows) >> (p * kLanes));
            sums_[p] = mul_add_if(rows, load(values + p * kLanes), tile.lookup(slot.codes, p), sums_[p]);
        }
    }

    /// Where x does not have all of them.
    HWY_NOINLINE void add_at_edge(std::int64_t base, const StripSlot& slot, const V* values) {
        V x[kTileSize] = {};
        const std::int64_t first = std::max<std::int64_t>(base, 0);
        const std::int64_t end = std::min<std::int64_t>(base + kTileSize, cols_);
        std::copy(x_ + first, x_ + end, x + (first - base));
        add_from(x, slot, values);
    }

    std::int64_t row_;
    const V* x_;
    index_t cols_;
    Vec sums_[kParts];
};

template <Value V>
void multiply_strips(const StripRows<V>& a, Span groups, double alpha, const V* x, double beta, V* y) {
    for (offset_t g = groups.begin; g < groups.end; ++g) {
        const StripGroup& group = a.groups[static_cast<std::size_t>(g)];
        const StripSlot* columns = a.columns.data() + group.first_column;
        const V* values = a.values.data() + std::size_t{group.first_slot} * kTileSize;
        for (std::uint32_t i = 0; i < group.strips; ++i, columns += group.own_columns) {
            const std::int64_t row = std::int64_t{a.tile_rows[group.first_strip + i]} * kTileSize;
            StripSums<V> sums(row, x, a.cols);
            for (std::uint32_t k = 0; k < group.slots; ++k, values += kTileSize) sums.add(columns[k], values);
            sums.finish(static_cast<int>(std::min<std::int64_t>(kTileSize, a.rows - row)), alpha, beta, y + row);
        }
    }
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
