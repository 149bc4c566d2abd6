#include "kernels/operators/strip/strip_value_map.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "kernels/operators/strip/strip.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/product_loop.hpp"

namespace tilespmv {
namespace {

/// The cache lines of 16 values.
template <Value V>
void prefetch_values(const V* values) {
    constexpr std::size_t line = 64 / sizeof(V);
    for (std::size_t k = 0; k < kTileSize; k += line) __builtin_prefetch(values + k);
}

}  // namespace

StripValueMap::StripValueMap(const Strips& strips, std::span<const offset_t> row_ptrs, int together)
    : together_(together),
      nnz_(row_ptrs.empty() ? 0 : row_ptrs.back()),
      slots_(static_cast<std::size_t>(strips.slots)) {
    if (std::ssize(row_ptrs) < 1 || div_up(std::ssize(row_ptrs) - 1, kTileSize) != tile_row_count(strips)) {
        throw Error(fmt::format("update_values: {} row pointers for strips of {} tile rows", row_ptrs.size(),
                                tile_row_count(strips)));
    }
    add_strips(strips, row_ptrs);
    add_rest(strips, row_ptrs);
}

template <Value V>
StripValueMap::StripValueMap(const StripMatrix<V>& m) : StripValueMap(m.strips, row_ptrs_of(m), m.strips.together) {}

void StripValueMap::add_strips(const Strips& s, std::span<const offset_t> row_ptrs) {
    strips_ = Buffer<Strip>(s.tile_rows.size());
    std::vector<const StripRun*> firsts;  // run of each pattern, or of several
    std::uint32_t pattern = 0;            // slots of those before
    std::uint32_t end = 0;
    for (const StripRun& run : s.runs) {
        const bool repeats = &run != s.runs.begin() && repeats_pattern(*(&run - 1), run);
        if (!repeats) {
            firsts.push_back(&run);
            pattern = end;
            end += run.slots * (run.shared != 0 ? 1U : run.strips);
        }
        add_run(s, run, pattern, row_ptrs);
    }
    positions_ = Buffer<std::uint16_t>(std::size_t{end} * kTileSize, std::uint16_t{0});
    parallel_for(0, std::ssize(firsts), 16,
                 [&](std::int64_t i) { fill_positions(s, *firsts[static_cast<std::size_t>(i)], row_ptrs); });
}

void StripValueMap::add_run(const Strips& s, const StripRun& run, std::uint32_t pattern,
                            std::span<const offset_t> row_ptrs) {
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    for (std::uint32_t i = 0; i < run.strips; ++i) {
        const std::int64_t row = std::int64_t{s.tile_rows[run.first_strip + i]} * kTileSize;
        const offset_t begin = row_ptrs[row];
        const offset_t nonzeros = row_ptrs[std::min<std::int64_t>(row + kTileSize, rows)] - begin;
        if (nonzeros > std::numeric_limits<std::uint16_t>::max()) {
            throw Error(fmt::format(
                "update_values: the strip of the 16 rows from {} holds {} nonzeros, at most 65,535 can be mapped", row,
                nonzeros));
        }
        strips_[run.first_strip + i] = {begin, static_cast<std::uint32_t>(nonzeros), run.slots,
                                        run.first_slot + i * run.slots,
                                        pattern + (run.shared != 0 ? 0 : i * run.slots)};
    }
}

void StripValueMap::fill_positions(const Strips& s, const StripRun& run, std::span<const offset_t> row_ptrs) {
    for (std::uint32_t i = 0; i < (run.shared != 0 ? 1U : run.strips); ++i) {
        const Strip& strip = strips_[run.first_strip + i];
        const std::size_t row = std::size_t{s.tile_rows[run.first_strip + i]} * kTileSize;
        std::array<offset_t, kTileSize> next{};
        for (std::size_t r = 0; r < next.size(); ++r) {
            next[r] = row_ptrs[std::min(row + r, row_ptrs.size() - 1)] - strip.begin;
        }
        std::uint16_t* positions = positions_.data() + std::size_t{strip.pattern} * kTileSize;
        for_each_nonzero(s, run, i, [&](int k, int r, int) {
            positions[strip_place(k, r, run.slots, together_)] =
                static_cast<std::uint16_t>(++next[static_cast<std::size_t>(r)]);
        });
    }
}

void StripValueMap::add_rest(const Strips& s, std::span<const offset_t> row_ptrs) {
    constexpr offset_t most = 1 << 15;  // of a piece; not swept
    for (const RowRange range : s.rest) {
        const offset_t end = row_ptrs[range.end];
        for (offset_t at = row_ptrs[range.first]; at < end; at += most) {
            const offset_t count = std::min(most, end - at);
            rest_.push_back({at, rest_nnz_, count});
            rest_nnz_ += count;
        }
    }
}

std::size_t StripValueMap::later_than(std::int64_t i) const {
    constexpr std::uint32_t slots_ahead = 64;  // 8 kB of float64; 2 and 32 kB are no faster
    const std::uint32_t slots = std::max(strips_[static_cast<std::size_t>(i)].slots, 1U);
    return std::min(static_cast<std::size_t>(i) + std::max(slots_ahead / slots, 1U), strips_.size() - 1);
}

/// Fills strip `i`, 16 values at a time, and asks for those of a later strip meanwhile.
template <Value V>
void StripValueMap::fill(std::int64_t i, const V* values, V* in_strips) const {
    const Strip& strip = strips_[static_cast<std::size_t>(i)];
    const Strip& later = strips_[later_than(i)];
    const V* const in = values + strip.begin;
    const std::uint16_t* positions = positions_.data() + std::size_t{strip.pattern} * kTileSize;
    V* const out = in_strips + std::size_t{strip.first_slot} * kTileSize;
    V* const later_out = in_strips + std::size_t{later.first_slot} * kTileSize;
    for (std::uint32_t k = 0; k < strip.slots * kTileSize; k += kTileSize) {
        prefetch_values(values + later.begin + std::min(k, later.nonzeros));
        prefetch_values(later_out + std::min(k, later.slots * kTileSize));
        for (std::uint32_t j = k; j < k + kTileSize; ++j) out[j] = positions[j] == 0 ? V{} : in[positions[j] - 1];
    }
}

template <Value V>
void StripValueMap::update(Buffer<V>& in_strips, Buffer<V>& in_rest, std::span<const V> values) const {
    if (static_cast<offset_t>(values.size()) != nnz_) {
        throw Error(fmt::format("update_values: {} values for a map of {} nonzeros", values.size(), nnz_));
    }
    if (in_strips.size() != slots_ * kTileSize || static_cast<offset_t>(in_rest.size()) != rest_nnz_) {
        throw Error("update_values: the map was made for other strips; make one for these");
    }
    product_loop(std::ssize(strips_), 64, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) fill(i, values.data(), in_strips.data());
    });
    product_loop(std::ssize(rest_), 1, [&](std::int64_t i, std::int64_t) {
        const Piece& piece = rest_[static_cast<std::size_t>(i)];
        std::copy_n(values.data() + piece.from, piece.count, in_rest.data() + piece.to);
    });
}

template <Value V>
void StripValueMap::update(StripMatrix<V>& m, std::span<const V> values) const {
    if (m.strips.tile_rows.size() != strips_.size()) {
        throw Error("update_values: the map was made for other strips; make one for these");
    }
    update(m.values, m.rest.values, values);
}

#define TILESPMV_INSTANTIATE(V)                                                     \
    template StripValueMap::StripValueMap(const StripMatrix<V>&);                   \
    template void StripValueMap::update(StripMatrix<V>&, std::span<const V>) const; \
    template void StripValueMap::update(Buffer<V>&, Buffer<V>&, std::span<const V>) const;
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
