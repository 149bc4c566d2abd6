#pragma once

#include <cstddef>

#include "tile/types.hpp"

/// The figures behind the choices of this room, one place for all of them. Each says what was measured; the tables are
/// in `bench/NOTES.md`. Another figure makes products slower or faster, or adds in another order, but none wrong. What
/// kernels are compiled with is in `kernels/cuda/tuning.hpp` and `kernels/cpu/tuning.hpp`.
namespace tilespmv {

/// csr-vector ("Shapes by sweeps", where the shapes chosen take 1.01 to 1.02 of the time of the best of ten).
struct VectorTuning {
    /// Time of the memory requests of a round, where each lane takes 1. Lower: fewer threads for rows of all lengths.
    double request_time = 2.4;
    /// Full rounds that the GPU finishes in the time of one. Higher: the longest row counts for more.
    double concurrent_rounds = 2750;
    /// With eight nonzeros of a thread in flight instead of four: time of a lane, and of a round of the longest row. 1:
    /// eight for all rows of more than eight nonzeros.
    double deep_lanes = 3.3;
    double deep_latency = 1.1;
};

/// csr-inode ("Shapes by sweeps", where the shapes chosen take 1.02 to 1.03 of the time of the best of 30 on 331
/// matrices). In cycles.
struct InodeTuning {
    double round_latency = 252;      ///< until the columns, values and x of a round are there
    double value_latency = 5;        ///< ... and more for each value that a thread has in flight
    double converted_latency = 4.7;  ///< ... if sums are wider
    double line_time = 0.64;    ///< of each line of 128 bytes that a warp reads with a column of each thread in flight
    double flight_power = 0.7;  ///< by which that grows with the columns in flight, whose lines are partly the same
    double warp_time = 11.6;    ///< of a warp that begins
};

/// Runs of full dense tiles ("full dense tile rows").
struct DenseRunTuning {
    /// Before the limits below: as many as are resident, one wave, which takes dense 4096 from 740 to 914 GFLOP/s.
    offset_t runs_per_multiprocessor = 32;
    offset_t min_tiles = 8;  ///< of a run, which leaves 16 partial sums; neither limit was swept
    offset_t max_tiles = 64;
};

/// Items of tiles in slots ("`tile` in slots", version 4; not swept by themselves).
struct SlotTuning {
    offset_t items_per_warp = 2;  ///< of each resident warp, before the limits below
    offset_t min_item = 256;      ///< nonzeros; shorter items make more split tile rows
    offset_t max_item = 4096;     ///< nonzeros; longer ones let single warps run on alone
    /// Tile rows of at most so many nonzeros are left to half a warp ...
    offset_t max_half_item = 512;
    /// ... if there are so many for each resident warp. Lower: halves leave warps without work.
    offset_t tile_rows_per_warp = 2;
};

/// strip ("Strips", version 4).
struct StripTuning {
    /// Resident thread blocks of a multiprocessor, 12 or 18. 18 take 0.77 to 0.89 of the time of 12 on the 27-point
    /// grid 128^3, in float32 0.82 to 0.87 on other large grids and meshes, where each strip is one of many.
    int blocks = 18;
    int blocks_of_few = 12;
    /// Tile rows of a multiprocessor that are few: shared by two groups of lanes, their blocks are one wave of 12. With
    /// 18, QCD 8^4 takes 1.3 times as long, 12^4 0.83 to 1.01.
    offset_t few_tile_rows = 24;
    /// Nonzeros of a row on average up to which 12 are better for many, too: on the 5-point grid 2048^2 18 take 1.05
    /// times as long in float64, with two strips in flight instead of three, and 0.94 in float32.
    double short_row = 0;
    /// Tile rows without which a GPU is not busy: on fewer, no strips are long, and none filled by rank.
    offset_t busy_from = 1000;
    /// Slots of a strip at most. Where tile rows do not keep the GPU busy, long strips run on alone: dense 512^2 is at
    /// 0.38 of the best cuSPARSE form in strips of 512 slots, at 1.56 as CSR. Where they do, strips of 140 to 256
    /// slots take 0.36 to 0.59 of the time of CSR beside short strips in float32 ("Long strips").
    int max_slots = 512;
    int max_slots_of_few = 128;
    /// Slots of a strip before two groups of lanes share it, where tile rows are few; elsewhere one takes all: on
    /// 49,152 (FEM with 3 unknowns, float32) that takes 1353 to 1444 GFLOP/s, on 3,072 (QCD, float64) 873 to 630.
    int lane_slots = 32;
    offset_t one_group_from = 20'000;  ///< tile rows that are not few
    /// Bytes of strips that are filled by rank, over those of CSR with 16-bit columns, up to which they take its place
    /// ("Strips filled by rank"), and resident blocks where most strips are such, unless tile rows are few.
    double rank_bytes = 1.2;
    int rank_blocks = 18;
};

/// When a thread of dia takes two rows ("Places in blocks of rows"): where one row each would be more than one wave of
/// thread blocks, and a row has one group of diagonals, so that all of it is under way at once.
struct DiaTuning {
    std::int64_t wave_rows = 1280;  ///< of a multiprocessor: threads of 48 registers
    offset_t pair_diagonals = 8;    ///< one group; of four, two rows take 1.2 times as long
    /// Places up to which that is faster, those of about the L2: in float32 two rows take 0.72 to 0.75 of the time on
    /// 2.5 to 3.5 million places, 1.06 on 28 million. 0 in float64, where they take 0.98 to 1.14; any number in 16
    /// bits.
    offset_t pair_places = 0;
};

/// sell ("Sorted slices").
struct SellTuning {
    /// Warps of a multiprocessor, 32 lanes each, of which no more are to have a slice. More steps make fewer slices.
    /// ("Shapes by sweeps": 72 in float32 take as long, 60 0.2% more, 45 in float64 0.3% more.)
    int warps_per_multiprocessor = 67;
    int max_steps = 32;  ///< of a slice; R-MAT 20 takes 104 us with 32, 112 with 16, 118 with 8
    /// Waves of warps from which on slices have twice the steps in flight where codes have 2 bytes: 0.64 to 0.9 of the
    /// time on most matrices between 1.05 and 2 waves, 0.9 to 1.28 at 0.95 to 1.05 ("Slices in the order of rows").
    /// With codes of 4 bytes, so of matrices of more columns, 1.0 to 1.4 there.
    double narrow_waves = 1.05;
};

/// csr-merge ("CSR on the GPU", version 5).
struct MergeTuning {
    /// Nonzeros that a thread has room for: 4, 8 or 12. 4 takes FEM from 1.21 to 0.82 of cuSPARSE; 12 gains 5% on grids
    /// and FEM, but takes `libsvm_w8a` from 1.3 to 0.9.
    int items = 8;
    /// ... and of how few rows and nonzeros 4 are faster, as there are more blocks: 0.92 of the time in float64, 0.94
    /// in float32 and 0.98 in float16 in the mean of 143, 98 and 97 matrices ("Blocks of csr-merge").
    int items_of_few = 4;
    offset_t few = 200'000;
};

/// What the second-level cache keeps of a matrix, in parts of the size of the cache ("What the second-level cache
/// keeps"). Lines that multiprocessors of both halves of an H200 read lie in both, so that half of its size is all
/// there is. Not measured on GPUs whose cache is one piece.
struct CacheTuning {
    double kept = 0.48;          ///< at most; a third is 0 to 8% slower on products of up to 0.7, faster on larger ones
    double all_up_to = 0.65;     ///< bytes of a product: of larger ones less is kept ...
    double none_from = 1.3;      ///< ... down to nothing, or to what this leaves beside x and y:
    double with_vectors = 0.38;  ///< of the matrix, x and y together
    double vector_weight = 1.1;  ///< bytes that a byte of x and y takes
};

/// Memory and launches, by which `auto` predicts times ("auto" in `bench/NOTES.md`). A GPU with other figures gets
/// other predictions from the same costs of operators (`selector/auto/cost_table.hpp`).
struct MemoryTuning {
    double read_bytes_per_s = 4.6e12;  ///< from memory, as `tilespmv info` measures it
    double l2_bytes_per_s = 7e12;      ///< from L2; taken from the times of matrices that fit it, not measured alone
    double l2_bytes = 60 << 20;
    double launch_seconds = 2.4e-6;  ///< of a kernel that does next to nothing, events included
    // Of conjugate gradients (`kernels/solver/solver_model.hpp`).
    double copy_bytes_per_s = 4.3e12;      ///< from memory to memory, read and written together
    double graph_launch_seconds = 1.4e-6;  ///< of an empty kernel after another one in a graph
    /// Of all thread blocks of a kernel: half an iteration of the persistent kernel on 1,024 rows, which takes 5.0 us.
    double meeting_seconds = 2.5e-6;
    /// Of adding sums over two H100 that store them into each other's memory, beside the launch of its kernel
    /// ("Conjugate gradients over several GPUs"); with a larger one Chronopoulos and Gear's recurrence is taken up to
    /// more rows.
    double peer_sum_seconds = 3.6e-6;
};

/// What was measured on one GPU for values of one size.
struct Tuning {
    VectorTuning vector = {};
    InodeTuning inodes = {};
    MergeTuning merge = {};
    DenseRunTuning dense_runs = {};
    SlotTuning slots = {};
    StripTuning strips = {};
    DiaTuning dia = {};
    CacheTuning cache = {};
    SellTuning sell = {};
    MemoryTuning memory = {};
};

/// The tuning for a GPU of this compute capability (90 for 9.0) and values of 2, 4 or 8 bytes. A GPU without
/// measurements takes that of the H200 (90).
const Tuning& tuning_for(int compute_capability, std::size_t value_bytes);

/// What a GPU says of itself.
struct GpuFigures {
    int compute_capability = 0;  ///< 90 for 9.0
    int multiprocessors = 0;
    int warps = 0;  ///< most that are resident on a multiprocessor
    double l2_bytes = 0;
    double memory_bytes_per_s = 0;  ///< by clock and width of its memory, which no product reaches; 0: unknown
};

/// A GPU as choices see it.
struct Gpu {
    int multiprocessors = 0;
    int warps = 0;  ///< most that are resident on a multiprocessor
    Tuning tuning = {};
};

/// A GPU with the tuning for it: of figures that were measured on another one, work that keeps a whole GPU busy is in
/// proportion to the multiprocessors, what is to stay in the L2 cache to its size, rates of memory to what its clock
/// says. The multiprocessors read L2 as fast as those of the H200, each, and launches take as long.
Gpu gpu_of(const GpuFigures& figures, std::size_t value_bytes);

/// The H200, where choices must not depend on the machine.
Gpu measured_gpu(std::size_t value_bytes);

}  // namespace tilespmv

