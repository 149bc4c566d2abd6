#include "kernels/operators/strip/verify_strips.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "kernels/operators/strip/strip.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr std::uint32_t kAllRows = 0xffff;

template <class... Args>
[[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

/// Each run goes on where the one before ends; those of one pattern may repeat its quads.
void check_runs(const Strips& s, std::size_t values) {
    std::uint64_t slots = 0;
    std::uint64_t strips = 0;
    std::uint64_t quads = 0;
    for (std::size_t i = 0; i < s.runs.size(); ++i) {
        const StripRun& run = s.runs[i];
        const bool repeats = i > 0 && repeats_pattern(s.runs[i - 1], run);
        if (run.first_slot != slots || run.first_strip != strips || (run.first_quad != quads && !repeats)) {
            fail("run {} does not go on where the one before ends", i);
        }
        if (run.strips == 0 || run.groups_log2 > 1 || run.unused != 0) fail("run {} is none that there can be", i);
        slots += std::uint64_t{run.slots} * run.strips;
        strips += run.strips;
        if (!repeats) quads += run.quads() * (run.shared != 0 ? std::uint64_t{1} : run.strips);
    }
    if (s.tile_rows.size() != strips || values != slots * kTileSize || s.bases.size() != quads * kQuad ||
        s.codes.size() != quads * kTileSize || s.masks.size() != quads * kRowPairs) {
        fail("runs of {} strips, {} slots and {} quads have arrays of other sizes", strips, slots, quads);
    }
}

/// Every tile row is a strip or in the rest, and not twice.
void check_tile_rows(const Strips& s, index_t rows) {
    const auto end = static_cast<std::uint32_t>(div_up(rows, kTileSize));
    std::uint64_t count = s.tile_rows.size();
    index_t row = -1;
    for (const RowRange range : s.rest) {
        const bool ends_well = range.end == rows || range.end % kTileSize == 0;
        if (range.first <= row || range.first % kTileSize != 0 || range.end <= range.first || range.end > rows ||
            !ends_well) {
            fail("rest: rows {} to {}, expected ascending ranges of whole tile rows", range.first, range.end);
        }
        row = range.end;
        count += div_up(static_cast<std::uint64_t>(range.end - range.first), std::uint64_t{kTileSize});
    }
    if (count != end) fail("{} tile rows in strips and rest, expected {}", count, end);
    std::vector<bool> is_there(end);
    for (const RowRange range : s.rest) {
        std::fill(is_there.begin() + range.first / kTileSize, is_there.begin() + div_up(range.end, kTileSize), true);
    }
    for (const std::uint32_t tile_row : s.tile_rows) {
        if (tile_row >= end || is_there[tile_row]) fail("tile row {} is there twice or not in the matrix", tile_row);
        is_there[tile_row] = true;
    }
}

/// What the strips of a pattern need; columns are relative to the first row.
struct Reach {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t greatest = std::numeric_limits<std::int64_t>::min();
    std::uint32_t some = 0;          ///< rows that have a nonzero in a slot
    std::uint32_t every = kAllRows;  ///< rows that have one in every slot
    offset_t nonzeros = 0;
};

class PatternCheck {
public:
    /// Of strip `i` of run `run_at`.
    PatternCheck(const Strips& s, std::size_t run_at, std::uint32_t i)
        : s_(s), run_at_(run_at), run_(s.runs[run_at]), first_quad_(run_.quad_of(i)) {
        last_.fill(std::numeric_limits<std::int64_t>::min());
    }

    Reach run() {
        for (std::uint32_t k = 0; k < run_.slots; ++k) add(k);
        for (std::uint32_t k = run_.slots; k < run_.quads() * kQuad; ++k) {
            if (base(k) != 0 || mask(k) != 0 || !is_zero_in_holes(k)) refuse("bits behind the last slot");
        }
        return reach_;
    }

private:
    [[noreturn]] void refuse(std::string_view what) const { fail("run {}: {}", run_at_, what); }

    [[nodiscard]] std::size_t quad(std::uint32_t k) const { return std::size_t{first_quad_} + k / kQuad; }
    [[nodiscard]] std::int64_t base(std::uint32_t k) const { return s_.bases[quad(k) * kQuad + k % kQuad]; }
    [[nodiscard]] std::uint32_t code(std::uint32_t k, std::size_t r) const {
        return s_.codes[quad(k) * kTileSize + r] >> (4 * (k % kQuad)) & 15U;
    }
    /// A bit a row.
    [[nodiscard]] std::uint32_t mask(std::uint32_t k) const {
        std::uint32_t rows = 0;
        for (std::size_t r = 0; r < kTileSize; ++r) {
            const std::uint32_t bit = s_.masks[quad(k) * kRowPairs + r / 2] >> (r % 2 * 4 + k % kQuad) & 1U;
            rows |= bit << r;
        }
        return rows;
    }
    [[nodiscard]] bool is_zero_in_holes(std::uint32_t k) const {
        const std::uint32_t rows = mask(k);
        for (std::size_t r = 0; r < kTileSize; ++r) {
            if ((rows >> r & 1U) == 0 && code(k, r) != 0) return false;
        }
        return true;
    }

    void add(std::uint32_t k) {
        const std::uint32_t rows = mask(k);
        bool has_base = false;
        for (std::size_t r = 0; r < kTileSize; ++r) {
            if ((rows >> r & 1U) == 0) continue;
            const std::int64_t column = base(k) + code(k, r);
            if (column <= last_[r]) refuse("columns of a row do not ascend");
            last_[r] = column;
            has_base = has_base || column == base(k);
            reach_.greatest = std::max(reach_.greatest, column);
        }
        if (!has_base) refuse("a slot has no nonzero at its base");
        if (!is_zero_in_holes(k)) refuse("a hole has a column");
        reach_.least = std::min(reach_.least, base(k));
        reach_.some |= rows;
        reach_.every &= rows;
        reach_.nonzeros += std::popcount(rows);
    }

    const Strips& s_;
    std::size_t run_at_;
    const StripRun& run_;
    std::uint32_t first_quad_;
    std::array<std::int64_t, kTileSize> last_;  ///< column of each row
    Reach reach_;
};

template <Value V>
bool is_zero(V value) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(V)>>(value);
    return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

/// Whether the values of strip `i` of a run that belong to no nonzero are 0.
template <Value V>
bool has_zero_holes(const StripMatrix<V>& m, const StripRun& run, std::uint32_t i) {
    const V* strip = m.values.data() + (std::size_t{run.first_slot} + std::size_t{i} * run.slots) * kTileSize;
    const std::uint8_t* masks = m.strips.masks.data() + std::size_t{run.quad_of(i)} * kRowPairs;
    for (int k = 0; k < run.slots; ++k) {
        for (int r = 0; r < kTileSize; ++r) {
            const int mask = masks[k / kQuad * kRowPairs + r / 2] >> (r % 2 * 4 + k % kQuad);
            if ((mask & 1) == 0 && !is_zero(strip[strip_place(k, r, run.slots, m.strips.together)])) return false;
        }
    }
    return true;
}

template <Value V>
void check_strip(const StripMatrix<V>& m, const StripRun& run, std::uint32_t i, const Reach& reach) {
    const std::uint32_t tile_row = m.strips.tile_rows[run.first_strip + i];
    const std::int64_t row0 = std::int64_t{tile_row} * kTileSize;
    const auto height = std::min<std::int64_t>(m.rows - row0, kTileSize);
    const std::uint32_t rows = (1U << height) - 1;
    if (run.slots == 0) return;
    if ((reach.some & ~rows) != 0 || row0 + reach.least < 0 || row0 + reach.greatest >= m.cols) {
        fail("tile row {}: a nonzero is not in the matrix of {} x {}", tile_row, m.rows, m.cols);
    }
    if (run.holes == 0 && (rows & ~reach.every) != 0) fail("tile row {} has holes, its run has none", tile_row);
    if (reach.every != kAllRows && !has_zero_holes(m, run, i)) fail("tile row {}: a hole has a value", tile_row);
}

/// Returns the nonzeros in strips.
template <Value V>
offset_t check_strips(const StripMatrix<V>& m) {
    std::atomic<offset_t> nonzeros = 0;
    parallel_for(0, static_cast<std::int64_t>(m.strips.runs.size()), 16, [&](std::int64_t at) {
        const StripRun& run = m.strips.runs[static_cast<std::size_t>(at)];
        Reach reach;
        for (std::uint32_t i = 0; i < run.strips; ++i) {
            if (i == 0 || run.shared == 0) reach = PatternCheck(m.strips, static_cast<std::size_t>(at), i).run();
            check_strip(m, run, i, reach);
            nonzeros += reach.nonzeros;
        }
    });
    return nonzeros;
}

template <Value V>
void check_rest(const StripMatrix<V>& m) {
    const bool is_empty = m.strips.rest.empty();
    if (m.rest.rows != (is_empty ? 0 : m.rows) || m.rest.cols != (is_empty ? 0 : m.cols)) {
        fail("rest: {} x {} in a matrix of {} x {}", m.rest.rows, m.rest.cols, m.rows, m.cols);
    }
    try {
        validate(m.rest);
    } catch (const Error& error) {
        fail("rest: {}", error.what());
    }
    index_t row = 0;
    const auto check_strips_before = [&](index_t end) {
        if (m.rest.row_ptrs[row] != m.rest.row_ptrs[end]) fail("rest: nonzeros in rows {} to {} of strips", row, end);
    };
    if (is_empty) return;
    for (const RowRange range : m.strips.rest) {
        check_strips_before(range.first);
        row = range.end;
    }
    check_strips_before(m.rows);
}

}  // namespace

template <Value V>
void validate(const StripMatrix<V>& m) {
    const Strips& s = m.strips;
    if (m.rows < 0 || m.cols < 0) fail("negative size {} x {}", m.rows, m.cols);
    if (s.together != 1 && s.together != 2 && s.together != 4) {
        fail("{} values of a row side by side, expected 1, 2 or 4", s.together);
    }
    check_runs(s, m.values.size());
    check_tile_rows(s, m.rows);
    check_rest(m);
    const offset_t nonzeros = check_strips(m);
    if (nonzeros != s.nonzeros || nonzeros + m.rest.nnz() != m.nnz) {
        fail("{} nonzeros in strips and {} in the rest, expected {} in all", nonzeros, m.rest.nnz(), m.nnz);
    }
}

#define TILESPMV_INSTANTIATE(V) template void validate(const StripMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
