#include "selector/models/vector_shapes.hpp"

#include <algorithm>

namespace tilespmv {
namespace {

// Not swept.
constexpr int kBlockThreads = 256;
constexpr int kMostElements = 8;         ///< of a thread, by 16-byte packs: 4 of them in float64
constexpr std::size_t kOneBlock = 4096;  ///< values that a reduction leaves to one block, which waits for nobody
constexpr int kOneBlockThreads = 1024;
constexpr int kReducingBlocks = 4;  ///< on each multiprocessor

}  // namespace

LaunchShape default_vector_shape(bool reduces, std::size_t n, std::size_t value_bytes, int multiprocessors) {
    const int pack = static_cast<int>(16 / value_bytes);
    if (reduces && n <= kOneBlock) return {kOneBlockThreads, pack, 1};
    const auto resident = static_cast<std::size_t>(multiprocessors) * kBlockThreads * 8;  // values, one each
    const auto wanted = static_cast<int>(std::min<std::size_t>(n / resident + 1, kMostElements));
    const int elements = (wanted + pack - 1) / pack * pack;
    return {kBlockThreads, elements, reduces ? kReducingBlocks * multiprocessors : 0};
}

}  // namespace tilespmv
