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

/// The hardware prefetcher alone leaves a fifth of the bandwidth unused: ask for what is 2 KiB ahead. Reading past the
/// end of an array this way is harmless.
template <class T>
HWY_INLINE void prefetch_stream(const T* p) {
    hwy::Prefetch(reinterpret_cast<const char*>(p) + 2048);
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

#if !HWY_MEM_OPS_MIGHT_FAULT
/// The first n values, then zeros; nothing past them is read.
HWY_INLINE Vec load_first(const double* p, std::size_t n) { return hn::MaskedLoad(hn::FirstN(D(), n), D(), p); }
HWY_INLINE Vec load_first(const float* p, std::size_t n) {
    const Like<float> d;
    return hn::PromoteTo(D(), hn::MaskedLoad(hn::FirstN(d, n), d, p));
}
HWY_INLINE auto load_columns_first(const index_t* p, std::size_t n) {
    const Like<std::int32_t> d;
    return hn::MaskedLoad(hn::FirstN(d, n), d, p);
}
#endif

/// Mask of the lowest kLanes bits.
HWY_INLINE Mask mask_of(unsigned bits) {
    const std::uint64_t bytes = bits;
    return hn::LoadMaskBits(D(), reinterpret_cast<const std::uint8_t*>(&bytes));
}

HWY_INLINE std::uint64_t load_word(const std::uint8_t* p) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, sizeof(word));
    return word;
}

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
    explicit XTile(const V* x) : low_(hn::LoadU(Like<V>(), x)), high_(hn::LoadU(Like<V>(), x + kLanes)) {}

    /// Lane i: x at the (part * kLanes + i)-th 4-bit column of `word`.
    HWY_INLINE Vec lookup(std::uint64_t word, int part = 0) const {
        if constexpr (std::is_same_v<V, double>) {
            return Vec{_mm512_permutex2var_pd(low_.raw, nibbles(word, part * kLanes).raw, high_.raw)};
        } else {
            const auto at = nibbles(static_cast<std::uint32_t>(word >> (part * kLanes * 4)), 0);
            return hn::PromoteTo(D(), hn::Vec<Like<V>>{_mm256_permutex2var_ps(low_.raw, at.raw, high_.raw)});
        }
    }

private:
    hn::Vec<Like<V>> low_;
    hn::Vec<Like<V>> high_;
#else
    explicit XTile(const V* x) : x_(x) {}

    HWY_INLINE Vec lookup(std::uint64_t word, int part = 0) const {
        const Like<std::uint32_t> d;
        const auto at = nibbles(static_cast<std::uint32_t>(word >> (part * kLanes * 4)), 0);
        return gather(x_, hn::BitCast(Like<std::int32_t>(), hn::And(at, hn::Set(d, 15))));
    }

private:
    const V* x_;
#endif
};

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
