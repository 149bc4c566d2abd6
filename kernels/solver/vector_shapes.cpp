#include "kernels/solver/vector_shapes.hpp"

#include <algorithm>

namespace tilespmv::solver {
namespace {

constexpr int kBlockThreads = 256;
constexpr int kMostElements = 8;         ///< of a thread, by 16-byte packs: 4 of them in float64
constexpr std::size_t kOneBlock = 4096;  ///< values that a reduction leaves to one block
constexpr int kOneBlockThreads = 1024;
constexpr int kReducingBlocks = 4;  ///< on each multiprocessor

}  // namespace

VectorShapes vector_shapes(std::size_t n, std::size_t value_bytes, int multiprocessors) {
    const int pack = static_cast<int>(16 / value_bytes);
    const auto resident = static_cast<std::size_t>(multiprocessors) * kBlockThreads * 8;  // values, one each
    const auto wanted = static_cast<int>(std::min<std::size_t>(n / resident + 1, kMostElements));
    const int elements = (wanted + pack - 1) / pack * pack;
    VectorShapes shapes{{kBlockThreads, elements, 0}, {kBlockThreads, elements, kReducingBlocks * multiprocessors}};
    if (n <= kOneBlock) shapes.reducing = {kOneBlockThreads, pack, 1};
    return shapes;
}

}  // namespace tilespmv::solver
