#include "tile/io/user_cache.hpp"

#include <cstdlib>

namespace tilespmv {

std::filesystem::path user_cache_folder() {
    const auto set = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::filesystem::path(value == nullptr ? "" : value);
    };
    // As the specification of XDG base directories has it, relative paths are invalid.
    if (const auto cache = set("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "tilespmv";
    if (const auto home = set("HOME"); home.is_absolute()) return home / ".cache" / "tilespmv";
    return {};
}

}  // namespace tilespmv
