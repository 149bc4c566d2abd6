// Products of column-major blocks: dense, dense_col, ell. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_COLUMN_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_COLUMN_SUMS_INL_HPP
#undef TILESPMV_KERNELS_CPU_COLUMN_SUMS_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_COLUMN_SUMS_INL_HPP
#endif

#include "formats/bits.hpp"
#include "kernels/cpu/full_tile.hpp"
#include "kernels/cpu/lanes-inl.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// The sums of a tile row, a vector lane for each of its 16 rows.
template <Value V>
class ColumnSums {
public:
    HWY_INLINE ColumnSums() {
        for (auto& part : sums_) part = hn::Zero(D());
    }

    HWY_INLINE void add_dense(const FullTile<V>& t) {
        if (t.entry.index_bytes() == 0) {
            for (int c = 0; c < kTileSize; ++c) add_column(t.values + c * kTileSize, Same(t.x[c]));
        } else {
            for (int c = 0; c < kTileSize; ++c) {
                add_column(t.values + c * kTileSize, formats::get_mask(t.index, c), Same(t.x[c]));
            }
        }
    }

    HWY_INLINE void add_dense_col(const FullTile<V>& t) {
        const int full = t.entry.nnz() / kTileSize;
        for (int k = 0; k < full; ++k) {
            add_column(t.values + k * kTileSize, Same(t.x[formats::get_nibble(t.index, k)]));
        }
    }

    /// The block of an ell or hyb tile.
    HWY_INLINE void add_ell(const FullTile<V>& t, bool holes) {
        const int width = t.entry.parameter();
        const XTile<V> x(t.x);
        if (!holes) {
            for (int k = 0; k < width; ++k) add_column(t.values + k * kTileSize, ByColumn(x, t.index, k));
        } else {
            const std::uint8_t* masks = t.index + width * kPackedBytes;
            for (int k = 0; k < width; ++k) {
                add_column(t.values + k * kTileSize, formats::get_mask(masks, k), ByColumn(x, t.index, k));
            }
        }
    }

    /// A coo tile whose nonzeros are next to each other on a diagonal: both values and x are in line, so that loads
    /// which begin earlier by the first row put each nonzero into the lane of its row.
    HWY_INLINE void add_diagonal(const FullTile<V>& t) {
        const int row = t.index[0] >> 4;
        const int col = t.index[0] & 15;
        const unsigned rows = ((1u << t.entry.nnz()) - 1u) << row;
        prefetch_stream(t.index);
        prefetch_values(t.values);
        for (int p = 0; p < kParts; ++p) {
            const int lane = p * kLanes;
            sums_[p] = hn::MulAdd(load_some(rows >> lane, t.values - row + lane),
                                  load_some(rows >> lane, t.x + col - row + lane), sums_[p]);
        }
    }

    HWY_INLINE void finish(double* sums) {
        for (int p = 0; p < kParts; ++p) add_to(sums + p * kLanes, sums_[p]);
    }

private:
    static constexpr int kParts = kTileSize / kLanes;
    static constexpr int kPackedBytes = kTileSize / 2;  // of the packed columns of 16 values

    /// The x that meets a column of values: one number ...
    struct Same {
        HWY_INLINE explicit Same(V value) : x(hn::Set(D(), static_cast<double>(value))) {}
        HWY_INLINE Vec part(int /*p*/) const { return x; }
        Vec x;
    };
    /// ... or one by packed column for every row.
    struct ByColumn {
        HWY_INLINE ByColumn(const XTile<V>& tile, const std::uint8_t* index, int k)
            : x(tile), columns(load_word(index + k * kPackedBytes)) {}
        HWY_INLINE Vec part(int p) const { return x.lookup(columns, p); }
        const XTile<V>& x;
        PackedColumns columns;
    };

    template <class X>
    HWY_INLINE void add_column(const V* values, const X& x) {
        prefetch_values(values);
        for (int p = 0; p < kParts; ++p) sums_[p] = hn::MulAdd(load(values + p * kLanes), x.part(p), sums_[p]);
    }

    template <class X>
    HWY_INLINE void add_column(const V* values, unsigned mask, const X& x) {
        prefetch_values(values);
        const RowMasks rows(mask);
        for (int p = 0; p < kParts; ++p) {
            sums_[p] = mul_add_if(rows.part(p), load(values + p * kLanes), x.part(p), sums_[p]);
        }
    }

    static HWY_INLINE void prefetch_values(const V* values) {
        prefetch_stream(values);
        if (sizeof(V) * kTileSize > 64) prefetch_stream(values + kTileSize / 2);
    }

    Vec sums_[kParts];
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
