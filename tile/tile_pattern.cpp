#include "tile/tile_pattern.hpp"

#include <algorithm>

#define HWY_WANT_AVX3_DL  // it counts the bits of 16-bit lanes in one instruction
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tile/tile_pattern.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilespmv::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR  // no vectors of more than one lane

void count(TilePattern& p) {
    p.nnz = p.longest_row = 0;
    for (std::size_t r = 0; r < kTileSize; ++r) {
        p.row_counts[r] = static_cast<std::uint8_t>(hwy::PopCount(std::uint64_t{p.row_masks[r]}));
        p.nnz += p.row_counts[r];
        p.longest_row = std::max<int>(p.longest_row, p.row_counts[r]);
    }
}

void assign(TilePattern& p, const std::uint16_t* masks, const RowLikeness& like) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(masks);
    auto* to = reinterpret_cast<std::uint8_t*>(p.row_masks.data());
    for (int i = 0; i < 2 * kTileSize; ++i) {
        const int low = like.bytes(i / 16, 0)[i % 16];
        to[i] = low != RowLikeness::kNone ? from[low] : from[16 + like.bytes(i / 16, 1)[i % 16]];
    }
    count(p);
}

#else

// In vectors of 16 bytes only: wider loads would wait for the narrower stores that wrote the masks.
using Masks = hn::CappedTag<std::uint16_t, RowLikeness::kHalf>;
using Bytes = hn::CappedTag<std::uint8_t, 16>;

HWY_INLINE void count_rows(TilePattern& p, hn::Vec<Masks> first, hn::Vec<Masks> last) {
    const Bytes bytes;
    const auto counts = hn::ConcatEven(bytes, hn::BitCast(bytes, hn::PopulationCount(last)),
                                       hn::BitCast(bytes, hn::PopulationCount(first)));
    hn::StoreU(counts, bytes, p.row_counts.data());
    const auto sums = hn::SumsOf8(counts);
    p.nnz = static_cast<int>(hn::GetLane(hn::SumOfLanes(hn::CappedTag<std::uint64_t, 2>(), sums)));
    p.longest_row = hn::GetLane(hn::MaxOfLanes(bytes, counts));
}

void count(TilePattern& p) {
    const Masks masks;
    count_rows(p, hn::LoadU(masks, p.row_masks.data()), hn::LoadU(masks, p.row_masks.data() + RowLikeness::kHalf));
}

void assign(TilePattern& p, const std::uint16_t* masks, const RowLikeness& like) {
    const Masks d;
    const Bytes bytes;
    const auto low = hn::BitCast(bytes, hn::LoadU(d, masks));
    const auto high = hn::BitCast(bytes, hn::LoadU(d, masks + RowLikeness::kHalf));
    const auto half = [&](int h) HWY_ATTR {
        const auto rows = hn::BitCast(d, hn::Or(hn::TableLookupBytesOr0(low, hn::LoadU(bytes, like.bytes(h, 0))),
                                                hn::TableLookupBytesOr0(high, hn::LoadU(bytes, like.bytes(h, 1)))));
        hn::StoreU(rows, d, p.row_masks.data() + h * RowLikeness::kHalf);
        return rows;
    };
    const auto first = half(0);
    count_rows(p, first, half(1));
}

#endif

}  // namespace tilespmv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilespmv {
HWY_EXPORT(count);
HWY_EXPORT(assign);

void TilePattern::count() { HWY_DYNAMIC_DISPATCH(tilespmv::count)(*this); }

void TilePattern::assign(const std::array<std::uint16_t, kTileSize>& masks, const RowLikeness& like) {
    HWY_DYNAMIC_DISPATCH(tilespmv::assign)(*this, masks.data(), like);
}

TilePattern TilePattern::first_of_rows(int n) const {
    TilePattern first = *this;
    for (std::size_t r = 0; r < kTileSize; ++r) {
        unsigned others = row_masks[r];
        for (int i = 0; i < n; ++i) others &= others - 1;  // takes the lowest away; nothing from nothing
        first.row_masks[r] = static_cast<std::uint16_t>(row_masks[r] & ~others);
    }
    first.count();
    return first;
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
#endif
