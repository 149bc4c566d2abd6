// What the inner loops share: vectors of doubles, and how values, columns and x come into them. Included once per
// instruction set.

#if defined(TILESPMV_KERNELS_CPU_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_LANES_INL_HPP
#undef TILESPMV_KERNELS_CPU_LANES_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_LANES_INL_HPP
#endif

#include <cstdint>
#include <cstring>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "kernels/cpu/tuning.hpp"
#include "tile/types.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Sums are double for both value types; at most 8 lanes, so that a tile's 16 rows or columns are whole vectors.
using D = hn::CappedTag<double, 8>;
using Vec = hn::Vec<D>;
using Mask = hn::Mask<D>;
inline constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
template <class T>
using Like = hn::Rebind<T, D>;  // as many lanes of another type

/// Prefetches what comes `kStreamPrefetchBytes` behind `p`; an address past the end of an array is harmless.
template <class T>
HWY_INLINE void prefetch_stream(const T* p) {
    __builtin_prefetch(reinterpret_cast<const char*>(p) + kStreamPrefetchBytes, 0, 2);
}

HWY_INLINE Vec load(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE Vec load(const float* p) { return hn::PromoteTo(D(), hn::LoadU(Like<float>(), p)); }
#if HWY_CAP_GE256
/// Half of the lanes from p on, the others from q on.
HWY_INLINE Vec load_halves(const double* p, const double* q) {
    const hn::Half<D> half;
    return hn::Combine(D(), hn::LoadU(half, q), hn::LoadU(half, p));
}
HWY_INLINE Vec load_halves(const float* p, const float* q) {
    const hn::Half<Like<float>> half;
    return hn::PromoteTo(D(), hn::Combine(Like<float>(), hn::LoadU(half, q), hn::LoadU(half, p)));
}
#endif

HWY_INLINE Vec gather(const double* x, hn::Vec<Like<std::int32_t>> at) {
    return hn::GatherIndex(D(), x, hn::PromoteTo(Like<std::int64_t>(), at));
}
HWY_INLINE Vec gather(const float* x, hn::Vec<Like<std::int32_t>> at) {
    return hn::PromoteTo(D(), hn::GatherIndex(Like<float>(), x, at));
}

#if HWY_TARGET <= HWY_AVX3
/// In the lanes of the mask.
HWY_INLINE Vec gather_some(Mask mask, const double* x, hn::Vec<Like<std::int32_t>> at) {
    return Vec{_mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask.raw, at.raw, x, 8)};
}
HWY_INLINE Vec gather_some(Mask mask, const float* x, hn::Vec<Like<std::int32_t>> at) {
    return Vec{_mm512_cvtps_pd(_mm256_mmask_i32gather_ps(_mm256_setzero_ps(), mask.raw, at.raw, x, 4))};
}
#endif

#if HWY_TARGET == HWY_SCALAR
/// Lane i: x[at(i)].
template <Value V, class At>
HWY_INLINE Vec elements(const V* x, At at) {
    return hn::Set(D(), static_cast<double>(x[at(0)]));
}
#elif HWY_TARGET > HWY_AVX3
/// Lanes 0 and 1: x[at(i)] and x[at(i + 1)].
template <class Pair, Value V, class At>
HWY_INLINE hn::Vec<Pair> two_elements(Pair d, const V* x, At at, int i) {
    using T = hn::TFromD<Pair>;
    return hn::InterleaveLower(d, hn::Set(d, static_cast<T>(x[at(i)])), hn::Set(d, static_cast<T>(x[at(i + 1)])));
}
/// Lane i: x[at(i)], by a load a lane. Of four lanes that takes a Xeon as long as a gather, which is slower on other
/// processors or not there.
template <class At>
HWY_INLINE Vec elements(const double* x, At at) {
    const hn::Full128<double> d;
#if HWY_CAP_GE256
    return hn::Combine(D(), two_elements(d, x, at, 2), two_elements(d, x, at, 0));
#else
    return two_elements(d, x, at, 0);
#endif
}
template <class At>
HWY_INLINE Vec elements(const float* x, At at) {
    const hn::Full128<float> d;
#if HWY_CAP_GE256
    return hn::PromoteTo(D(), hn::ConcatLowerLower(d, two_elements(d, x, at, 2), two_elements(d, x, at, 0)));
#else
    return hn::PromoteTo(D(), hn::LowerHalf(two_elements(d, x, at, 0)));
#endif
}
#endif

