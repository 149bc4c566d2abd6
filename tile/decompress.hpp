#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

namespace tilespmv {

/// Text in memory of its own, followed by 64 zero bytes.
struct DecompressedText {
    std::shared_ptr<char> data;
    std::size_t size = 0;
};

/// Decompresses a gzip or xz file into memory; of a tar archive among them only NAME.mtx, where the archive is
/// NAME.tar.gz. A stream that is not compressed is read as it is. `progress` is told the share that is done.
/// Throws `Error` with file and line if the stream breaks off, and with the .mtx files found if NAME.mtx is missing.
DecompressedText decompress(const std::filesystem::path& file, const std::function<void(double)>& progress);

}  // namespace tilespmv
