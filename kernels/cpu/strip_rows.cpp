#include "kernels/cpu/strip_rows.hpp"

#include <algorithm>
#include <bit>

#include "tile/parallel.hpp"
#include "tile/product_loop.hpp"

namespace tilespmv::cpu {
namespace {

constexpr std::uint64_t kAscending = 0xfedcba9876543210;

/// A slot whose rows ascend by one column each begins earlier by the first of these rows.
void mark_diagonal(StripSlot& slot) {
    const int first = std::countr_zero(slot.rows);
    for (int r = first; r < kTileSize; ++r) {
        const int code = static_cast<int>(slot.codes >> (4 * r) & 15U);
        if ((slot.rows >> r & 1) != 0 && code != r - first) return;
    }
    slot.base -= first;
    slot.codes = kAscending;
    slot.kind = SlotKind::diagonal;
}

/// Columns of four rows within four columns are looked up in one vector of x.
void mark_quads(StripSlot& slot) {
    constexpr int kRows = 4;
    std::uint64_t quads = 0;
    for (int first_row = 0; first_row < kTileSize; first_row += kRows) {
        const auto for_each_column = [&](auto&& f) {
            for (int r = first_row; r < first_row + kRows; ++r) {
                if ((slot.rows >> r & 1) != 0) f(r, static_cast<int>(slot.codes >> (4 * r) & 15U));
            }
        };
        int first = kTileSize - kRows;
        for_each_column([&](int, int column) { first = std::min(first, column); });
        std::uint64_t quad = static_cast<std::uint64_t>(first) << 8;
        bool fits = true;
        for_each_column([&](int r, int column) {
            fits = fits && column - first < kRows;
            quad |= static_cast<std::uint64_t>(column - first) << (2 * (r - first_row));
        });
        if (!fits) return;
        quads |= quad << (4 * first_row);
    }
    slot.codes = quads;
    slot.kind = SlotKind::quads;
}

StripSlot slot_of(const Strips& s, std::size_t quad, std::size_t at, int lanes) {
    StripSlot slot;
    slot.base = s.bases[quad * kQuad + at];
    for (std::size_t r = 0; r < kTileSize; ++r) {
        const std::uint64_t code = s.codes[quad * kTileSize + r] >> (4 * at) & 15U;
        const int there = s.masks[quad * kRowPairs + r / 2] >> (r % 2 * 4 + at) & 1;
        slot.codes |= code << (4 * r);
        slot.rows = static_cast<std::uint16_t>(slot.rows | there << r);
    }
    mark_diagonal(slot);
    if (slot.kind == SlotKind::columns && lanes == 4) mark_quads(slot);
    return slot;
}

/// Joins runs into groups and these into chunks of about equal bytes.
template <Value V>
class Grouper {
public:
    Grouper(const Strips& s, StripRows<V>& rows, int lanes)
        : s_(s), rows_(rows), lanes_(lanes), limit_(chunk_bytes(s.slots * kTileSize * offset_t{sizeof(V)})) {}

    void run() {
        for (const StripRun& run : s_.runs) add(run);
        close_chunk();
        fill_columns();
    }

private:
    /// Where columns come from: the first quad of a pattern.
    struct Pattern {
        std::uint32_t quad;
        std::uint32_t slots;
        std::uint32_t first;  ///< of its columns
    };

    void add(const StripRun& run) {
        const offset_t bytes = offset_t{run.slots} * run.strips * kTileSize * offset_t{sizeof(V)} +
                               run.strips * offset_t{sizeof(std::uint32_t)};
        if (bytes_ > 0 && bytes_ + bytes > limit_) close_chunk();
        bytes_ += bytes;
        const bool known = run.shared != 0 && has_pattern(run);
        const std::uint32_t own = run.shared != 0 ? std::uint32_t{0} : run.slots;
        const StripGroup next{run.first_strip, run.strips, run.first_slot, known ? patterns_.back().first : columns_,
                              run.slots,       own};
        if (!known) add_patterns(run);
        if (is_continued_by(next)) {
            rows_.groups.back().strips += next.strips;
        } else {
            rows_.groups.push_back(next);
        }
    }

