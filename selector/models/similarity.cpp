#include "selector/models/similarity.hpp"

#include <algorithm>
#include <cmath>

namespace tilespmv {

Place place_of(const ProductWork& work) {
    const MatrixFeatures& f = work.features;
    const double mean = std::max(f.mean_row, 1e-3);
    const double of_cache = work.probe.cache_bytes > 0 ? work.bytes / work.probe.cache_bytes : work.bytes;
    return {0.25 * std::log2(std::max(of_cache, 1e-9)),
            0.6 * std::log2(1 + mean),
            std::min(f.row_deviation / mean, 3.0),
            0.3 * std::log2(1 + static_cast<double>(f.longest_row) / mean),
            2 * f.x_sectors,
            0.7 * f.narrow_share,
            0.5 * f.hub_share,
            2 * f.strip_fill,
            0.4 * std::log2(1 + f.tile_nonzeros),
            0.7 * std::log2(std::max(f.inode_rows, 1.0)),
            f.full_tile_share};
}

double correction_at(const Place& place, std::span<const Anchor> anchors, double width) {
    constexpr double kOfNone = 0.2;  // weight of an error of 0
    if (width <= 0) return 0;
    double weights = kOfNone;
    double errors = 0;
    for (const Anchor& anchor : anchors) {
        double squares = 0;
        for (std::size_t i = 0; i < place.size(); ++i) squares += std::pow(place[i] - anchor.place[i], 2);
        const double weight = std::exp(-squares / (2 * width * width));
        weights += weight;
        errors += weight * anchor.error;
    }
    return errors / weights;
}

}  // namespace tilespmv
