#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/convert.hpp"
#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::tools {

/// Loads what a command line calls a matrix: a Matrix Market file (plain, gzip, xz, SuiteSparse .tar.gz), a `.tsp`
/// archive (unpacked), or a generator specification `gen:KIND[:name=value,...]`. Shows progress on a terminal.
template <Value V>
CsrMatrix<V> load_csr(const std::string& source);

/// The short name of a source for tables: the file's stem, or the specification.
std::string source_name(const std::string& source);

}  // namespace tilespmv::tools