/// Lane i: x at the i-th of these columns.
template <Value V>
HWY_INLINE Vec gather_at(const V* x, const index_t* columns) {
#if HWY_TARGET <= HWY_AVX3
    return gather(x, hn::LoadU(Like<std::int32_t>(), columns));
#else
    return elements(x, [columns](int i) HWY_ATTR { return columns[i]; });
#endif
}

/// The first n lanes, at most all.
HWY_INLINE Mask first_lanes(offset_t n) {
#if HWY_TARGET <= HWY_AVX3  // FirstN has a branch on large n
    return Mask{static_cast<__mmask8>(_bzhi_u32(~0U, static_cast<unsigned>(n)))};
#else
    return hn::FirstN(D(), static_cast<std::size_t>(n));
#endif
}

/// Lane i: x at the i-th of these columns in the lanes of the mask, anything in others.
template <Value V>
HWY_INLINE Vec gather_some(Mask mask, const V* x, const index_t* columns) {
#if HWY_TARGET <= HWY_AVX3
    return gather_some(mask, x, hn::LoadU(Like<std::int32_t>(), columns));
#else
    static_cast<void>(mask);
    return gather_at(x, columns);
#endif
}

#if HWY_CAP_GE256
/// The first n of half of the lanes, and the first m of the others.
HWY_INLINE Mask first_of_halves(offset_t n, offset_t m) {
#if HWY_TARGET <= HWY_AVX3
    const auto of_half = [](offset_t k) { return _bzhi_u32(15, static_cast<unsigned>(k)); };
    return Mask{static_cast<__mmask8>(of_half(n) | of_half(m) << 4)};
#else
    const hn::Half<D> half;
    const auto lanes = [half](offset_t k)
                           HWY_ATTR { return hn::VecFromMask(half, hn::FirstN(half, static_cast<std::size_t>(k))); };
    return hn::MaskFromVec(hn::Combine(D(), lanes(m), lanes(n)));
#endif
}

/// The same of columns from p on in half of the lanes, and from q on in the others.
template <Value V>
HWY_INLINE Vec gather_halves(Mask mask, const V* x, const index_t* p, const index_t* q) {
#if HWY_TARGET <= HWY_AVX3
    const hn::Half<Like<std::int32_t>> half;
    return gather_some(mask, x, hn::Combine(Like<std::int32_t>(), hn::LoadU(half, q), hn::LoadU(half, p)));
#else
    static_cast<void>(mask);
    return elements(x, [p, q](int i) HWY_ATTR { return i < kLanes / 2 ? p[i] : q[i - kLanes / 2]; });
#endif
}
#endif

/// Mask of the lowest kLanes bits.
template <class Tag = D>
HWY_INLINE hn::Mask<Tag> mask_of(unsigned bits) {
#if HWY_TARGET <= HWY_AVX3
    return hn::Mask<Tag>{static_cast<__mmask8>(bits)};
#else
    const std::uint64_t bytes = bits;
    return hn::LoadMaskBits(Tag(), reinterpret_cast<const std::uint8_t*>(&bytes));
#endif
}

/// p[i] for the lowest kLanes bits i that are set, zero for the others, which are not read.
template <Value V>
HWY_INLINE Vec load_some(unsigned bits, const V* p) {
#if HWY_TARGET > HWY_AVX3
    constexpr unsigned all = (1U << kLanes) - 1;
    if ((bits & all) == all) return load(p);
#endif
#if HWY_TARGET <= HWY_AVX2
    // No fault where the mask is false: what Highway says of AVX2 is about narrower lanes.
    const Like<V> d;
    if constexpr (std::is_same_v<V, double>) return hn::MaskedLoad(mask_of<D>(bits), d, p);
    if constexpr (std::is_same_v<V, float>) return hn::PromoteTo(D(), hn::MaskedLoad(mask_of<Like<float>>(bits), d, p));
#else
    HWY_ALIGN V some[kLanes] = {};
    for (int i = 0; i < kLanes; ++i) {
        if ((bits >> i & 1U) != 0) some[i] = p[i];
    }
    return load(some);
#endif
}

