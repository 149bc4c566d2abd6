#pragma once

#include <cuda/atomic>

#include "kernels/multi_gpu/peer_word.hpp"

/// Words between GPUs, without fences: each says itself which message it is of.
namespace tilespmv::multi_gpu {

/// At a word between looks at whether it is still expected, for which thousands of threads take 0.2 ms in the memory of
/// the host: 15 ms.
constexpr int kLooks = 1 << 16;
constexpr unsigned kUpperHalfOfNaN = 0x7ff80000u;

using SystemWord = ::cuda::atomic_ref<Word, ::cuda::thread_scope_system>;

__device__ inline void send(Word& to, unsigned half, unsigned number) {
    SystemWord(to).store(half | Word{number} << 32, ::cuda::memory_order_relaxed);
}

/// The lower half of a word, once its number is there; `kUpperHalfOfNaN` if it will never be.
__device__ inline unsigned await(Word& word, unsigned number, const volatile int* is_aborted) {
    for (;;) {
        for (int look = 0; look < kLooks; ++look) {
            const Word found = SystemWord(word).load(::cuda::memory_order_relaxed);
            if (static_cast<unsigned>(found >> 32) == number) return static_cast<unsigned>(found);
        }
        if (*is_aborted != 0) return kUpperHalfOfNaN;
    }
}

}  // namespace tilespmv::multi_gpu
