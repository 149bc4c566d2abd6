#pragma once

#include <filesystem>

#include "tools/picture/picture.hpp"

namespace tilespmv::tools {

/// Writes a picture as a whole to a file: as SVG if its name ends in .svg, else as PNG of `scale` times its pixels.
/// Throws `Error`, which names the file, also where `png` does.
void write_picture(const std::filesystem::path& file, const Picture& picture, double scale);

}  // namespace tilespmv::tools
