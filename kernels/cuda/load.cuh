#pragma once

#include <type_traits>

#include <cuda/std/bit>

namespace tilespmv::cuda {

/// The unsigned integer that V is loaded as.
template <class V>
using BitsOf = std::conditional_t<sizeof(V) == 2, unsigned short,
                                  std::conditional_t<sizeof(V) == 4, unsigned, unsigned long long>>;

/// A value that this product reads nowhere else: its line is the first to leave the caches.
template <class V>
__device__ V load_once(const V* p) {
    return ::cuda::std::bit_cast<V>(__ldcs(reinterpret_cast<const BitsOf<V>*>(p)));
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
