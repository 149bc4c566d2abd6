// Products of the tiles of one tile row, vectorised per format. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP
#undef TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_TILE_ROW_INL_HPP
#endif

#include "formats/list.hpp"
#include "kernels/cpu/column_sums-inl.hpp"
#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/row_sums-inl.hpp"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// Partial products of single nonzeros: computed by vectors, collected, and added when they are many, because a long
/// loop of additions is predicted better than a short one per tile.
template <Value V>
class SingleSums {
    static constexpr int kWays = kSumsPerRow;  // neighbours often are of the same row

public:
    struct Scratch {
        static constexpr int kEnough = kPendingSingles;
        HWY_ALIGN double products[kEnough + TileEntry::kMaxValues + kTileSize];
        HWY_ALIGN std::uint8_t rows[kEnough + TileEntry::kMaxValues + kTileSize];
        HWY_ALIGN double sums[kWays][kTileSize];
    };
    HWY_INLINE explicit SingleSums(Scratch& scratch) : scratch_(scratch) {}

    HWY_INLINE void add(const V* values, const std::uint8_t* index, int nnz, const V* tile_x) {
        const XTile<V> x(tile_x);
        const Bytes bytes;
        prefetch_stream(index);
        double* products = scratch_.products + size_;
        std::uint8_t* rows = scratch_.rows + size_;
        for (int k = 0; k < nnz; k += kTileSize) {  // what is past nnz is overwritten or ignored
            prefetch_stream(values + k);
            if (sizeof(V) * kTileSize > 64) prefetch_stream(values + k + kTileSize / 2);
            const int end = kLanes == 8 ? k + kTileSize : std::min(k + kTileSize, nnz);  // two vectors: no branch
            for (int i = k; i < end; i += kLanes) {
                hn::StoreU(load(values + i) * x.lookup_bytes(index + i), D(), products + i);
            }
            for (int i = k; i < k + kTileSize; i += static_cast<int>(hn::MaxLanes(bytes))) {
                hn::StoreU(hn::ShiftRight<4>(hn::LoadU(bytes, index + i)), bytes, rows + i);
            }
        }
        size_ += nnz;
        if (size_ > Scratch::kEnough) add_pending();
    }

    HWY_INLINE void finish(double* sums) {
        if (size_ > 0) add_pending();
        if (!has_sums_) return;
        for (int r = 0; r < kTileSize; r += kLanes) {
            auto total = hn::Load(D(), scratch_.sums[0] + r);
            for (int w = 1; w < kWays; ++w) total = total + hn::Load(D(), scratch_.sums[w] + r);
            add_to(sums + r, total);
        }
    }

private:
    using Bytes = hn::CappedTag<std::uint8_t, kTileSize>;

    HWY_INLINE void clear() {
        has_sums_ = true;
        for (auto& sums : scratch_.sums) {
            for (int r = 0; r < kTileSize; r += kLanes) hn::Store(hn::Zero(D()), D(), sums + r);
        }
    }

    HWY_INLINE void add_pending() {
        if (!has_sums_) clear();
        for (int i = 0; i < kWays; ++i) {
            scratch_.products[size_ + i] = 0;
            scratch_.rows[size_ + i] = 0;
        }
        double* sums = &scratch_.sums[0][0];
        __asm__("" : "+r"(sums));
        for (int i = 0; i < size_; i += kWays) {
            for (int w = 0; w < kWays; ++w) sums[w * kTileSize + scratch_.rows[i + w]] += scratch_.products[i + w];
        }
        size_ = 0;
    }

    Scratch& scratch_;
    bool has_sums_ = false;
    int size_ = 0;
};

/// The sums of a tile row of 16 rows.
template <Value V>
class TileRowSums {
public:
    struct Scratch {
        typename RowSums<V>::Scratch rows;
        typename SingleSums<V>::Scratch singles;
    };

    /// sums: 16 numbers that the partial products are added to.
    HWY_INLINE TileRowSums(double* sums, Scratch& scratch)
        : sums_(sums), rows_(scratch.rows), singles_(scratch.singles) {}

    /// False if the format has no routine here.
    HWY_INLINE bool add(const FullTile<V>& t) { return add_one_of(formats::Formats{}, t); }

    HWY_INLINE void finish() {
        columns_.finish(sums_);
        rows_.finish(sums_);
        singles_.finish(sums_);
    }

private:
    template <formats::Format... F>
    HWY_INLINE bool add_one_of(formats::FormatList<F...>, const FullTile<V>& t) {
        return (add_if<F>(t) || ...);
    }

    template <formats::Format F>
    HWY_INLINE bool add_if(const FullTile<V>& t) {
        constexpr bool has_routine = requires(TileRowSums & row) { row.add_tile(F{}, t); };
        static_assert(has_routine == formats::has_vector_routine<F>,
                      "add_tile and kVectorRoutine of the format differ");
        if constexpr (has_routine) {
            if (t.entry.format() != formats::id_of<F>) return false;
            add_tile(F{}, t);
            return true;
        }
        return false;
    }

    // The routine of each format; one without has no kVectorRoutine.
    HWY_INLINE void add_tile(formats::Dense, const FullTile<V>& t) { columns_.add_dense(t); }
    HWY_INLINE void add_tile(formats::Coo, const FullTile<V>& t) {
        if (formats::Coo::is_diagonal(t.entry)) {
            columns_.add_diagonal(t);
        } else {
            singles_.add(t.values, t.index, t.entry.nnz(), t.x);
        }
    }
    HWY_INLINE void add_tile(formats::Csr, const FullTile<V>& t) { rows_.add_csr(t); }
    HWY_INLINE void add_tile(formats::Ell, const FullTile<V>& t) {
        columns_.add_ell(t, t.entry.nnz() < t.entry.values());
    }
    HWY_INLINE void add_tile(formats::Hyb, const FullTile<V>& t) {
        const int coo = formats::Hyb::coo_nnz(kTileSize, t.entry);
        columns_.add_ell(t, formats::Hyb::has_holes(kTileSize, t.entry));
        singles_.add(t.values + kTileSize * t.entry.parameter(), t.index + t.entry.index_bytes() - coo, coo, t.x);
    }
    HWY_INLINE void add_tile(formats::DenseRow, const FullTile<V>& t) { rows_.add_dense_row(t); }
    HWY_INLINE void add_tile(formats::DenseCol, const FullTile<V>& t) { columns_.add_dense_col(t); }

    double* sums_;
    ColumnSums<V> columns_;
    RowSums<V> rows_;
    SingleSums<V> singles_;
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
