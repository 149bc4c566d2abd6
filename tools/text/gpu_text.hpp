#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tilespmv::tools {

/// A line of `tilespmv info`: what it is about, and the text.
std::string info_line(std::string_view what, std::string_view text);

/// The lines about the GPU, of what `tilespmv info --json` says of it.
std::string gpu_text(const nlohmann::ordered_json& gpu);

}  // namespace tilespmv::tools
