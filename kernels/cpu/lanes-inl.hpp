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

HWY_INLINE Vec gather(const double* x, hn::Vec<Like<std::int32_t>> at) {
    return hn::GatherIndex(D(), x, hn::PromoteTo(Like<std::int64_t>(), at));
}
HWY_INLINE Vec gather(const float* x, hn::Vec<Like<std::int32_t>> at) {
    return hn::PromoteTo(D(), hn::GatherIndex(Like<float>(), x, at));
}

HWY_INLINE auto load_columns(const index_t* p) { return hn::LoadU(Like<std::int32_t>(), p); }

/// Zeros where the mask is false, and nothing is read there; Highway's own reads it if a vector has one lane.
template <class Tag>
HWY_INLINE hn::Vec<Tag> masked_load(hn::Mask<Tag> mask, Tag d, const hn::TFromD<Tag>* p) {
#if HWY_TARGET == HWY_SCALAR
    return hn::AllTrue(d, mask) ? hn::LoadU(d, p) : hn::Zero(d);
#else
    return hn::MaskedLoad(mask, d, p);
#endif
}

#if !HWY_MEM_OPS_MIGHT_FAULT
/// The first n values, then zeros; nothing past them is read.
HWY_INLINE Vec load_first(const double* p, std::size_t n) { return masked_load(hn::FirstN(D(), n), D(), p); }
#if HWY_TARGET <= HWY_AVX3
// Half of a masked load of 64 bytes: after one of 32 bytes short rows take an EPYC 5 ns longer each.
HWY_INLINE Vec load_first(const float* p, std::size_t n) {
    const auto mask = static_cast<__mmask16>(_bzhi_u32(~0U, static_cast<unsigned>(n)));
    return Vec{_mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(mask, p)))};
}
HWY_INLINE auto load_columns_first(const index_t* p, std::size_t n) {
    const auto mask = static_cast<__mmask16>(_bzhi_u32(~0U, static_cast<unsigned>(n)));
    return hn::Vec<Like<std::int32_t>>{_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(mask, p))};
}
#else
HWY_INLINE Vec load_first(const float* p, std::size_t n) {
    const Like<float> d;
    return hn::PromoteTo(D(), masked_load(hn::FirstN(d, n), d, p));
}
HWY_INLINE auto load_columns_first(const index_t* p, std::size_t n) {
    const Like<std::int32_t> d;
    return masked_load(hn::FirstN(d, n), d, p);
}
#endif
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

#if !HWY_MEM_OPS_MIGHT_FAULT
/// p[i] for the bits i that are set, zero for the others, which are not read.
HWY_INLINE Vec load_some(unsigned bits, const double* p) { return masked_load(mask_of(bits), D(), p); }
HWY_INLINE Vec load_some(unsigned bits, const float* p) {
    return hn::PromoteTo(D(), masked_load(mask_of<Like<float>>(bits), Like<float>(), p));
}
#endif

/// Mask of the first n lanes; n may exceed kLanes but not 255.
HWY_INLINE Mask first_lanes(int n) {
#if HWY_TARGET <= HWY_AVX3
    return mask_of(_bzhi_u32(~0u, static_cast<unsigned>(n)));
#else
    return hn::FirstN(D(), static_cast<std::size_t>(n));
#endif
}

/// a * b + c in the lanes of the mask, c in the others.
HWY_INLINE Vec mul_add_if(Mask mask, Vec a, Vec b, Vec c) {
#if HWY_TARGET <= HWY_AVX3
    return Vec{_mm512_mask3_fmadd_pd(a.raw, b.raw, c.raw, mask.raw)};
#else
    return hn::IfThenElse(mask, hn::MulAdd(a, b, c), c);
#endif
}

HWY_INLINE std::uint64_t load_word(const std::uint8_t* p) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof(word));
    return word;
}

/// Lane i: the sum of the lanes of v[i], kLanes of them.
HWY_INLINE Vec lane_totals(const Vec* v) {
#if HWY_TARGET <= HWY_AVX3
    const auto pairs = [v](int i) HWY_ATTR {  // 128-bit block b: sums of two lanes, of v[i] and of v[i + 1]
        return hn::InterleaveLower(D(), v[i], v[i + 1]) + hn::InterleaveUpper(D(), v[i], v[i + 1]);
    };
    const auto halves = [](Vec a, Vec b) HWY_ATTR {  // even blocks plus odd ones, of a and then of b
        return Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0x88)} + Vec{_mm512_shuffle_f64x2(a.raw, b.raw, 0xdd)};
    };
    return halves(halves(pairs(0), pairs(2)), halves(pairs(4), pairs(6)));
#else
    HWY_ALIGN double totals[kLanes];
    for (int i = 0; i < kLanes; ++i) totals[i] = hn::GetLane(hn::SumOfLanes(D(), v[i]));
    return hn::Load(D(), totals);
#endif
}

HWY_INLINE void add_to(double* sums, Vec v) { hn::StoreU(hn::LoadU(D(), sums) + v, D(), sums); }

/// Lane i: 4-bit number first + i of the packed ones in `word`, with other bits above it.
template <class T>
HWY_INLINE auto nibbles(T word, int first) {
    const Like<T> d;
    return hn::Set(d, word) >> hn::ShiftLeft<2>(hn::Iota(d, static_cast<T>(first)));
}

/// The 16 values of x under a tile, looked up by packed 4-bit columns.
template <Value V>
class XTile {
public:
#if HWY_TARGET <= HWY_AVX3
    // A table of 16 in two registers. The instruction takes the lowest 4 bits of each index and ignores the others.
    explicit XTile(const V* x) : low_(hn::LoadU(Like<V>(), x)), high_(hn::LoadU(Like<V>(), x + kLanes)) {}

    /// Lane i: x at the (part * kLanes + i)-th 4-bit column of `word`.
    HWY_INLINE Vec lookup(std::uint64_t word, int part = 0) const {
        if constexpr (std::is_same_v<V, double>) {
            return at(nibbles(word, part * kLanes));
        } else {
            return at(nibbles(static_cast<std::uint32_t>(word >> (part * kLanes * 4)), 0));
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

    HWY_INLINE Vec lookup(std::uint64_t word, int part = 0) const {
        return at(nibbles(static_cast<std::uint32_t>(word >> (part * kLanes * 4)), 0));
    }
    HWY_INLINE Vec lookup_bytes(const std::uint8_t* bytes) const {
        return at(hn::PromoteTo(Like<std::uint32_t>(), hn::LoadU(Like<std::uint8_t>(), bytes)));
    }

private:
    HWY_INLINE Vec at(hn::Vec<Like<std::uint32_t>> index) const {
        const Like<std::uint32_t> d;
        return gather(x_, hn::BitCast(Like<std::int32_t>(), hn::And(index, hn::Set(d, 15))));
    }

    const V* x_;
#endif
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
