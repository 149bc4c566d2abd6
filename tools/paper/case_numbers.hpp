#pragma once

#include <string_view>

#include "tools/paper/results.hpp"

// What tables and pictures say of one case.
namespace tilespmv::tools {

inline double gigaflops(const bench::Result& r) { return bench::metrics(r).flops * 1e-9; }

/// Bytes in units of those of CSR with 32-bit indices; 0 if they are not known.
double over_csr(const PaperMatrix& matrix, offset_t bytes);

/// Nonzeros that the selector left outside the tiles.
offset_t deferred_nonzeros(const bench::Result& r);

/// Tiles of all formats.
offset_t stored_tiles(const bench::Result& r);

/// What a format holds; nothing if there are no tiles of it.
bench::FormatShare stored_in(const bench::Result& r, std::string_view format);

}  // namespace tilespmv::tools
