#include "selector/auto/strip_slots.hpp"

#include <algorithm>
#include <limits>

#include "selector/auto/sample.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "selector/auto/strip_slots.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tilespmv::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<std::int32_t, kTileSize>;
using Vec = hn::Vec<Lanes>;

/// What slots have taken so far, of each row. No branch depends on columns, since none could be predicted.
class Slots {
public:
    struct alignas(64) State {
        std::int32_t at[kTileSize] = {};
        std::int32_t next[kTileSize] = {};
        std::uint32_t hashes[kTileSize] = {};
    };

    Slots(const StripRows& rows, State& state)
        : columns_(rows.columns.empty() ? &kNoColumn : rows.columns.data()),
          last_(std::max(static_cast<std::int32_t>(rows.columns.size()), 1) - 1),
          nonzeros_(static_cast<offset_t>(rows.columns.size())),
          first_row_(rows.first_row),
          end_(rows.end.data()),
          at_(state.at),
          next_(state.next),
          hashes_(state.hashes) {
        const Lanes d;
        for (std::size_t r = 0; r < kTileSize; r += hn::Lanes(d)) {
            move_to(hn::LoadU(d, rows.begin.data() + r), r);
        }
    }

    [[nodiscard]] bool has_more(offset_t most_slots) const { return all_.taken < nonzeros_ && all_.slots < most_slots; }
    HWY_INLINE void take() {
        const Lanes d;
        const Vec base = least();
        const std::int32_t tile = hn::GetLane(base) / kTileSize;
        const auto last_of_tile = hn::Set(d, tile * kTileSize + (kTileSize - 1));
        std::size_t taken = 0;
        std::size_t in_next_tile = 0;
        for (std::size_t r = 0; r < kTileSize; r += hn::Lanes(d)) {
            const Vec next = hn::Load(d, next_ + r);
            const Vec at = hn::Load(d, at_ + r);
            const auto is_near =
                hn::And(hn::Lt(hn::Sub(next, base), hn::Set(d, kTileSize)), hn::Lt(at, hn::LoadU(d, end_ + r)));
            taken += hn::CountTrue(d, is_near);
            in_next_tile += hn::CountTrue(d, hn::And(is_near, hn::Gt(next, last_of_tile)));
            add_to_hash(hn::IfThenElse(is_near, hn::Sub(next, hn::Set(d, first_row_)), hn::Set(d, kHole)), r);
            move_to(hn::Add(at, hn::IfThenElseZero(is_near, hn::Set(d, 1))), r);
        }
        all_.taken += static_cast<offset_t>(taken);
        all_.tiles += tiles_.add(tile, in_next_tile > 0);
        ++all_.slots;
    }

    [[nodiscard]] StripSlots all() const {
        StripSlots all = all_;
        for (std::size_t r = 0; r < kTileSize; ++r) all.pattern += (mixed(r + 1) | 1) * hashes_[r];
        return all;
    }

private:
    static constexpr index_t kNoColumn = 0;
    static constexpr std::int32_t kEnd = std::numeric_limits<std::int32_t>::max();
    static constexpr std::int32_t kHole = std::numeric_limits<std::int32_t>::min();

    /// Tiles that slots meet: that of their first column, which does not descend, and the next one.
    class TileCount {
    public:
        HWY_INLINE offset_t add(std::int32_t tile, bool has_next) {
            const bool is_same = tile == tile_;
            const bool is_known = is_same | ((tile == tile_ + 1) & has_next_);
            const bool is_next_known = is_same & has_next_;
            has_next_ = has_next | is_next_known;
            tile_ = tile;
            return !is_known + (has_next & !is_next_known);
        }

    private:
        std::int32_t tile_ = -2;
        bool has_next_ = false;
    };

    [[nodiscard]] HWY_INLINE Vec least() const {
        const Lanes d;
        Vec least = hn::Load(d, next_);
        for (std::size_t r = hn::Lanes(d); r < kTileSize; r += hn::Lanes(d))
            least = hn::Min(least, hn::Load(d, next_ + r));
        return hn::MinOfLanes(d, least);
    }
    HWY_INLINE void add_to_hash(Vec what, std::size_t r) {
        const hn::RebindToUnsigned<Lanes> d;  // which may wrap around
        constexpr std::uint32_t kOdd = 0x2c1b3c6d;
        const auto hash = hn::Mul(hn::Load(d, hashes_ + r), hn::Set(d, kOdd));
        hn::Store(hn::Add(hash, hn::BitCast(d, what)), d, hashes_ + r);
    }
    HWY_INLINE void move_to(Vec at, std::size_t r) {
        const Lanes d;
        const auto columns = hn::GatherIndex(d, columns_, hn::Min(at, hn::Set(d, last_)));
        hn::Store(at, d, at_ + r);
        hn::Store(hn::IfThenElse(hn::Lt(at, hn::LoadU(d, end_ + r)), columns, hn::Set(d, kEnd)), d, next_ + r);
    }

    const index_t* columns_;
    std::int32_t last_;
    offset_t nonzeros_;
    index_t first_row_;
    const std::int32_t* end_;
    std::int32_t* at_;
    std::int32_t* next_;  // columns, or kEnd
    std::uint32_t* hashes_;
    TileCount tiles_;
    StripSlots all_;
};

/// Two tile rows at once, each of which waits for its own columns.
void count_slots(const std::array<StripRows, 2>& rows, offset_t most_slots, std::array<StripSlots, 2>& counted) {
    std::array<Slots::State, 2> states;
    Slots first(rows[0], states[0]);
    Slots second(rows[1], states[1]);
    while (first.has_more(most_slots) && second.has_more(most_slots)) {
        first.take();
        second.take();
    }
    while (first.has_more(most_slots)) first.take();
    while (second.has_more(most_slots)) second.take();
    counted = {first.all(), second.all()};
}

}  // namespace tilespmv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilespmv {
HWY_EXPORT(count_slots);

std::array<StripSlots, 2> count_slots(const std::array<StripRows, 2>& rows, offset_t most_slots) {
    std::array<StripSlots, 2> counted;
    HWY_DYNAMIC_DISPATCH(count_slots)(rows, most_slots, counted);
    return counted;
}

}  // namespace tilespmv
#endif
