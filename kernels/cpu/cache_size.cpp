#include "kernels/cpu/cache_size.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace tilespmv::cpu {
namespace {

constexpr std::size_t kFallbackBytes = std::size_t{32} << 20;

// Sizes in sysfs read "2048K" or "32M".
std::size_t read_cache_size(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::size_t size = 0;
    char unit = 0;
    in >> size >> unit;
    return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

}  // namespace

std::size_t last_level_cache_bytes() {
    std::size_t largest = 0;
    for (int i = 0;; ++i) {
        const std::filesystem::path file = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size";
        if (!std::filesystem::exists(file)) break;
        largest = std::max(largest, read_cache_size(file));
    }
    return largest > 0 ? largest : kFallbackBytes;
}

}  // namespace tilespmv::cpu
