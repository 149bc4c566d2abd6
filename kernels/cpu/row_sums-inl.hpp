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

#if HWY_TARGET != HWY_SCALAR
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
        long_rows_ = _mm_cmpgt_epu8_mask(counts, _mm_set1_epi8(kLanes));
        spread_columns(index + kTileSize, 0);
        spread_columns(index + kTileSize, kStep);
        if (nnz > 2 * kStep) {
            spread_columns(index + kTileSize, 2 * kStep);
            spread_columns(index + kTileSize, 3 * kStep);
        }
        // Hides where the bytes come from: compilers would take them from the vectors, by slower instructions.
        __asm__("" : "+m"(masks_));
    }

    /// Bit i: row r has an i-th nonzero.
    [[nodiscard]] HWY_INLINE unsigned mask(int r) const { return masks_[r]; }
    /// Bytes whose low halves are the columns from nonzero k on.
    [[nodiscard]] HWY_INLINE const std::uint8_t* columns(std::size_t k) const { return columns_ + k; }
    /// Bit r: row r has more than kLanes nonzeros.
    [[nodiscard]] HWY_INLINE unsigned long_rows() const { return long_rows_; }

private:
    static constexpr int kStep = 64;

    /// A byte for each of the packed columns k to k + kStep, its high half undefined.
    HWY_INLINE void spread_columns(const std::uint8_t* cols, int k) {
        const auto pairs = _mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(cols + k / 2)));
        _mm512_store_si512(columns_ + k, _mm512_or_si512(pairs, _mm512_slli_epi16(pairs, 4)));
    }

    alignas(64) std::uint8_t columns_[kTileSize * kTileSize + 16];
    alignas(32) std::uint16_t masks_[kTileSize];
    unsigned long_rows_;
};

/// Partial sums of the first kLanes nonzeros of each row of csr tiles, in registers.
template <Value V>
class CsrSums {
public:
    HWY_INLINE CsrSums() {
        for (auto& row : rows_) row = hn::Zero(D());
    }

    HWY_INLINE void add(FullTile<V> t, CsrRowTable& table) {
        table.fill(t.index, t.entry.nnz());
        const XTile<V> x(t.x);
        add_rows<0, 0>(t, table, x, std::make_integer_sequence<int, kTileSize>());
        if (table.long_rows() == 0) return;
        // Compilers would compute all addresses before the branch and not have the registers to keep them.
        __asm__("" : "+r"(t.index), "+r"(t.values));
        constexpr auto half = std::make_integer_sequence<int, kTileSize / 2>();
        if ((table.long_rows() & 0xffu) != 0) add_rows<kLanes, 0>(t, table, x, half);
        if (table.long_rows() >> 8 != 0) add_rows<kLanes, kTileSize / 2>(t, table, x, half);
    }

    /// The sums of each row.
    HWY_INLINE void finish(double* sums) const {
        add_to(sums, lane_totals(rows_));
        add_to(sums + kLanes, lane_totals(rows_ + kLanes));
    }

private:
    /// Nonzeros kFirst to kFirst + kLanes of the rows kRow + R; without branches, because rows differ.
    template <int kFirst, int kRow, int... R>
    HWY_INLINE void add_rows(const FullTile<V>& t, const CsrRowTable& table, const XTile<V>& x,
                             std::integer_sequence<int, R...>) {
        (add_row(t, table, x, mask_of(table.mask(kRow + R) >> kFirst), t.index[kRow + R] + kFirst, rows_[kRow + R]),
         ...);
    }

    static HWY_INLINE void add_row(const FullTile<V>& t, const CsrRowTable& table, const XTile<V>& x, Mask mask,
                                   std::size_t first, Vec& sum) {
        prefetch_stream(t.values + first);
        sum = mul_add_if(mask, load(t.values + first), x.lookup_bytes(table.columns(first)), sum);
    }

    Vec rows_[kTileSize];
};

#else

/// What the rows of a csr tile need, a byte each.
class CsrRowTable {
public:
    HWY_INLINE void fill(const std::uint8_t* index, int nnz) {
        const Bytes d;
        const auto begins = hn::LoadU(d, index);
        const auto ends = hn::CombineShiftRightBytes<1>(d, hn::Set(d, static_cast<std::uint8_t>(nnz)), begins);
        hn::Store(ends - begins, d, counts_);  // modulo 256, as 256 nonzeros need
        // Lanes without a nonzero have columns, too.
        for (int k = 0; k < nnz + kTileSize; k += 2 * kTileSize) {
            const auto packed = hn::LoadU(d, index + kTileSize + k / 2);
            const auto even = hn::And(packed, hn::Set(d, 15));
            const auto odd = hn::ShiftRight<4>(packed);
            hn::Store(hn::InterleaveLower(d, even, odd), d, columns_ + k);
            hn::Store(hn::InterleaveUpper(d, even, odd), d, columns_ + k + kTileSize);
        }
    }

