#pragma once

#include <string>

#include "tools/picture/picture.hpp"

namespace tilespmv::tools {

/// A picture as a PNG file, in the sans-serif font of this machine, or, where no font is installed, in one that Cairo
/// has for ASCII. Rectangles and images on whole pixels are exact. Throws `Error` if a side is longer than the 32,767
/// pixels that Cairo draws, or if Cairo fails.
std::string png(const Picture& picture);

/// The pixels themselves as a PNG file. Throws `Error` as above.
std::string png(const Image& image);

}  // namespace tilespmv::tools
