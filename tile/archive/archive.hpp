#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tile/io/input.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

/// Writes a tiled matrix as a `.tsp` archive (bytes: tile/archive/layout.hpp): to a temporary file beside `file`, then
/// renamed. `formats` gives the names of the format numbers in `a`. Throws `Error` if the file cannot be written.
template <Value V>
void write_archive(const std::filesystem::path& file, const TileMatrix<V>& a, std::span<const FormatInfo> formats);

/// Opens a `.tsp` archive by mapping it; nothing is parsed or copied (writing to the matrix copies pages privately).
/// Everything in it is checked, in parallel: version, sizes, all checksums, and all that `validate` of
/// tile/archive/verify_tiles.hpp checks. Format numbers are translated if `formats` has another order than the file.
/// Throws `Error` (one line) for a damaged, truncated, foreign or newer file, for one of another value type, and for
/// tiles in a format that `formats` lacks. The file must not be changed in place while the matrix lives.
template <Value V>
TileMatrix<V> open_archive(const std::filesystem::path& file, std::span<const FormatInfo> formats);

/// The same for an archive in memory at a multiple of 64 bytes, kept alive by `owner`. Messages call it `name`.
template <Value V>
TileMatrix<V> open_archive(std::span<std::byte> bytes, std::shared_ptr<void> owner, std::string_view name,
                           std::span<const FormatInfo> formats);

/// The same for an input that is open already. What came through a pipe is copied, as opening may write to it.
template <Value V>
TileMatrix<V> open_archive(const Input& input, std::span<const FormatInfo> formats);

/// Whether the input starts as a `.tsp` archive does.
bool is_archive(const Input& input);

/// Name of the value type an archive holds (such as "float64"), from its header alone. Throws `Error` as
/// `open_archive` does.
std::string archive_value_type(const Input& input);

}  // namespace tilespmv
