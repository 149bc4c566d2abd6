#pragma once

#include <string>
#include <vector>

#include "selector/policy.hpp"
#include "tools/view/lowered.hpp"
#include "tools/view/quadtree.hpp"
#include "tools/view/view.hpp"

namespace tilespmv::tools {

/// What the page is of, whatever the type of the values.
struct ViewedMatrix {
    ViewOptions options;
    std::string_view value_type;
    int value_bytes = 8;
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    offset_t csr_bytes = 0;
    offset_t tiled_bytes = 0;
    double scattered_share = 0;  ///< of the nonzeros: no slots of the operator `tile`
    TileList list;
    std::vector<StripRows> strips;

    /// Levels above the tiles, the last with one cell.
    [[nodiscard]] int levels() const;
};

/// What a format has of the matrix; the last one is what is deferred.
struct ViewedFormat {
    offset_t tiles = 0;
    offset_t nnz = 0;
    std::vector<TilePlace> examples;  ///< the one with most nonzeros first, then others evenly over the matrix
};
std::vector<ViewedFormat> viewed_formats(const TileList& list);

/// The data of the page, `{"base64": ..., "matrix": {...}, ...}`: JSON of what is told in numbers, and an array of
/// bytes, compressed, with the tree, the different tiles and what becomes of them, in the parts that "sections" names.
std::string view_data(const ViewedMatrix& matrix, const std::vector<ViewedFormat>& formats, const Quadtree& tree);

}  // namespace tilespmv::tools
