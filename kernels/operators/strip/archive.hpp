#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/load.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "tile/io/input.hpp"

namespace tilespmv {

/// What `archive_kind` says of an archive of strips.
inline constexpr std::string_view kStripKind = "strip";

/// Writes strips as a `.tsp` archive (bytes: tile/FORMAT.md): to a temporary file beside `file`, then renamed. Throws
/// `Error` if the file cannot be written.
template <Value V>
void write_archive(const std::filesystem::path& file, const StripMatrix<V>& m);

/// Opens an archive of strips by mapping it; nothing is parsed, and little copied (writing to the matrix copies pages
/// privately). Everything in it is checked, in parallel: version, sizes, all checksums, and all that `validate` of
/// kernels/operators/strip/verify_strips.hpp checks. Throws `Error` (one line) for a damaged, truncated, foreign or
/// newer file, for one that holds another kind of matrix, and for one of another value type. The file must not be
/// changed in place while the matrix lives.
template <Value V>
StripMatrix<V> open_strips(const std::filesystem::path& file);

/// The same for an archive in memory at a multiple of 64 bytes, kept alive by `owner`. Messages call it `name`.
template <Value V>
StripMatrix<V> open_strips(std::span<std::byte> bytes, std::shared_ptr<void> owner, std::string_view name);

/// The same for an input that is open already. What came through a pipe is copied, as opening may write to it.
template <Value V>
StripMatrix<V> open_strips(const Input& input);

/// The strips that an archive holds, their values converted to V; as `load_tiles`.
template <Value V>
StripMatrix<V> load_strips(const std::string& archive, const LoadOptions& options = {});

}  // namespace tilespmv
