#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// Writes a tiled matrix as a `.tsp` archive: to a temporary file beside `file`, then renamed.
/// `formats` gives the names of the format ids in `a`. Throws `Error` if the file cannot be written.
template <Value V>
void write_archive(const std::filesystem::path& file, const TileMatrix<V>& a, std::span<const FormatInfo> formats);

/// Opens a `.tsp` archive by mapping it; nothing is parsed or copied (writing to the matrix copies pages privately).
/// Everything in it is checked before it is used: version, sizes, checksums, level 1, every index byte of every tile.
/// Throws `Error` (one line) for a damaged, truncated, foreign or newer file, for one of another value type, and for
/// formats that `formats` lacks.
template <Value V>
TileMatrix<V> open_archive(const std::filesystem::path& file, std::span<const FormatInfo> formats);

/// Whether the file starts as a `.tsp` archive does; false if it cannot be read.
bool is_archive(const std::filesystem::path& file);

/// Name of the value type an archive holds ("float64", "float32"). Throws `Error` as `open_archive` does.
std::string archive_value_type(const std::filesystem::path& file);

}  // namespace tilespmv
