#pragma once

#include <filesystem>
#include <string_view>

#include "tools/picture/picture.hpp"

namespace tilespmv::tools {

/// Throws a usage `Error` for a name of a picture, given by `option`, that ends neither in .png nor in .svg.
void require_picture_name(std::string_view option, const std::filesystem::path& file);

/// Writes a picture as a whole to a file: as SVG if its name ends in .svg, else as PNG.
/// Throws `Error`, which names the file, also where `png` does.
void write_picture(const std::filesystem::path& file, const Picture& picture);

}  // namespace tilespmv::tools