namespace tilespmv::cpu {

/// What operators on the CPU choose ("tile-omp against csr-omp": an EPYC with 32 MB and a Xeon with 300 MB of
/// last-level cache). The same for both types of values and all processors.
struct Tuning {
    /// In nonzeros. Circuit on the EPYC: 181 ms without, 55 with it; twice or half the distance differs little.
    offset_t prefetch_distance = 256;
    /// Prefetched is where more than this share of the nonzeros meets lines of x that no hardware foresees. Matrices in
    /// line are below 0.05, scattered ones above 0.15. Lower: FEM takes 7.6 instead of 5.4 ms.
    double scattered_share = 0.1;
    /// ... and where x takes more than 1 / `cache_parts` of the last-level cache, through which the matrix passes, too.
    /// Lower: uniform on the Xeon, where x fits the cache, takes 60 instead of 49 ms.
    std::size_t cache_parts = 4;

    /// Bytes that a product reads from which on threads share it: below, waking them costs more than they save. Not
    /// swept.
    offset_t parallel_bytes = 128 << 10;
    /// The chunks of a product: so many, of bytes within these bounds. Larger ones hide what a thread pays to fetch one
    /// (0.1 us), smaller ones balance the threads; not swept.
    offset_t chunks = 256;
    offset_t min_chunk_bytes = 16 << 10;
    offset_t max_chunk_bytes = 256 << 10;
};
inline constexpr Tuning kTuning{};

}  // namespace tilespmv::cpu