/// Masks of 16 rows, kLanes at a time, of a bit a row.
class RowMasks {
public:
#if HWY_TARGET <= HWY_AVX3
    HWY_INLINE explicit RowMasks(unsigned rows) : rows_(rows) {}
    HWY_INLINE Mask part(int p) const { return mask_of(rows_ >> (p * kLanes)); }

private:
    unsigned rows_;
#else
    HWY_INLINE explicit RowMasks(unsigned rows) : rows_(hn::Set(Bits(), rows)) {}
    HWY_INLINE Mask part(int p) const {
        return hn::RebindMask(D(), hn::TestBit(rows_, hn::LoadU(Bits(), kBits + p * kLanes)));
    }

private:
    using Bits = Like<std::uint64_t>;
    static constexpr std::uint64_t kBits[kTileSize] = {1,       1 << 1,  1 << 2,  1 << 3, 1 << 4,  1 << 5,
                                                       1 << 6,  1 << 7,  1 << 8,  1 << 9, 1 << 10, 1 << 11,
                                                       1 << 12, 1 << 13, 1 << 14, 1 << 15};
    hn::Vec<Bits> rows_;
#endif
};

/// a * b + c in the lanes of the mask, c in the others, where a is 0.
HWY_INLINE Vec mul_add_if(Mask mask, Vec a, Vec b, Vec c) {
#if HWY_TARGET <= HWY_AVX3
    return Vec{_mm512_mask3_fmadd_pd(a.raw, b.raw, c.raw, mask.raw)};
#else
    return hn::MulAdd(a, hn::IfThenElseZero(mask, b), c);
#endif
}

HWY_INLINE std::uint64_t load_word(const std::uint8_t* p) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof(word));
    return word;
}

#if HWY_TARGET != HWY_SCALAR
/// Block of 128 bits b: sums of two lanes, of a and then of b.
HWY_INLINE Vec pair_sums(Vec a, Vec b) { return hn::InterleaveLower(D(), a, b) + hn::InterleaveUpper(D(), a, b); }
#endif
#if HWY_TARGET <= HWY_AVX3
/// Even blocks of 128 bits plus odd ones, of a and then of b.
HWY_INLINE Vec block_sums(Vec a, Vec b) {
    return Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0x88)} + Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0xdd)};
}
#endif

/// Lane i: the sum of the lanes of v[i], kLanes of them.
HWY_INLINE Vec lane_totals(const Vec* v) {
#if HWY_TARGET <= HWY_AVX3
    return block_sums(block_sums(pair_sums(v[0], v[1]), pair_sums(v[2], v[3])),
                      block_sums(pair_sums(v[4], v[5]), pair_sums(v[6], v[7])));
#elif HWY_TARGET == HWY_SCALAR
    return v[0];
#elif HWY_CAP_GE256
    const auto low = pair_sums(v[0], v[1]);
    const auto high = pair_sums(v[2], v[3]);
    return hn::ConcatLowerLower(D(), high, low) + hn::ConcatUpperUpper(D(), high, low);
#else
    return pair_sums(v[0], v[1]);
#endif
}

#if HWY_CAP_GE256
/// The sums of kLanes rows of which v[i] has row `first_half_row(i)` in half of the lanes and the next but one in the
/// others.
HWY_INLINE Vec half_totals(const Vec* v) {
#if HWY_TARGET <= HWY_AVX3
    return block_sums(pair_sums(v[0], v[1]), pair_sums(v[2], v[3]));
#else
    return pair_sums(v[0], v[1]);
#endif
}
constexpr int first_half_row(int i) { return i / 2 * 4 + i % 2; }
#endif

/// Lane j of v[i] becomes lane i of v[j], for kLanes vectors.
HWY_INLINE void transpose([[maybe_unused]] Vec* v) {
#if HWY_TARGET != HWY_SCALAR
    Vec even[kLanes / 2];  // 128-bit block b: lane 2 * b of v[2 * i] and of v[2 * i + 1]
    Vec odd[kLanes / 2];
    for (int i = 0; i < kLanes / 2; ++i) {
        even[i] = hn::InterleaveLower(D(), v[2 * i], v[2 * i + 1]);
        odd[i] = hn::InterleaveUpper(D(), v[2 * i], v[2 * i + 1]);
    }
    const auto transpose_blocks = [v](const Vec* from, int first) HWY_ATTR {
#if HWY_TARGET <= HWY_AVX3
        const auto low = [](Vec a, Vec b) HWY_ATTR { return Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0x44)}; };
        const auto high = [](Vec a, Vec b) HWY_ATTR { return Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0xee)}; };
        for (int half = 0; half < 2; ++half) {
            const Vec a = half == 0 ? low(from[0], from[1]) : high(from[0], from[1]);
            const Vec b = half == 0 ? low(from[2], from[3]) : high(from[2], from[3]);
            v[first + 4 * half] = Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0x88)};
            v[first + 4 * half + 2] = Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0xdd)};
        }
