#pragma once

#include <cstddef>
#include <string>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

/// A matrix as a page for people: one HTML file that loads nothing, in which they zoom from the whole matrix to the
/// nonzeros of a tile. `page/` has the parts of the page.
namespace tilespmv::tools {

struct ViewOptions {
    std::string name = {};               ///< of the matrix
    std::string selector = {};           ///< that made the tiles; empty: nobody knows
    std::size_t most_bytes = 5'000'000;  ///< of the page
};

struct ViewPage {
    std::string html;
    offset_t tiles = 0;
    offset_t detailed_tiles = 0;  ///< whose nonzeros are in the page: all of them, if they fit
};

/// The page of a matrix and of what was made of it. Throws `Error` if `a` breaks an invariant of `CsrMatrix`.
template <Value V>
ViewPage view_page(const CsrMatrix<V>& a, const TileMatrix<V>& tiles, const ViewOptions& options);

}  // namespace tilespmv::tools
