#pragma once

#include "tile/io/text_file.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/types.hpp"

namespace tilespmv::matrix_market {

enum class Layout { coordinate, array };
enum class Field { real, integer, pattern };

/// What stands above the entries of a file: the banner and the size line.
struct Header {
    Layout layout = Layout::coordinate;
    Field field = Field::real;
    Symmetry symmetry = Symmetry::general;
    index_t rows = 0;
    index_t cols = 0;
    offset_t entries = 0;        ///< that the file claims to hold, one a line
    const char* size = nullptr;  ///< start of the size line, for messages
    const char* body = nullptr;  ///< behind the size line

    [[nodiscard]] bool expands() const noexcept { return symmetry != Symmetry::general; }
};

/// Reads banner, comments and size line. Throws `Error` with the line for whatever is not as the format wants it, and
/// for complex and hermitian matrices.
Header parse_header(const TextFile& file);

}  // namespace tilespmv::matrix_market
