// Products of row-major tiles: csr, dense_row. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_ROW_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_ROW_SUMS_INL_HPP
#undef TILESPMV_KERNELS_CPU_ROW_SUMS_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_ROW_SUMS_INL_HPP
#endif

#include <utility>

#include "formats/bits.hpp"
#include "kernels/cpu/full_tile.hpp"
#include "kernels/cpu/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// kLanes partial sums for each of the 16 rows of a tile row, in memory.
class PartialSums {
public:
    HWY_INLINE void clear() {
        for (int r = 0; r < kTileSize; ++r) hn::Store(hn::Zero(D()), D(), row(r));
    }
    HWY_INLINE double* row(int r) { return sums_ + r * kLanes; }

private:
    HWY_ALIGN double sums_[kTileSize * kLanes];
};

#if HWY_TARGET <= HWY_AVX3

/// What the rows of a csr tile need, computed for all 16 at once.
class CsrRowTable {
public:
    HWY_INLINE void fill(const std::uint8_t* index, int nnz) {
        const auto starts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(index));
        const auto ends = _mm_insert_epi8(_mm_srli_si128(starts, 1), nnz, kTileSize - 1);
        const auto counts = _mm_sub_epi8(ends, starts);  // modulo 256, as 256 nonzeros need
        const auto one = _mm256_set1_epi16(1);
        const auto masks = _mm256_sub_epi16(_mm256_sllv_epi16(one, _mm256_cvtepu8_epi16(counts)), one);
        _mm256_store_si256(reinterpret_cast<__m256i*>(masks_), masks);
        const auto half = _mm_and_si128(_mm_srli_epi16(starts, 1), _mm_set1_epi8(0x7f));
        const auto odd = _mm_and_si128(_mm_slli_epi16(starts, 7), _mm_set1_epi8(-0x80));
        _mm_store_si128(reinterpret_cast<__m128i*>(offsets_), _mm_or_si128(half, odd));
        has_long_rows_ = _mm_cmpgt_epu8_mask(counts, _mm_set1_epi8(kLanes)) != 0;
        split_columns(index + kTileSize, 0);
        if (nnz > kHalf) split_columns(index + kTileSize, kHalf / 2);
        // Hides where the bytes come from: compilers would take them from the vectors, by slower instructions.
        __asm__("" : "+m"(masks_), "+m"(offsets_));
    }

    /// Bit i: row r has an i-th nonzero.
    [[nodiscard]] HWY_INLINE unsigned mask(int r) const { return masks_[r]; }
    /// The packed columns of row r.
    [[nodiscard]] HWY_INLINE const std::uint8_t* columns(int r) const { return columns_ + offsets_[r]; }
    /// Whether a row has more than kLanes nonzeros.
    [[nodiscard]] bool has_long_rows() const { return has_long_rows_; }

private:
    static constexpr int kHalf = 128;

    /// Two copies of the packed columns, the second one shifted by a column, so that any row starts at a byte.
    HWY_INLINE void split_columns(const std::uint8_t* cols, int i) {
        const auto low = _mm512_set1_epi8(0x0f);
        const auto even = _mm512_loadu_si512(cols + i);
        const auto next = _mm512_loadu_si512(cols + i + 1);
        const auto odd = _mm512_or_si512(_mm512_and_si512(_mm512_srli_epi16(even, 4), low),
                                         _mm512_andnot_si512(low, _mm512_slli_epi16(next, 4)));
        _mm512_store_si512(columns_ + i, even);
        _mm512_store_si512(columns_ + kHalf + i, odd);
    }

    alignas(64) std::uint8_t columns_[2 * kHalf + 16];
    alignas(32) std::uint16_t masks_[kTileSize];
    alignas(16) std::uint8_t offsets_[kTileSize];
    bool has_long_rows_;
};

/// Partial sums of the first kLanes nonzeros of each row of csr tiles, in registers.
template <Value V>
class CsrSums {
public:
    HWY_INLINE CsrSums() {
        for (auto& row : rows_) row = hn::Zero(D());
    }

