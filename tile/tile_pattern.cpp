#include "tile/tile_pattern.hpp"

#include <algorithm>

namespace tilespmv {
namespace {

// Bit counts of four 16-bit lanes at once; plain 64-bit arithmetic, because the baseline x86-64 has no popcount.
constexpr std::uint64_t lane_popcounts(std::uint64_t m) {
    m -= (m >> 1) & 0x5555555555555555u;
    m = (m & 0x3333333333333333u) + ((m >> 2) & 0x3333333333333333u);
    m = (m + (m >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (m + (m >> 8)) & 0x001f001f001f001fu;
}

}  // namespace

void TilePattern::count() {
    const auto words = std::bit_cast<std::array<std::uint64_t, 4>>(row_masks);
    std::array<std::uint64_t, 4> lanes{};
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = lane_popcounts(words[i]);
    const auto counts = std::bit_cast<std::array<std::uint16_t, kTileSize>>(lanes);
    // One loop each, so that each becomes a few vector instructions.
    for (std::size_t r = 0; r < kTileSize; ++r) row_counts[r] = static_cast<std::uint8_t>(counts[r]);
    std::uint16_t sum = 0;
    for (std::size_t r = 0; r < kTileSize; ++r) sum = static_cast<std::uint16_t>(sum + counts[r]);
    std::uint8_t longest = 0;
    for (std::size_t r = 0; r < kTileSize; ++r) longest = std::max(longest, row_counts[r]);
    nnz = sum;
    longest_row = longest;
}

bool TilePattern::only_full_rows() const {
    const auto full = full_row();
    return longest_row == cols &&
           std::all_of(row_masks.begin(), row_masks.end(), [full](auto m) { return m == 0 || m == full; });
}

bool TilePattern::only_full_cols() const {
    return row_counts[0] * rows == nnz &&
           std::all_of(row_masks.begin(), row_masks.begin() + rows, [this](auto m) { return m == row_masks[0]; });
}

}  // namespace tilespmv
