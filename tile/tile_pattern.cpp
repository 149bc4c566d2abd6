#include "tile/tile_pattern.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tile/tile_pattern.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilespmv::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// In vectors of 16 bytes only: wider loads would wait for the narrower stores that wrote the masks.
void count(TilePattern& p) {
#if HWY_TARGET == HWY_SCALAR  // no vectors of more than one lane
    p.nnz = p.longest_row = 0;
    for (std::size_t r = 0; r < kTileSize; ++r) {
        p.row_counts[r] = static_cast<std::uint8_t>(hwy::PopCount(std::uint64_t{p.row_masks[r]}));
        p.nnz += p.row_counts[r];
        p.longest_row = std::max<int>(p.longest_row, p.row_counts[r]);
    }
#else
    const hn::CappedTag<std::uint16_t, 8> masks;
    const hn::CappedTag<std::uint8_t, 16> bytes;
    const auto first = hn::PopulationCount(hn::LoadU(masks, p.row_masks.data()));
    const auto last = hn::PopulationCount(hn::LoadU(masks, p.row_masks.data() + 8));
    const auto counts = hn::ConcatEven(bytes, hn::BitCast(bytes, last), hn::BitCast(bytes, first));
    hn::StoreU(counts, bytes, p.row_counts.data());
    const auto sums = hn::SumsOf8(counts);
    p.nnz = static_cast<int>(hn::GetLane(hn::SumOfLanes(hn::CappedTag<std::uint64_t, 2>(), sums)));
    p.longest_row = hn::GetLane(hn::MaxOfLanes(bytes, counts));
#endif
}

}  // namespace tilespmv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilespmv {
HWY_EXPORT(count);

void TilePattern::count() { HWY_DYNAMIC_DISPATCH(tilespmv::count)(*this); }

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
#endif
