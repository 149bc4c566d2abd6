#pragma once

#include "selector/auto/matrix_features.hpp"

namespace tilespmv {

/// Calls f(name, feature) for the features that are one number each, as `explain` calls them.
/// Features: `MatrixFeatures`, const or not.
template <class Features, class F>
void for_each_feature(Features& of, F&& f) {
    f("rows", of.rows);
    f("cols", of.cols);
    f("nnz", of.nnz);
    f("mean_row", of.mean_row);
    f("row_deviation", of.row_deviation);
    f("longest_row", of.longest_row);
    f("empty_rows", of.empty_rows);
    f("inode_rows", of.inode_rows);
    f("narrow_share", of.narrow_share);
    f("x_sectors", of.x_sectors);
    f("tile_nonzeros", of.tile_nonzeros);
    f("full_tile_share", of.full_tile_share);
    f("strip_slots", of.strip_slots);
    f("strip_fill", of.strip_fill);
    f("repeated_strips", of.repeated_strips);
    f("diagonals", of.diagonals);
    f("hyb_width", of.hyb_width);
    f("hyb_rest", of.hyb_rest);
}

}  // namespace tilespmv
