#pragma once

#include <cuda/std/bit>

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/dependent_launch.cuh"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"
#include "tile/tile_matrix.hpp"

/// Full tiles times several columns, on tensor cores: a warp multiplies a tile of 16 x 16 by 8 or 32 columns.
namespace tilespmv::cuda {

inline constexpr int kTileBlockThreads = 256;

/// A pass over a matrix of nothing but full tiles.
template <class V, class A>
struct TileBlockPass : BlockTerms<V, A> {
    const offset_t* tile_ptrs = nullptr;  ///< of the tile rows, with the end
    const TileEntry* tiles = nullptr;
    const V* values = nullptr;  ///< 256 a tile, column by column
    index_t tile_rows = 0;
    int warps = 1;  ///< that share a tile row: 1, or those of a block
};

/// Whether there are instructions for values of 64 bits and for tiles of bfloat16.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
inline constexpr bool kHasTileInstructions = true;
#else
inline constexpr bool kHasTileInstructions = false;
#endif

/// What sums are made in: on tensor cores of 16-bit values in float, of all others in double.
template <class V, class A>
using TileSum = std::conditional_t<sizeof(V) == 2, A, double>;

/// c += a * b, 8 x 4 by 4 x 8: lane l has (l / 4, l % 4) of a, (l % 4, l / 4) of b, and (l / 4, l % 4 * 2) of c with
/// its right neighbour.
template <class S>
__device__ void multiply_add_8x4(S (&c)[2], S a, S b) {
    if constexpr (kHasTileInstructions && std::is_same_v<S, double>) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(c[0]), "+d"(c[1])
                     : "d"(a), "d"(b));
    } else {
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const S of_row = __shfl_sync(kAllLanes, a, lane / 4 * 4 + k);
            c[0] += of_row * __shfl_sync(kAllLanes, b, lane % 4 * 8 + k);
            c[1] += of_row * __shfl_sync(kAllLanes, b, lane % 4 * 8 + 4 + k);
        }
    }
}

template <class V>
__device__ unsigned packed(V low, V high) {
    return ::cuda::std::bit_cast<unsigned short>(low) | unsigned{::cuda::std::bit_cast<unsigned short>(high)} << 16;
}

/// c += a * b, 16 x 16 by 16 x 8, of 16-bit values: rows l / 4 and l / 4 + 8 of c.
template <class V>
__device__ void multiply_add_16x16(float (&low)[2], float (&high)[2], const unsigned (&a)[4], unsigned b0,
                                   unsigned b1) {
    if constexpr (std::is_same_v<V, Half>) {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, "
            "%2, %3};"
            : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    } else {
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
            "%1, %2, %3};"
            : "+f"(low[0]), "+f"(low[1]), "+f"(high[0]), "+f"(high[1])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
}

/// What a lane has of a tile row times 8 * kCount columns: rows 2g and 2g + 1, where g = lane / 4, of the columns
/// (2t + h) * kCount + j, where t = lane % 4.
template <class V, class A, int kCount>
struct TileBlockSums {
    using S = TileSum<V, A>;
    S of[2][kCount][2] = {};  ///< by row, j and h

    /// Four columns of the tile, rows 2g and 2g + 1 of each, and as many rows of X.
    __device__ void add(const Chunk<V, 2> (&a)[4], const Chunk<V, kCount> (&x)[4]) {
        if constexpr (kIsPacked) {
            const unsigned fragment[4] = {packed(a[0].of[0], a[1].of[0]), packed(a[0].of[1], a[1].of[1]),
                                          packed(a[2].of[0], a[3].of[0]), packed(a[2].of[1], a[3].of[1])};
#pragma unroll
            for (int j = 0; j < kCount; ++j) {
                multiply_add_16x16<V>(of[0][j], of[1][j], fragment, packed(x[0].of[j], x[1].of[j]),
                                      packed(x[2].of[j], x[3].of[j]));
            }
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
#pragma unroll
                for (int r = 0; r < 2; ++r) {
#pragma unroll
                    for (int j = 0; j < kCount; ++j) {
                        multiply_add_8x4(of[r][j], static_cast<S>(a[i].of[r]), static_cast<S>(x[i].of[j]));
                    }
                }
            }
        }
    }

    /// The i-th of the four columns of a tile that the lane has: as either instruction wants them.
    static __device__ int column(int i, int t) { return kIsPacked ? i / 2 * 8 + 2 * t + i % 2 : 4 * i + t; }

private:
    static constexpr bool kIsPacked = kHasTileInstructions && sizeof(V) == 2 && std::is_same_v<A, float>;
};

