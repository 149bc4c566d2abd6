#pragma once

#include <cmath>
#include <random>

#include "selector/models/spmv_model.hpp"

/// A machine whose times are known.
namespace tilespmv::test {

inline Probe h200_like() {
    return {.name = "Test GPU",
            .is_gpu = true,
            .multiprocessors = 132,
            .registers = 65536,
            .shared_bytes = 228.0 * 1024,
            .threads = 2048,
            .blocks = 32,
            .cache_bytes = 60e6,
            .memory_bytes = 140e9,
            .read_rate = 4.6e12,
            .copy_rate = 4.3e12,
            .triad_rate = 4.3e12,
            .cache_rate = 7e12,
            .loop_launch_seconds = 4e-6,
            .graph_launch_seconds = 1.4e-6};
}

/// Features of matrices of many sizes and lengths of rows, in the cache and beyond.
inline MatrixFeatures random_features(std::mt19937& random) {
    std::uniform_real_distribution<double> share(0, 1);
    MatrixFeatures f;
    f.mean_row = 3 + 60 * share(random) * share(random);
    f.nnz = static_cast<offset_t>(std::pow(10, 4 + 3.7 * share(random)));
    f.rows = f.cols = static_cast<index_t>(static_cast<double>(f.nnz) / f.mean_row) + 1;
    f.longest_row = static_cast<offset_t>(f.mean_row * (1 + 3 * share(random))) + 1;
    f.row_deviation = f.mean_row * share(random);
    f.x_sectors = share(random);
    f.narrow_share = share(random);
    f.tile_nonzeros = 4 + 60 * share(random);
    f.inode_rows = 1 + 3 * share(random);
    f.strip_slots = 2 * f.mean_row;
    f.strip_fill = 0.5;
    f.hyb_width = f.longest_row / 2 + 1;
    f.diagonals = f.longest_row;
    for (std::size_t i = 0; i < f.row_rounds.size(); ++i) {
        const int nonzeros = 2 << i;
        f.row_rounds[i] = {nonzeros, f.nnz / nonzeros + f.rows, f.longest_row / nonzeros + 1};
    }
    return f;
}

/// Seconds of a product whose costs are planted.
inline double product_seconds(const Candidate& candidate, const MatrixFeatures& f, const Probe& probe, double scale) {
    const ProductWork work = product_work(candidate, f, probe);
    const auto amounts = amounts_of(work);
    const bool is_streamed = regime_of(work) == Regime::streamed;
    return scale * (2e-6 + (is_streamed ? 1.1 : 0.9) * amounts[1] + 4e-12 * amounts[3] + 1e-11 * amounts[5]);
}

}  // namespace tilespmv::test
