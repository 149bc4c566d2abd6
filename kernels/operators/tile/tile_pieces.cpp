#include "kernels/operators/tile/tile_pieces.hpp"

namespace tilespmv::cuda {

void TilePieces::add(std::uint32_t tile_row, std::uint32_t count) {
    constexpr std::uint32_t most = TilePiece::kMost;
    const std::uint32_t groups = (count + most - 1) / most;
    const auto next_level = static_cast<std::uint32_t>(pieces.size()) + count;
    for (std::uint32_t i = 0; i < count; ++i) {
        TilePiece piece{tile_row, places++};
        const bool is_last = i % most + 1 == most || i + 1 == count;
        if (is_last) piece.takes = static_cast<std::int32_t>(i % most);
        if (is_last && groups > 1) piece.next = static_cast<std::int32_t>(next_level + i / most);
        pieces.push_back(piece);
    }
    if (groups > 1) add(tile_row, groups);
}

}  // namespace tilespmv::cuda
