#pragma once

#include <filesystem>

namespace tilespmv {

/// Where this project keeps what it has found out, for users to see and delete: $XDG_CACHE_HOME/tilespmv, or
/// ~/.cache/tilespmv; empty, so that nothing is kept, where neither is known.
std::filesystem::path user_cache_folder();

}  // namespace tilespmv
