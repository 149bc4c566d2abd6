#pragma once

#include <string>
#include <string_view>

namespace tilespmv::tools {

/// Bytes as base64 (RFC 4648, with padding).
std::string base64(std::string_view bytes);

}  // namespace tilespmv::tools
