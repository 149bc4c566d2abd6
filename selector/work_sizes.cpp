#include "selector/work_sizes.hpp"

#include <algorithm>

namespace tilespmv {

offset_t dense_run_tiles(offset_t tiles, const Gpu& gpu) {
    const DenseRunTuning& tuning = gpu.tuning.dense_runs;
    return std::clamp(div_up(tiles, tuning.runs_per_multiprocessor * gpu.multiprocessors), tuning.min_tiles,
                      tuning.max_tiles);
}

SlotLimits slot_limits(offset_t nonzeros, offset_t tile_rows, const Gpu& gpu) {
    const SlotTuning& tuning = gpu.tuning.slots;
    const offset_t warps = offset_t{gpu.multiprocessors} * gpu.warps;
    SlotLimits limits;
    limits.item_values = std::clamp(nonzeros / (warps * tuning.items_per_warp), tuning.min_item, tuning.max_item);
    limits.half_values = tile_rows >= tuning.tile_rows_per_warp * warps ? tuning.max_half_item : 0;
    return limits;
}

namespace {

/// Of a strip: of those much longer than others one would run on alone.
int most_slots(offset_t rows, offset_t nonzeros, const StripTuning& tuning) {
    constexpr offset_t kMostOverMean = 4;
    const offset_t tile_rows = div_up(rows, offset_t{kTileSize});
    if (tile_rows >= tuning.one_group_from) return tuning.max_slots;
    if (tile_rows < tuning.busy_from) return tuning.max_slots_of_few;
    return static_cast<int>(
        std::clamp<offset_t>(kMostOverMean * nonzeros / rows, tuning.max_slots_of_few, tuning.max_slots));
}

}  // namespace

StripSizes strip_sizes(offset_t rows, offset_t nonzeros, const Gpu& gpu) {
    const StripTuning& tuning = gpu.tuning.strips;
    const offset_t tile_rows = div_up(rows, offset_t{kTileSize});
    const bool is_short = static_cast<double>(nonzeros) <= tuning.short_row * static_cast<double>(rows);
    const bool is_one_wave = tile_rows <= tuning.few_tile_rows * gpu.multiprocessors;
    const int blocks = is_short || is_one_wave ? tuning.blocks_of_few : tuning.blocks;
    const offset_t wave = std::max(blocks * gpu.multiprocessors, 1);
    return {most_slots(rows, nonzeros, tuning),
            tile_rows < tuning.one_group_from ? tuning.lane_slots : tuning.max_slots,
            static_cast<int>(std::clamp<offset_t>(div_up(tile_rows, wave), 1, 128)),
            blocks,
            std::min(blocks, tuning.rank_blocks),
            tile_rows >= tuning.busy_from ? tuning.rank_bytes : 0};
}

double kept_share(std::size_t product_bytes, std::size_t vector_bytes, std::size_t l2_bytes,
                  const CacheTuning& tuning) {
    if (product_bytes == 0) return 1;
    const auto l2 = static_cast<double>(l2_bytes);
    const double size = static_cast<double>(product_bytes) / l2;
    const double decline = std::clamp((tuning.none_from - size) / (tuning.none_from - tuning.all_up_to), 0.0, 1.0);
    const double beside_vectors = tuning.with_vectors - tuning.vector_weight * static_cast<double>(vector_bytes) / l2;
    return std::clamp(std::max(tuning.kept * decline, beside_vectors) / size, 0.0, 1.0);
}

int sell_steps(index_t cols, offset_t nonzeros, std::size_t value_bytes,
               const std::function<offset_t(int steps)>& lanes_of, const Gpu& gpu) {
    const SellTuning& tuning = gpu.tuning.sell;
    const double lanes = 32.0 * gpu.multiprocessors;  // for a warp of each
    const std::size_t code_bytes = sell_code_bytes(cols);
    const int flight = sell_flight(value_bytes, code_bytes);
    int steps = flight;
    const auto all = static_cast<double>(nonzeros);
    while (steps < tuning.max_steps && steps < all / (lanes * tuning.warps_per_multiprocessor)) steps *= 2;
    const double one_wave = tuning.narrow_waves * lanes * sell_warps(value_bytes);
    if (steps > flight || code_bytes > 2 || all <= one_wave) return steps;
    return static_cast<double>(lanes_of(flight)) > one_wave ? 2 * flight : flight;
}

int merge_items(offset_t rows_and_nonzeros, const MergeTuning& tuning) {
    return rows_and_nonzeros < tuning.few ? tuning.items_of_few : tuning.items;
}

int dia_rows_a_thread(index_t rows, offset_t diagonals, const Gpu& gpu) {
    const DiaTuning& tuning = gpu.tuning.dia;
    const bool is_one_wave = rows <= tuning.wave_rows * gpu.multiprocessors;
    return !is_one_wave && diagonals <= tuning.pair_diagonals && rows * diagonals <= tuning.pair_places ? 2 : 1;
}

}  // namespace tilespmv
