#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace tilespmv::test {

/// How many descriptors this process has open, the one that counts them included.
inline std::ptrdiff_t open_descriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

}  // namespace tilespmv::test
