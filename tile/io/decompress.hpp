#pragma once

#include <functional>

#include "tile/io/growing_text.hpp"
#include "tile/io/input.hpp"

namespace tilespmv {

/// Whether the bytes start as a compressed file does, also of a kind that `decompress` refuses.
bool is_compressed(std::string_view bytes);

/// Decompresses gzip (of one or more members), bzip2, xz or Zstandard into memory; of a tar archive in it only
/// NAME.mtx, where the archive is NAME.tar.gz, or, in a pipe, which has no name, the first NAME/NAME.mtx. The stream is
/// read to its end and all its checksums are checked, even if the text that is wanted ended before. `progress` is told
/// the share that is done. Throws `Error` with file and line if the stream breaks off or is damaged, or something
/// follows it that is neither compressed nor zero; with the .mtx files found if NAME.mtx is missing; if more comes out
/// than `limits` allow; and for other compressions, with their names.
OwnedText decompress(const Input& input, const InputLimits& limits, const std::function<void(double)>& progress);

}  // namespace tilespmv
