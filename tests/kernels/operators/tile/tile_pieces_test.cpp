#include "tests/support/tile_pieces.hpp"

#include <numeric>

namespace tilespmv::testing {
namespace {

TEST(TilePieces, AreAddedUpInTheirOrder) {
    cuda::TilePieces all;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> firsts;  // and how many
    for (const std::uint32_t count : {2u, 7u, 8u, 9u, 64u, 65u, 1000u}) {
        firsts.emplace_back(static_cast<std::uint32_t>(all.pieces.size()), count);
        all.add(static_cast<std::uint32_t>(firsts.size()), count);
    }
    PieceReader reader(all);
    for (std::uint32_t i = 0; i < firsts.size(); ++i) {
        std::vector<std::uint32_t> at(firsts[i].second);
        std::iota(at.begin(), at.end(), firsts[i].first);
        reader.expect_complete(i + 1, at);
    }
    reader.expect_no_place_taken();
}

}  // namespace
}  // namespace tilespmv::testing
