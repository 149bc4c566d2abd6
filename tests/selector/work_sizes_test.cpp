#include "selector/work_sizes.hpp"

#include <gtest/gtest.h>

namespace tilespmv::cuda {
namespace {

const Gpu kGpu{.multiprocessors = 132, .warps = 32};
constexpr offset_t kWarps = 132 * 32;

TEST(DenseRunTiles, AreThoseOfOneWaveOfBlocks) {
    EXPECT_EQ(dense_run_tiles(100, kGpu), 8);
    EXPECT_EQ(dense_run_tiles(65536, kGpu), 16);
    EXPECT_EQ(dense_run_tiles(100'000'000, kGpu), 64);
}

TEST(SlotLimits, FollowTheMatrix) {
    EXPECT_EQ(slot_limits(1000, 100, kGpu).item_values, 256);
    EXPECT_EQ(slot_limits(20'000'000, 100, kGpu).item_values, 20'000'000 / (kWarps * 2));
    EXPECT_EQ(slot_limits(10'000'000'000, 100, kGpu).item_values, 4096);
    EXPECT_EQ(slot_limits(1000, 2 * kWarps - 1, kGpu).half_values, 0);
    EXPECT_EQ(slot_limits(1000, 2 * kWarps, kGpu).half_values, 512);
}

StripSizes sizes_of(offset_t tile_rows, offset_t nonzeros_a_row = 7) {
    return strip_sizes(16 * tile_rows, 16 * tile_rows * nonzeros_a_row, measured_gpu(8));
}

TEST(StripSizes, FollowTheNumberOfTileRows) {
    EXPECT_EQ(sizes_of(0).block_strips, 1);
    EXPECT_EQ(sizes_of(132 * 18 * 48).block_strips, 48) << "one wave of blocks";
    EXPECT_EQ(sizes_of(132 * 18 * 48 + 1).block_strips, 49);
    EXPECT_EQ(sizes_of(100'000'000).block_strips, 128);
    EXPECT_EQ(sizes_of(999, 60).max_slots, 128);
    EXPECT_EQ(sizes_of(1000, 60).max_slots, 240) << "four rows";
    EXPECT_EQ(sizes_of(1000, 7).max_slots, 128);
    EXPECT_EQ(sizes_of(1000, 200).max_slots, 512);
    EXPECT_EQ(sizes_of(19'999).max_slots, 128);
    EXPECT_EQ(sizes_of(20'000).max_slots, 512);
    EXPECT_EQ(sizes_of(19'999).lane_slots, 32);
    EXPECT_EQ(sizes_of(20'000).lane_slots, 512);
    EXPECT_EQ(sizes_of(999).rank_bytes, 0);
    EXPECT_EQ(sizes_of(1000).rank_bytes, 1.2);
}

TEST(StripSizes, LeaveMoreRegistersToABlockWhereStripsAreFewOrShort) {
    EXPECT_EQ(sizes_of(24 * 132).blocks, 12);
    EXPECT_EQ(sizes_of(24 * 132 + 1).blocks, 18);
    EXPECT_EQ(sizes_of(100'000, 5).blocks, 12);
    EXPECT_EQ(sizes_of(100'000, 6).blocks, 18);
    EXPECT_EQ(strip_sizes(1'600'000, 8'000'000, measured_gpu(4)).blocks, 18) << "in float64 alone";
}

TEST(KeptShare, IsAllOfWhatFitsAndNoneOfWhatDoesNot) {
    const CacheTuning tuning{.kept = 0.5, .all_up_to = 0.75, .none_from = 1.25, .with_vectors = 0};
    const auto kept = [&](std::size_t bytes) { return kept_share(bytes, 0, 1000, tuning); };
    EXPECT_EQ(kept(0), 1);
    EXPECT_EQ(kept(500), 1);
    EXPECT_DOUBLE_EQ(kept(625), 0.8);
    EXPECT_DOUBLE_EQ(kept(1000), 0.25) << "half of what is kept of 750 bytes";
    EXPECT_EQ(kept(1250), 0);
    EXPECT_EQ(kept(1'000'000'000), 0);
}

TEST(KeptShare, IsWhatVectorsLeaveOfLargeProducts) {
    const CacheTuning tuning{
        .kept = 0.5, .all_up_to = 0.75, .none_from = 1.25, .with_vectors = 0.3, .vector_weight = 2};
    const auto kept = [&](std::size_t bytes, std::size_t vectors) { return kept_share(bytes, vectors, 1000, tuning); };
    EXPECT_DOUBLE_EQ(kept(2000, 0), 0.15);
    EXPECT_DOUBLE_EQ(kept(2000, 50), 0.1) << "300 bytes but for twice 50";
    EXPECT_EQ(kept(2000, 150), 0);
    EXPECT_EQ(kept(2000, 2000), 0);
    EXPECT_DOUBLE_EQ(kept(1000, 50), 0.25) << "as without vectors, which is more";
    EXPECT_EQ(kept(100, 100), 1);
}

TEST(WorkSizes, FollowTheTuning) {
    Gpu gpu = kGpu;
    gpu.tuning.dense_runs = {.runs_per_multiprocessor = 1, .min_tiles = 1, .max_tiles = 5};
    EXPECT_EQ(dense_run_tiles(1, gpu), 1);
    EXPECT_EQ(dense_run_tiles(132 * 3, gpu), 3);
    EXPECT_EQ(dense_run_tiles(132 * 6, gpu), 5);
    gpu.tuning.strips = {.blocks = 1, .few_tile_rows = 0, .max_slots = 30, .max_slots_of_few = 20, .lane_slots = 12};
    EXPECT_EQ(strip_sizes(132 * 5 * 16, 132 * 5 * 16, gpu).block_strips, 5);
    EXPECT_EQ(strip_sizes(1, 1, gpu).max_slots, 20);
    EXPECT_EQ(strip_sizes(1, 1, gpu).lane_slots, 12);
    EXPECT_EQ(strip_sizes(320'000, 320'000, gpu).max_slots, 30);
    gpu.tuning.dia = {.wave_rows = 10, .pair_diagonals = 5, .pair_places = 1321 * 5};
    EXPECT_EQ(dia_rows_a_thread(1320, 5, gpu), 1) << "one wave";
    EXPECT_EQ(dia_rows_a_thread(1321, 5, gpu), 2);
    EXPECT_EQ(dia_rows_a_thread(1321, 6, gpu), 1) << "several groups";
    EXPECT_EQ(dia_rows_a_thread(1322, 5, gpu), 1) << "too many places";
    gpu.tuning.slots = {1, 10, 20, 7, 3};
    EXPECT_EQ(slot_limits(1, 0, gpu).item_values, 10);
    EXPECT_EQ(slot_limits(15 * kWarps, 0, gpu).item_values, 15);
    EXPECT_EQ(slot_limits(30 * kWarps, 3 * kWarps, gpu).item_values, 20);
    EXPECT_EQ(slot_limits(1, 3 * kWarps, gpu).half_values, 7);
    EXPECT_EQ(slot_limits(1, 3 * kWarps - 1, gpu).half_values, 0);
}

}  // namespace
}  // namespace tilespmv::cuda
