#pragma once

#include <chrono>

namespace tilespmv {

inline double seconds_since(std::chrono::steady_clock::time_point before) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

}  // namespace tilespmv
