#pragma once

#include <cstdint>
#include <type_traits>

#include <cuda/std/bit>

namespace tilespmv::cuda {

/// A pointer into global memory that the compiler keeps as it is. Of a sum it knows, it adds the index of each load to
/// one term and then the other, in 64 bits: four instructions a load instead of one.
template <class T>
__device__ T* as_one(T* p) {
    asm("" : "+l"(p));
    __builtin_assume(__isGlobal(p));
    return p;
}

/// `steps` times `bytes` behind p. This is one instruction; steps of 64 bits take up to seven.
template <class T>
__device__ T* bytes_behind(T* p, std::uint32_t steps, std::uint32_t bytes) {
    asm("" : "+r"(bytes));  // else the compiler, where it knows that they were 64 bits, adds their upper half, too
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + std::uint64_t{steps} * bytes);
}

/// The unsigned integer that V is loaded as.
template <class V>
using BitsOf = std::conditional_t<sizeof(V) == 2, unsigned short,
                                  std::conditional_t<sizeof(V) == 4, unsigned, unsigned long long>>;

/// A value of data that follow no cache policy: its line is the first to leave both caches, so that the next product
/// fetches it again.
template <class V>
__device__ V load_once(const V* p) {
    return ::cuda::std::bit_cast<V>(__ldcs(reinterpret_cast<const BitsOf<V>*>(p)));
}

/// A value of a matrix, which this product reads nowhere else: its line is the first to leave the first-level cache.
/// `policy` (of `make_cache_policy`, the same for all threads) says whether it stays in the second-level one.
template <class T>
__device__ T load_once(const T* p, std::uint64_t policy) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if __CUDA_ARCH__ >= 800
    // volatile: not moved across wait_for_stream or into a condition. Not by the read-only path: the owner of a matrix
    // may change it between products.
    if constexpr (sizeof(T) == 2) {
        unsigned short bits;
        asm volatile("ld.global.L1::evict_first.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(bits) : "l"(p), "l"(policy));
        return ::cuda::std::bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 4) {
        unsigned bits;
        asm volatile("ld.global.L1::evict_first.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(bits) : "l"(p), "l"(policy));
        return ::cuda::std::bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 8) {
        unsigned long long bits;
        asm volatile("ld.global.L1::evict_first.L2::cache_hint.u64 %0, [%1], %2;" : "=l"(bits) : "l"(p), "l"(policy));
        return ::cuda::std::bit_cast<T>(bits);
    } else {
        uint4 bits;
        asm volatile("ld.global.L1::evict_first.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
                     : "l"(p), "l"(policy));
        return ::cuda::std::bit_cast<T>(bits);
    }
#else
    static_cast<void>(policy);
    using Bits = std::conditional_t<sizeof(T) == 16, uint4, BitsOf<T>>;
    return ::cuda::std::bit_cast<T>(__ldcs(reinterpret_cast<const Bits*>(p)));
#endif
}

/// As `load_once` of a value of up to 8 bytes if it is wanted, without a branch; otherwise `otherwise`.
template <class T>
__device__ T load_once_if(bool is_wanted, const T* p, std::uint64_t policy, T otherwise) {
#if __CUDA_ARCH__ >= 800
    auto bits = ::cuda::std::bit_cast<BitsOf<T>>(otherwise);
    if constexpr (sizeof(T) == 2) {
        asm volatile(
            "{.reg .pred q; setp.ne.u32 q, %3, 0; @q ld.global.L1::evict_first.L2::cache_hint.u16 %0, [%1], %2;}"
            : "+h"(bits)
            : "l"(p), "l"(policy), "r"(unsigned{is_wanted}));
    } else if constexpr (sizeof(T) == 4) {
        asm volatile(
            "{.reg .pred q; setp.ne.u32 q, %3, 0; @q ld.global.L1::evict_first.L2::cache_hint.u32 %0, [%1], %2;}"
            : "+r"(bits)
            : "l"(p), "l"(policy), "r"(unsigned{is_wanted}));
    } else {
        asm volatile(
            "{.reg .pred q; setp.ne.u32 q, %3, 0; @q ld.global.L1::evict_first.L2::cache_hint.u64 %0, [%1], %2;}"
            : "+l"(bits)
            : "l"(p), "l"(policy), "r"(unsigned{is_wanted}));
    }
    return ::cuda::std::bit_cast<T>(bits);
#else
    return is_wanted ? load_once(p, policy) : otherwise;
#endif
}

/// A struct of 2, 4, 8 or 16 bytes that a kernel before may have written, if it is wanted, without a branch: several
/// such loads are under way at once. Otherwise zeros.
template <class T>
__device__ T load_if(bool is_wanted, const T* p) {
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
    const unsigned wanted{is_wanted};
    // volatile: not moved across wait_for_stream
    if constexpr (sizeof(T) == 2) {
        unsigned short bits = 0;
        asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; @q ld.global.u16 %0, [%1];}"
                     : "+h"(bits)
                     : "l"(p), "r"(wanted));
        return ::cuda::std::bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 4) {
        unsigned bits = 0;
        asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; @q ld.global.u32 %0, [%1];}"
                     : "+r"(bits)
                     : "l"(p), "r"(wanted));
        return ::cuda::std::bit_cast<T>(bits);
    } else if constexpr (sizeof(T) == 8) {
        unsigned long long bits = 0;
        asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; @q ld.global.u64 %0, [%1];}"
                     : "+l"(bits)
                     : "l"(p), "r"(wanted));
        return ::cuda::std::bit_cast<T>(bits);
    } else {
        ulonglong2 bits{0, 0};
        asm volatile("{.reg .pred q; setp.ne.u32 q, %3, 0; @q ld.global.v2.u64 {%0, %1}, [%2];}"
                     : "+l"(bits.x), "+l"(bits.y)
                     : "l"(p), "r"(wanted));
        return ::cuda::std::bit_cast<T>(bits);
    }
}

/// A value that does not change during the product and may be read again.
template <class V>
__device__ V load_often(const V* p) {
    return ::cuda::std::bit_cast<V>(__ldg(reinterpret_cast<const BitsOf<V>*>(p)));
}

/// A struct of one or several times 16 bytes that does not change during the product.
template <class T>
__device__ T load_wide(const T* p) {
    static_assert(sizeof(T) % sizeof(uint4) == 0 && alignof(T) == sizeof(uint4));
    struct Words {
        uint4 of[sizeof(T) / sizeof(uint4)];
    } words;
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(T) / sizeof(uint4)); ++i) {
        words.of[i] = __ldg(reinterpret_cast<const uint4*>(p) + i);
    }
    return ::cuda::std::bit_cast<T>(words);
}

}  // namespace tilespmv::cuda