    [[nodiscard]] HWY_INLINE std::size_t count(int r) const { return counts_[r]; }
    [[nodiscard]] HWY_INLINE const std::uint8_t* columns() const { return columns_; }

private:
    using Bytes = hn::Full128<std::uint8_t>;

    HWY_ALIGN std::uint8_t columns_[kTileSize * kTileSize + 3 * kTileSize];
    HWY_ALIGN std::uint8_t counts_[kTileSize];
};

/// The sums of rows of csr tiles, two nonzeros at a time: rows are short, and x comes by a load for each in any case.
template <Value V>
class CsrSums {
public:
    HWY_INLINE CsrSums() {
        for (double& sum : sums_) sum = 0;
    }

    HWY_INLINE void add(const FullTile<V>& t, CsrRowTable& table) {
        table.fill(t.index, t.entry.nnz());
        for (int k = 0; k < t.entry.nnz(); k += static_cast<int>(64 / sizeof(V))) prefetch_stream(t.values + k);
        const Pair d;
        const V* values = t.values;
        const std::uint8_t* columns = table.columns();
        const auto next = [&](int r) HWY_ATTR {
            const auto sum = row(values, columns, t.x, table.count(r));
            values += table.count(r);
            columns += table.count(r);
            return sum;
        };
        for (int r = 0; r < kTileSize; r += 2) {
            const auto one = next(r);
            const auto other = next(r + 1);
            const auto both = hn::InterleaveLower(d, one, other) + hn::InterleaveUpper(d, one, other);
            hn::Store(hn::Load(d, sums_ + r) + both, d, sums_ + r);
        }
    }

    HWY_INLINE void finish(double* sums) const {
        for (int r = 0; r < kTileSize; r += kLanes) add_to(sums + r, hn::Load(D(), sums_ + r));
    }

private:
    using Pair = hn::Full128<double>;

    static constexpr std::size_t kFew = 4;  ///< of a row, up to which there is no branch, which would be mispredicted

    static HWY_INLINE hn::Vec<Pair> row(const V* values, const std::uint8_t* columns, const V* x, std::size_t count) {
        const auto* const kept = reinterpret_cast<const double*>(kKept) + kTileSize - count;
        auto sum = products(values, columns, x, kept);
        for (std::size_t k = 2; k < kFew; k += 2) sum = sum + products(values + k, columns + k, x, kept + k);
        for (std::size_t k = kFew; k < count; k += 2) sum = sum + products(values + k, columns + k, x, kept + k);
        return sum;
    }

    /// Of two nonzeros, zeros in place of those that are not kept.
    static HWY_INLINE hn::Vec<Pair> products(const V* values, const std::uint8_t* columns, const V* x,
                                             const double* kept) {
        const auto x_k = two_elements(
            Pair(), x, [columns](int i) HWY_ATTR { return std::size_t{columns[i]}; }, 0);
        return hn::And(hn::LoadU(Pair(), kept), load_two(values) * x_k);
    }

    static HWY_INLINE hn::Vec<Pair> load_two(const double* p) { return hn::LoadU(Pair(), p); }
    static HWY_INLINE hn::Vec<Pair> load_two(const float* p) {
        return hn::PromoteTo(Pair(), hn::LoadU(hn::Rebind<float, Pair>(), p));
    }

    /// From kTileSize - n on: n lanes that are kept.
    static constexpr std::int64_t kKept[2 * kTileSize] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                          -1, -1, -1, -1, -1, -1, -1, -1};

    HWY_ALIGN double sums_[kTileSize];
};

#endif

/// The sums of a tile row from row-major tiles.
template <Value V>
class RowSums {
public:
    struct Scratch {
        PartialSums partial;
        CsrRowTable table;
    };
    HWY_INLINE explicit RowSums(Scratch& scratch) : scratch_(scratch) {}

    HWY_INLINE void add_csr(const FullTile<V>& t) {
        prefetch_stream(t.index);
        has_csr_ = true;
        csr_.add(t, scratch_.table);
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
        if (has_csr_) csr_.finish(sums);
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
    bool has_csr_ = false;
    CsrSums<V> csr_;
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
#endif
