#pragma once

#include <cstddef>

namespace tilespmv::cpu {

/// Size of the largest cache of the first processor in bytes, 32 MiB if the system does not tell.
std::size_t last_level_cache_bytes();

}  // namespace tilespmv::cpu