    HWY_INLINE void add(const FullTile<V>& t, CsrRowTable& table) {
        table.fill(t.index, t.entry.nnz());
        const XTile<V> x(t.x);
        constexpr auto rows = std::make_integer_sequence<int, kTileSize>();
        add_rows<0>(t, table, x, rows);
        if (table.has_long_rows()) add_rows<kLanes>(t, table, x, rows);
    }

    /// The sums of each row.
    HWY_INLINE void finish(double* sums) const {
        add_to(sums, lane_totals(rows_));
        add_to(sums + kLanes, lane_totals(rows_ + kLanes));
    }

private:
    /// Nonzeros kFirst to kFirst + kLanes of every row; without branches, because rows differ.
    template <int kFirst, int... R>
    HWY_INLINE void add_rows(const FullTile<V>& t, const CsrRowTable& table, const XTile<V>& x,
                             std::integer_sequence<int, R...>) {
        ((rows_[R] = mul_add_if(mask_of(table.mask(R) >> kFirst), load(t.values + t.index[R] + kFirst),
                                x.lookup(load_word(table.columns(R) + kFirst / 2)), rows_[R])),
         ...);
    }

    Vec rows_[kTileSize];
};

#endif

/// The sums of a tile row from row-major tiles.
template <Value V>
class RowSums {
public:
    struct Scratch {
        PartialSums partial;
#if HWY_TARGET <= HWY_AVX3
        CsrRowTable table;
#endif
    };
    HWY_INLINE explicit RowSums(Scratch& scratch) : scratch_(scratch) {}

    HWY_INLINE void add_csr(const FullTile<V>& t) {
        // As many prefetches for every tile, rather than a loop of unpredictable length.
        for (int i = 0; i < 8; ++i) prefetch_stream(t.values + t.entry.nnz() * i / 8);
        prefetch_stream(t.index);
#if HWY_TARGET <= HWY_AVX3
        has_csr_ = true;
        csr_.add(t, scratch_.table);
#else
        start_partial();
        const XTile<V> x(t.x);
        const std::uint8_t* cols = t.index + kTileSize;
        for (int r = 0; r < kTileSize; ++r) {
            const int end = r + 1 < kTileSize ? t.index[r + 1] : t.entry.nnz();
            double* row = scratch_.partial.row(r);
            auto sum = hn::Load(D(), row);
            for (int k = t.index[r]; k < end; k += kLanes) {
                const auto x_k = x.lookup(load_word(cols + k / 2) >> (k % 2 * 4));
                sum = mul_add_if(first_lanes(end - k), load(t.values + k), x_k, sum);
            }
            hn::Store(sum, D(), row);
        }
#endif
    }

    HWY_INLINE void add_dense_row(const FullTile<V>& t) {
        start_partial();
        const int full = t.entry.nnz() / kTileSize;
        for (int k = 0; k < full; ++k) {
            const V* values = t.values + k * kTileSize;
            prefetch_stream(values);
            prefetch_stream(values + kTileSize / 2);
            double* row = scratch_.partial.row(formats::get_nibble(t.index, k));
            auto sum = hn::Load(D(), row);
            for (int c = 0; c < kTileSize; c += kLanes) sum = hn::MulAdd(load(values + c), load(t.x + c), sum);
            hn::Store(sum, D(), row);
        }
    }

    HWY_INLINE void finish(double* sums) {
#if HWY_TARGET <= HWY_AVX3
        if (has_csr_) csr_.finish(sums);
#endif
        if (!has_partial_) return;
        for (int r = 0; r < kTileSize; r += kLanes) {
            Vec rows[kLanes];
            for (int i = 0; i < kLanes; ++i) rows[i] = hn::Load(D(), scratch_.partial.row(r + i));
            add_to(sums + r, lane_totals(rows));
        }
    }

private:
    HWY_INLINE void start_partial() {
        if (!has_partial_) scratch_.partial.clear();
        has_partial_ = true;
    }

    Scratch& scratch_;
    bool has_partial_ = false;
#if HWY_TARGET <= HWY_AVX3
    bool has_csr_ = false;
    CsrSums<V> csr_;
#endif
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