#elif HWY_CAP_GE256
        v[first] = hn::ConcatLowerLower(D(), from[1], from[0]);
        v[first + 2] = hn::ConcatUpperUpper(D(), from[1], from[0]);
#else
        v[first] = from[0];
#endif
    };
    transpose_blocks(even, 0);
    transpose_blocks(odd, 1);
#endif
}

HWY_INLINE void add_to(double* sums, Vec v) { hn::StoreU(hn::LoadU(D(), sums) + v, D(), sums); }

/// Lane i: 4-bit number first + i of the packed ones in `word`, with other bits above it.
template <class T>
HWY_INLINE auto nibbles(T word, int first) {
    const Like<T> d;
    return hn::Set(d, word) >> hn::ShiftLeft<2>(hn::Iota(d, static_cast<T>(first)));
}

/// 16 columns of 4 bits each.
class PackedColumns {
public:
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_SCALAR
    HWY_INLINE explicit PackedColumns(std::uint64_t word) : word_(word) {}
    /// Those from the first lane of a part on, with other bits above them.
    HWY_INLINE std::uint64_t word(int part) const { return word_ >> (part * kLanes * 4); }
    HWY_INLINE std::size_t column(int i) const { return word_ >> (4 * i) & 15U; }

private:
    std::uint64_t word_;
#else
    HWY_INLINE explicit PackedColumns(std::uint64_t word) {
        const hn::Full128<std::uint8_t> d;
        const auto packed = hn::BitCast(d, hn::Set(hn::Full128<std::uint64_t>(), word));
        hn::Store(hn::InterleaveLower(d, hn::And(packed, hn::Set(d, 15)), hn::ShiftRight<4>(packed)), d, columns_);
    }
    HWY_INLINE std::size_t column(int i) const { return columns_[i]; }

private:
    HWY_ALIGN std::uint8_t columns_[kTileSize];
#endif
};

/// The 16 values of x under a tile, looked up by packed 4-bit columns.
template <Value V>
class XTile {
public:
#if HWY_TARGET <= HWY_AVX3
    // A table of 16 in two registers. The instruction takes the lowest 4 bits of each index and ignores the others.
    explicit XTile(const V* x) : low_(hn::LoadU(Like<V>(), x)), high_(hn::LoadU(Like<V>(), x + kLanes)) {}

    /// Lane i: x at column part * kLanes + i.
    HWY_INLINE Vec lookup(const PackedColumns& columns, int part) const {
        if constexpr (std::is_same_v<V, double>) {
            return at(nibbles(columns.word(0), part * kLanes));
        } else {
            return at(nibbles(static_cast<std::uint32_t>(columns.word(part)), 0));
        }
    }

    /// Lane i: x at the low 4 bits of bytes[i].
    HWY_INLINE Vec lookup_bytes(const std::uint8_t* bytes) const {
        if constexpr (std::is_same_v<V, double>) {
            const Like<std::uint64_t> d;
            return at(hn::Set(d, load_word(bytes)) >> hn::ShiftLeft<3>(hn::Iota(d, 0)));
        } else {
            return at(hn::PromoteTo(Like<std::uint32_t>(), hn::LoadU(Like<std::uint8_t>(), bytes)));
        }
    }

private:
    HWY_INLINE Vec at(hn::Vec<Like<std::uint64_t>> index) const {
        return Vec{_mm512_permutex2var_pd(low_.raw, index.raw, high_.raw)};
    }
    HWY_INLINE Vec at(hn::Vec<Like<std::uint32_t>> index) const {
        return hn::PromoteTo(D(), hn::Vec<Like<float>>{_mm256_permutex2var_ps(low_.raw, index.raw, high_.raw)});
    }

    hn::Vec<Like<V>> low_;
    hn::Vec<Like<V>> high_;
#else
    explicit XTile(const V* x) : x_(x) {}

    HWY_INLINE Vec lookup(const PackedColumns& columns, int part) const {
        return elements(x_, [&](int i) HWY_ATTR { return columns.column(part * kLanes + i); });
    }
    HWY_INLINE Vec lookup_bytes(const std::uint8_t* bytes) const {
        return elements(x_, [bytes](int i) HWY_ATTR { return std::size_t{bytes[i]} & 15U; });
    }

private:
    const V* x_;
#endif
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