/// kCount neighbouring values of a row of X; those that there are not are 0.
template <bool kIsAligned, int kCount, class V, class A>
__device__ Chunk<V, kCount> load_of_row(const BlockTerms<V, A>& p, std::int64_t row, int col) {
    Chunk<V, kCount> values;
    if constexpr (kIsAligned) {
        constexpr int kLoad = kCount < kWide<V> ? kCount : kWide<V>;
#pragma unroll
        for (int i = 0; i < kCount; i += kLoad) {
            reinterpret_cast<Chunk<V, kLoad>&>(values.of[i]) =
                load_if(col + i < p.columns, reinterpret_cast<const Chunk<V, kLoad>*>(p.x.at(row, col + i)));
        }
    } else {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
            values.of[i] =
                load_if(col + i < p.columns, reinterpret_cast<const Chunk<V, 1>*>(p.x.at(row, col + i))).of[0];
        }
    }
    return values;
}

/// 8 * kCount columns at most; `kIsAligned`: X in row-major layout, whose rows can be loaded in chunks of kCount, or of
/// 16 bytes.
template <class V, class A, int kCount, bool kIsAligned>
__global__ void __launch_bounds__(kTileBlockThreads)
    multiply_full_tiles(const __grid_constant__ TileBlockPass<V, A> p) {
    using S = TileSum<V, A>;
    constexpr int kWarps = kTileBlockThreads / kWarpSize;
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    const int g = static_cast<int>(threadIdx.x) % kWarpSize / 4;
    const int t = static_cast<int>(threadIdx.x) % 4;
    const std::int64_t tile_row = p.warps == 1 ? std::int64_t{blockIdx.x} * kWarps + warp : blockIdx.x;
    const bool has_one = tile_row < p.tile_rows;
    const offset_t end = has_one ? p.tile_ptrs[tile_row + 1] : 0;
    TileBlockSums<V, A, kCount> sums;
    wait_for_stream();
    for (offset_t tile = has_one ? p.tile_ptrs[tile_row] + (p.warps == 1 ? 0 : warp) : 0; tile < end; tile += p.warps) {
        const std::int64_t first = std::int64_t{p.tiles[tile].column()} * kTileSize;
        Chunk<V, 2> a[4];
        Chunk<V, kCount> x[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int place = sums.column(i, t) * kTileSize + 2 * g;
            a[i] = load_once(reinterpret_cast<const Chunk<V, 2>*>(p.values + tile * kTileSize * kTileSize + place),
                             p.cache_policy);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            x[i] = load_of_row<kIsAligned, kCount>(p, first + sums.column(i, t), kCount * g);
        }
        sums.add(a, x);
    }
    if (p.warps > 1) {
        __shared__ S of_warps[kWarps][kWarpSize];
#pragma unroll
        for (int i = 0; i < 4 * kCount; ++i) {
            S& own = sums.of[i / 2 / kCount][i / 2 % kCount][i % 2];
            of_warps[warp][threadIdx.x % kWarpSize] = own;
            __syncthreads();
            own = 0;
            for (const auto& of_warp : of_warps) own += of_warp[threadIdx.x % kWarpSize];
            __syncthreads();
        }
    }
    if (!has_one || (p.warps > 1 && warp > 0)) return;
    constexpr int kStore = 2 * kCount < kWide<V> ? 2 * kCount : kWide<V>;
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        A of_row[2 * kCount];
#pragma unroll
        for (int i = 0; i < 2 * kCount; ++i) of_row[i] = static_cast<A>(sums.of[r][i % kCount][i / kCount]);
#pragma unroll
        for (int i = 0; i < 2 * kCount; i += kStore) {
            p.template write<kStore>(tile_row * kTileSize + 2 * g + r, 2 * t * kCount + i, of_row + i);
        }
    }
}

}  // namespace tilespmv::cuda
