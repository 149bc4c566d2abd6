#pragma once

#include <cstddef>

/// What the kernels for the GPU are compiled with, measured on an H200 with float64 values; the tables named are in
/// `bench/NOTES.md`. What is chosen for each matrix is in `selector/tuning.hpp`.
namespace tilespmv::cuda {

/// Loads that a thread has in flight, by the bytes of a value. More of them need more registers, so that fewer warps
/// are resident; fewer leave the memory idle. All sizes take those of float64 until they are measured apart.
template <std::size_t kValueBytes>
struct KernelTuning {
    /// ell, places of a row: as csr-vector, not swept by itself.
    static constexpr int kEllFlight = 4;
    /// Full dense tiles, with `kDenseWarps`. "full dense tile rows": 8 and 32 warps 801 GFLOP/s on dense 4096 and 861
    /// on blocks of 16 x 16, 4 and 48 740 and 985, 2 and 64 740 and 1042, in runs of a length for one wave 914 and
    /// 1059.
    static constexpr int kDenseFlight = 2;
    /// Slots of an item. "`tile` in slots", version 4: 8 for warps take FEM with 6 unknowns from 533 to 694; halves of
    /// a warp have few slots, and empty ones cost as much.
    static constexpr int kWarpSlotFlight = 8;
    static constexpr int kHalfSlotFlight = 4;
};

/// So many resident blocks of a multiprocessor for __launch_bounds__, or as many of so many threads as one of the GPU
/// has that is compiled for.
constexpr int resident(int blocks, [[maybe_unused]] int threads) {
#if defined(__CUDA_ARCH__)
    constexpr int kArchitecture = __CUDA_ARCH__;
    constexpr bool kIsLarge = kArchitecture % 100 < 50 && kArchitecture < 1100;  // 8.0, 9.0, 10.x
    constexpr int kThreads = kArchitecture < 800 ? 1024 : kIsLarge ? 2048 : 1536;
    constexpr int kBlocks = kIsLarge ? 32 : kArchitecture < 890 ? 16 : 24;
    const int fit = kThreads / threads < kBlocks ? kThreads / threads : kBlocks;
    return blocks < fit ? blocks : fit;
#else
    return blocks;
#endif
}

// Sizes of blocks, the same for all values, as the arrays of the host follow from some of them.

/// Threads of a block of csr-vector, ell and dia. Of ell 256 instead of 128 ("Row blocks in pairs"), of dia they are
/// alike; of csr-vector not swept.
inline constexpr int kVectorThreads = 256;
inline constexpr int kEllThreads = 256;
inline constexpr int kDiaThreads = 128;
/// Resident blocks of a multiprocessor where a thread of dia takes two rows: 64 registers; of 72 it is slower in
/// float32
/// ("Places in blocks of rows").
inline constexpr int kDiaPairBlocks = 8;
/// Threads of a block of kernels that copy or scale a vector; not swept.
inline constexpr int kElementwiseThreads = 256;

/// csr-merge ("CSR on the GPU", version 5). Threads of a block: 64 and 96 are 0 to 2% slower, 256 and 512 (version 4)
/// suit R-MAT and are slower elsewhere.
inline constexpr int kMergeThreads = 128;
/// The share of a block's nonzeros that its beginning moves to reach the beginning of a row, as 1 / kMergeSlack: a
/// quarter and a sixteenth are 0 to 2% slower.
inline constexpr int kMergeSlack = 8;
/// Steps of a lane for its share of a row that is not left to a whole warp: with 16 `libsvm_w8a` takes 0.72 of
/// cuSPARSE, with 32 1.14; 64 gains another 1% in the mean.
inline constexpr int kMergeShortSteps = 64;
/// Resident blocks of a multiprocessor, as many as its registers hold: a thread gets 16 + 4 * kItems of them. Version 5
/// stands at 10 with 8 items.
template <int kItems>
inline constexpr int kMergeBlocks = kItems > 4 ? 512 / (16 + 4 * kItems) : 12;

/// Threads of a block of strip and of tiles ("Tiles on the GPU", 8c: with 64 instead of 128 small matrices gain a
/// tenth).
inline constexpr int kStripThreads = 64;
inline constexpr int kTileThreads = kStripThreads;

/// Resident blocks of a multiprocessor that kernels are compiled for, of which `StripTuning` chooses: more have fewer
/// registers each, and fewer loads in flight ("Registers of strips": 12, 16, 18, 20 and 24).
inline constexpr int kFewStripBlocks = 12;
inline constexpr int kManyStripBlocks = 18;
/// Slots up to which a strip is one step of its lanes; not swept. Slots of strips that a lane has in flight together,
/// by the bytes of a value and resident blocks.
inline constexpr int kShortStrip = 11;
constexpr int strip_flight(int slots, int value_bytes, int resident_blocks) {
    const bool many = resident_blocks > kFewStripBlocks;
    const int together = value_bytes == 8 ? (many ? 10 : 16) : (many ? 16 : 24);
    return slots < together / 8 ? 8 : (slots > together ? 1 : together / slots);
}

/// Threads of a block of coo, and nonzeros of a thread, an odd number, so that those of a warp are in different banks
/// of shared memory; not swept.
inline constexpr int kCooThreads = 128;
inline constexpr int kCooItems = 7;

/// Tiles of csr5 for a block, a warp each; not swept.
inline constexpr int kCsr5Tiles = 4;
/// Resident blocks of a multiprocessor: a thread gets 24 + 5 * kSigma registers; not swept.
template <int kSigma>
inline constexpr int kCsr5Blocks = 512 / (24 + 5 * kSigma);

/// Threads of a block of sell ("Sorted slices").
inline constexpr int kSellThreads = 256;
/// Resident blocks of a multiprocessor, by the bytes of a value (`sell_flight`).
template <std::size_t kValueBytes>
inline constexpr int kSellBlocks = kValueBytes == 8 ? 4 : 6;

/// Resident warps of a multiprocessor that multiply tiles: of items ("`tile` in slots", version 3: 40 with 4 slots, 24
/// with 8 slower), and where all tiles are dense (see `KernelTuning::kDenseFlight`).
inline constexpr int kTileWarps = 32;
inline constexpr int kDenseWarps = 64;
/// Entries that a warp multiplies before it adds them up, most entries of an item for half a warp, and partial products
/// of one row that all lanes add up together; not swept.
inline constexpr int kEntryStep = 128;
inline constexpr int kHalfEntries = 32;
inline constexpr int kLongEntryRow = 24;

}  // namespace tilespmv::cuda