    [[nodiscard]] bool has_pattern(const StripRun& run) const {
        return !patterns_.empty() && patterns_.back().quad == run.first_quad && patterns_.back().slots == run.slots;
    }
    /// Whether the last group is of this chunk and has its next strip there.
    [[nodiscard]] bool is_continued_by(const StripGroup& next) const {
        if (static_cast<std::size_t>(chunk_) == rows_.groups.size()) return false;
        const StripGroup& last = rows_.groups.back();
        return last.slots == next.slots && last.own_columns == next.own_columns &&
               last.first_column + last.strips * last.own_columns == next.first_column;
    }

    void add_patterns(const StripRun& run) {
        for (std::uint32_t i = 0; i < (run.shared != 0 ? 1U : run.strips); ++i) {
            patterns_.push_back({run.quad_of(i), run.slots, columns_});
            columns_ += run.slots;
        }
    }

    void close_chunk() {
        const auto end = static_cast<offset_t>(rows_.groups.size());
        if (end > chunk_) rows_.chunks.push_back({chunk_, end});
        chunk_ = end;
        bytes_ = 0;
    }

    void fill_columns() {
        rows_.columns = Buffer<StripSlot>(columns_);
        parallel_for(0, static_cast<std::int64_t>(patterns_.size()), 256, [&](std::int64_t i) {
            const Pattern& p = patterns_[static_cast<std::size_t>(i)];
            for (std::size_t k = 0; k < p.slots; ++k) {
                rows_.columns[p.first + k] = slot_of(s_, p.quad + k / kQuad, k % kQuad, lanes_);
            }
        });
    }

    const Strips& s_;
    StripRows<V>& rows_;
    int lanes_;
    offset_t limit_;
    offset_t chunk_ = 0;  ///< first group of the chunk
    offset_t bytes_ = 0;  ///< of the chunk
    std::uint32_t columns_ = 0;
    std::vector<Pattern> patterns_;
};

/// Slots take the nonzeros of each row in turn.
template <Value V>
void replace_in_strip(std::span<const StripSlot> slots, const offset_t* row_begin, const V* of_csr, V* values) {
    std::array<offset_t, kTileSize> taken{};
    for (const StripSlot& slot : slots) {
        for (unsigned rows = slot.rows; rows != 0; rows &= rows - 1) {
            const int r = std::countr_zero(rows);
            values[r] = of_csr[row_begin[r] + taken[static_cast<std::size_t>(r)]++];
        }
        values += kTileSize;
    }
}

}  // namespace

template <Value V>
void replace_values(StripRows<V>& strips, std::span<const offset_t> row_ptrs, std::span<const V> values) {
    const auto replace = [&](const StripGroup& group) {
        for (std::size_t i = 0; i < group.strips; ++i) {
            const std::size_t row = std::size_t{strips.tile_rows[group.first_strip + i]} * kTileSize;
            replace_in_strip<V>({strips.columns.data() + group.first_column + i * group.own_columns, group.slots},
                                row_ptrs.data() + row, values.data(),
                                strips.values.data() + (group.first_slot + i * group.slots) * kTileSize);
        }
    };
    product_loop(std::ssize(strips.chunks), 1, [&](std::int64_t chunk, std::int64_t) {
        const auto [begin, end] = strips.chunks[static_cast<std::size_t>(chunk)];
        for (offset_t i = begin; i < end; ++i) replace(strips.groups[static_cast<std::size_t>(i)]);
    });
}

template <Value V>
StripRows<V> make_strip_rows(const CsrMatrix<V>& a, const Strips& s, int lanes) {
    StripRows<V> made;
    made.rows = a.rows;
    made.cols = a.cols;
    made.nnz = s.nonzeros;
    Grouper<V>(s, made, lanes).run();
    made.tile_rows = s.tile_rows.clone();
    made.values = Buffer<V>(static_cast<std::size_t>(s.slots) * kTileSize, V{0});
    replace_values<V>(made, a.row_ptrs, a.values);
    return made;
}

template void replace_values(StripRows<double>&, std::span<const offset_t>, std::span<const double>);
template void replace_values(StripRows<float>&, std::span<const offset_t>, std::span<const float>);
template StripRows<double> make_strip_rows(const CsrMatrix<double>&, const Strips&, int);
template StripRows<float> make_strip_rows(const CsrMatrix<float>&, const Strips&, int);

}  // namespace tilespmv::cpu
