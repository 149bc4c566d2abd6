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
        if (slot.kind == SlotKind::diagonal) {  // holes are 0 times 0
            const V* x = x_ + base;
            const unsigned rows = slot.rows;
            add_parts(values, [x, rows](int p) HWY_ATTR { return load_some(rows >> (p * kLanes), x + p * kLanes); });
            return;
        }
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

    static constexpr unsigned kAllRows = (1U << kTileSize) - 1;

    /// x: 16 numbers from the base on.
    HWY_INLINE void add_from(const V* x, const StripSlot& slot, const V* values) {
#if HWY_TARGET != HWY_SCALAR
        if constexpr (kLanes == 4) {  // others are given none
            if (slot.kind == SlotKind::quads) {
                const std::uint64_t quads = slot.codes;
                return add_rows(slot.rows, values,
                                [x, quads](int p) HWY_ATTR { return quad(x, quads >> (16 * p) & 0xffffU); });
            }
        }
#endif
        const XTile<V> tile(x);
        const PackedColumns columns(slot.codes);
        add_rows(slot.rows, values, [&](int p) HWY_ATTR { return tile.lookup(columns, p); });
    }

    /// x_of(p): the x that the rows of part p meet.
    template <class X>
    HWY_INLINE void add_rows(unsigned rows, const V* values, X&& x_of) {
        if (kLanes < 8 && rows == kAllRows) return add_parts(values, x_of);
        const RowMasks masks(rows);
        for (int p = 0; p < kParts; ++p) {
            sums_[p] = mul_add_if(masks.part(p), load(values + p * kLanes), x_of(p), sums_[p]);
        }
    }
    template <class X>
    HWY_INLINE void add_parts(const V* values, X&& x_of) {
        for (int p = 0; p < kParts; ++p) sums_[p] = hn::MulAdd(load(values + p * kLanes), x_of(p), sums_[p]);
    }

#if HWY_TARGET != HWY_SCALAR
    /// Lane i: x at 2 bits of the low byte, from where the high byte says on.
    static HWY_INLINE Vec quad(const double* x, std::uint64_t code) {
        const hn::Repartition<float, D> halves;  // there is no look-up of whole ones
        const auto at = hn::LoadU(hn::Repartition<std::int32_t, D>(), kQuadNumbers<2>[code & 255U].data());
        const auto x_halves = hn::BitCast(halves, load(x + (code >> 8)));
        return hn::BitCast(D(), hn::TableLookupLanes(x_halves, hn::IndicesFromVec(halves, at)));
    }
    static HWY_INLINE Vec quad(const float* x, std::uint64_t code) {
        const Like<float> d;
        const auto at = hn::LoadU(Like<std::int32_t>(), kQuadNumbers<1>[code & 255U].data());
        return hn::PromoteTo(D(), hn::TableLookupLanes(hn::LoadU(d, x + (code >> 8)), hn::IndicesFromVec(d, at)));
    }
#endif

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
