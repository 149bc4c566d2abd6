#include "kernels/operators/strip/strip.hpp"

#include <array>
#include <limits>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr std::uint32_t kNoColumn = std::numeric_limits<std::uint32_t>::max();

struct Slot {
    std::uint64_t codes = 0;  ///< 4 bits a row
    std::int32_t base = 0;    ///< relative to the first row of the strip
    std::uint32_t mask = 0;   ///< rows with a nonzero
    friend bool operator==(const Slot&, const Slot&) = default;
};

struct Strip {
    std::uint32_t tile_row = 0;
    std::uint32_t first = 0;  ///< of its slots in the part
    std::uint32_t slots = 0;
    bool holes = false;
    std::uint64_t key = 0;
};

/// The slots of one tile row, one after the other.
template <Value V>
class Filler {
public:
    Filler(const CsrMatrix<V>& a, std::int64_t tile_row) : a_(a), row0_(tile_row * kTileSize) {
        for (int r = 0; r < kTileSize; ++r) {
            const std::int64_t row = std::min<std::int64_t>(row0_ + r, a.rows - 1);
            at_[r] = a.row_ptrs[row];
            end_[r] = row0_ + r < a.rows ? a.row_ptrs[row + 1] : at_[r];
            take_column(r);
        }
    }

    [[nodiscard]] bool next(Slot& slot) {
        const std::uint32_t base = *std::min_element(columns_.begin(), columns_.end());
        if (base == kNoColumn) return false;
        slot = {0, static_cast<std::int32_t>(std::int64_t{base} - row0_), 0};
        for (int r = 0; r < kTileSize; ++r) {
            const std::uint32_t code = columns_[r] - base;
            if (code >= kTileSize) continue;
            slot.codes |= std::uint64_t{code} << (4 * r);
            slot.mask |= 1U << r;
            hash_[r] = hashed(hash_[r], slot.base + static_cast<std::int32_t>(code));
            ++at_[r];
            take_column(r);
        }
        return true;
    }

    /// Of all columns that were taken.
    [[nodiscard]] std::uint64_t hash() const {
        std::uint64_t sum = 0;
        for (int r = 0; r < kTileSize; ++r) sum += mixed(hash_[r], r);
        return sum;
    }

private:
    void take_column(int r) {
        columns_[r] = at_[r] < end_[r] ? static_cast<std::uint32_t>(a_.col_idxs[at_[r]]) : kNoColumn;
    }

    const CsrMatrix<V>& a_;
    std::int64_t row0_;
    std::array<offset_t, kTileSize> at_;
    std::array<offset_t, kTileSize> end_;
    std::array<std::uint32_t, kTileSize> columns_;
    std::array<std::uint64_t, kTileSize> hash_{};
};

/// What tile rows become together; positions are those among them.
struct Part {
    std::vector<StripRun> runs;
    std::vector<std::uint32_t> tile_rows;
    std::vector<std::int32_t> bases;
    std::vector<std::uint16_t> codes;
    std::vector<std::uint8_t> masks;
    std::vector<RowRange> rest;
    std::int64_t slots = 0;
    offset_t nonzeros = 0;
};

template <Value V>
class PartMaker {
public:
    PartMaker(const CsrMatrix<V>& a, const StripLimits& limits, std::int64_t first, std::int64_t end)
        : a_(a), limits_(limits), first_(first), end_(end) {}

    /// Not inlined into the loop over parts, where GCC 12 makes it take 1.35 times as long.
    [[gnu::noinline]] Part run() {
        // Values alone are often too many bytes after a part of the tile rows.
        const double most = most_bytes(nonzeros_in(rows(first_, end_)), end_ - first_);
        bool is_short = true;
        for (std::int64_t tile_row = first_; tile_row < end_ && is_short; ++tile_row) {
            fill(tile_row);
            is_short = strip_value_bytes(limits_, std::ssize(slots_)) <= most;
        }
        if (is_short) {
            make_runs();
            is_short = bytes() <= most_bytes(part_.nonzeros, std::ssize(strips_));
        }
        if (!is_short) {
            part_ = {};
            part_.rest.push_back(rows(first_, end_));
        }
        return std::move(part_);
    }

private:
    [[nodiscard]] RowRange rows(std::int64_t first, std::int64_t end) const {
        return {static_cast<index_t>(first * kTileSize),
                static_cast<index_t>(std::min<std::int64_t>(end * kTileSize, a_.rows))};
    }

    void fill(std::int64_t tile_row) {
        Filler<V> filler(a_, tile_row);
        Strip strip{static_cast<std::uint32_t>(tile_row), static_cast<std::uint32_t>(slots_.size())};
        const auto full = row_mask(tile_row);
        for (Slot slot; filler.next(slot); ++strip.slots) {
            if (strip.slots == static_cast<std::uint32_t>(limits_.max_slots)) return leave_out(strip);
            slots_.push_back(slot);
            strip.holes = strip.holes || slot.mask != full;
        }
        strip.key = strip_key(static_cast<int>(strip.slots), filler.hash());
        strips_.push_back(strip);
        part_.nonzeros += nonzeros_in(rows(tile_row, tile_row + 1));
    }
    [[nodiscard]] offset_t nonzeros_in(RowRange range) const {
        return a_.row_ptrs[range.end] - a_.row_ptrs[range.first];
    }

    /// The rows that there are: those behind the last one of the matrix are no holes, as nobody writes their sums.
    [[nodiscard]] std::uint32_t row_mask(std::int64_t tile_row) const {
        const RowRange range = rows(tile_row, tile_row + 1);
        return (1U << (range.end - range.first)) - 1;
    }

    void leave_out(const Strip& strip) {
        slots_.resize(strip.first);
        part_.rest.push_back(rows(strip.tile_row, std::int64_t{strip.tile_row} + 1));
    }

    [[nodiscard]] std::span<const Slot> slots_of(const Strip& strip) const {
        return std::span(slots_).subspan(strip.first, strip.slots);
    }
    [[nodiscard]] bool same_pattern(const Strip& a, const Strip& b) const {
        return a.key == b.key && std::ranges::equal(slots_of(a), slots_of(b));
    }

    /// By the number of slots, strips of one pattern side by side.
    void make_runs() {
        std::ranges::stable_sort(strips_, {}, &Strip::key);
        std::vector<Strip> others;
        for (std::size_t i = 0; i < strips_.size();) {
            std::size_t end = i + 1;
            while (end < strips_.size() && same_pattern(strips_[i], strips_[end])) ++end;
            add_pattern(std::span(strips_).subspan(i, end - i), others);
            if (end == strips_.size() || strips_[end].slots != strips_[i].slots) add_others(others);
            i = end;
        }
    }

    /// Runs of one pattern; what is left is added to the strips that have one each.
    void add_pattern(std::span<const Strip> strips, std::vector<Strip>& others) {
        const auto each = static_cast<std::size_t>(strips_of_run(limits_, static_cast<int>(strips[0].slots), true));
        const auto count =
            static_cast<std::size_t>(strips_that_share(static_cast<int>(strips.size()), static_cast<int>(each)));
        const std::uint32_t quad = count > 0 ? add_columns(strips[0]) : 0;
        for (std::size_t i = 0; i < count; i += each) add_run(strips.subspan(i, std::min(each, count - i)), quad, true);
        others.insert(others.end(), strips.begin() + static_cast<std::ptrdiff_t>(count), strips.end());
    }

    void add_others(std::vector<Strip>& others) {
        std::ranges::sort(others, {}, &Strip::tile_row);
        for (std::size_t i = 0; i < others.size();) {
            const auto each =
                static_cast<std::size_t>(strips_of_run(limits_, static_cast<int>(others[i].slots), false));
            const std::size_t count = std::min(each, others.size() - i);
            const auto strips = std::span<const Strip>(others).subspan(i, count);
            const std::uint32_t quad = add_columns(strips[0]);
            for (const Strip& strip : strips.subspan(1)) add_columns(strip);
            add_run(strips, quad, false);
            i += count;
        }
        others.clear();
    }

    void add_run(std::span<const Strip> strips, std::uint32_t quad, bool shared) {
        StripRun run;
        run.first_slot = static_cast<std::uint32_t>(part_.slots);
        run.first_quad = quad;
        run.first_strip = static_cast<std::uint32_t>(part_.tile_rows.size());
        run.slots = static_cast<std::uint16_t>(strips[0].slots);
        run.strips = static_cast<std::uint8_t>(strips.size());
        run.groups_log2 = static_cast<std::uint8_t>(strip_groups_log2(limits_, run.slots)) & 15U;
        run.shared = shared ? 1 : 0;
        run.holes = std::ranges::any_of(strips, &Strip::holes) ? 1 : 0;
        part_.runs.push_back(run);
        for (const Strip& strip : strips) part_.tile_rows.push_back(strip.tile_row);
        part_.slots += std::int64_t{run.slots} * run.strips;
    }

    /// The quads of a strip; returns the first.
    std::uint32_t add_columns(const Strip& strip) {
        const std::size_t first = part_.bases.size() / kQuad;
        const std::size_t quads = div_up(strip.slots, std::uint32_t{kQuad});
        part_.bases.resize((first + quads) * kQuad, 0);
        part_.codes.resize((first + quads) * kTileSize, 0);
        part_.masks.resize((first + quads) * kRowPairs, 0);
        const auto slots = slots_of(strip);
        for (std::size_t k = 0; k < slots.size(); ++k)
            add_slot(slots[k], first + k / kQuad, static_cast<int>(k % kQuad));
        return static_cast<std::uint32_t>(first);
    }

    void add_slot(const Slot& slot, std::size_t quad, int at) {
        part_.bases[quad * kQuad + static_cast<std::size_t>(at)] = slot.base;
        for (std::size_t r = 0; r < kTileSize; ++r) {
            const auto code = static_cast<std::uint32_t>(slot.codes >> (4 * r)) & 15U;
            part_.codes[quad * kTileSize + r] |= static_cast<std::uint16_t>(code << (4 * at));
            const auto mask = slot.mask >> r & 1U;
            part_.masks[quad * kRowPairs + r / 2] |=
                static_cast<std::uint8_t>(mask << (r % 2 * 4 + static_cast<std::size_t>(at)));
        }
    }

    [[nodiscard]] double bytes() const {
        return quad_bytes(std::ssize(part_.bases) / kQuad) + strip_value_bytes(limits_, part_.slots);
    }
    [[nodiscard]] double most_bytes(offset_t nonzeros, std::int64_t tile_rows) const {
        return limits_.most_bytes * narrow_csr_bytes_of(limits_, nonzeros, tile_rows);
    }

    const CsrMatrix<V>& a_;
    const StripLimits& limits_;
    std::int64_t first_;
    std::int64_t end_;
    std::vector<Slot> slots_;
    std::vector<Strip> strips_;
    Part part_;
};

/// Parts put one behind the other.
class Joiner {
public:
    explicit Joiner(std::span<const Part> parts) : parts_(parts) {}

    Strips run() {
        for (const Part& part : parts_) place(part);
        require_fewer_slots(std::max(static_cast<std::uint64_t>(s_.slots), std::uint64_t{quads_}));
        s_.runs = Buffer<StripRun>(runs_);
        s_.tile_rows = Buffer<std::uint32_t>(strips_);
        s_.bases = Buffer<std::int32_t>(quads_ * kQuad);
        s_.codes = Buffer<std::uint16_t>(quads_ * kTileSize);
        s_.masks = Buffer<std::uint8_t>(quads_ * kRowPairs);
        parallel_for(0, static_cast<std::int64_t>(parts_.size()), 1, [&](std::int64_t i) { copy(i); });
        return std::move(s_);
    }

private:
    struct Start {
        std::size_t run = 0;
        std::size_t strip = 0;
        std::size_t quad = 0;
        std::int64_t slot = 0;
    };

    void place(const Part& part) {
        starts_.push_back({runs_, strips_, quads_, s_.slots});
        for (const RowRange range : part.rest) add_rest(range);
        runs_ += part.runs.size();
        strips_ += part.tile_rows.size();
        quads_ += part.bases.size() / kQuad;
        s_.slots += part.slots;
        s_.nonzeros += part.nonzeros;
    }

    void add_rest(RowRange range) {
        if (!s_.rest.empty() && s_.rest.back().end == range.first) {
            s_.rest.back().end = range.end;
        } else {
            s_.rest.push_back(range);
        }
    }

    void copy(std::int64_t i) {
        const Part& part = parts_[static_cast<std::size_t>(i)];
        const Start& start = starts_[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < part.runs.size(); ++k) {
            StripRun& run = s_.runs[start.run + k] = part.runs[k];
            run.first_slot += static_cast<std::uint32_t>(start.slot);
            run.first_quad += static_cast<std::uint32_t>(start.quad);
            run.first_strip += static_cast<std::uint32_t>(start.strip);
        }
        std::ranges::copy(part.tile_rows, s_.tile_rows.data() + start.strip);
        std::ranges::copy(part.bases, s_.bases.data() + start.quad * kQuad);
        std::ranges::copy(part.codes, s_.codes.data() + start.quad * kTileSize);
        std::ranges::copy(part.masks, s_.masks.data() + start.quad * kRowPairs);
    }

    std::span<const Part> parts_;
    std::vector<Start> starts_;
    std::size_t runs_ = 0;
    std::size_t strips_ = 0;
    std::size_t quads_ = 0;
    Strips s_;
};

}  // namespace

void require_fewer_slots(std::uint64_t slots) {
    if (slots < kNoColumn) return;
    throw Error("strip: the matrix has 2^32 slots or more; take an operator on CSR, such as csr-merge or csr-omp");
}

StripLimits strip_limits(index_t rows, offset_t nonzeros, int value_bytes, const Gpu& gpu) {
    const StripSizes sizes = strip_sizes(rows, nonzeros, gpu);
    return {.value_bytes = value_bytes,
            .max_slots = sizes.max_slots,
            .lane_slots = sizes.lane_slots,
            .block_strips = sizes.block_strips,
            .resident_blocks = sizes.blocks,
            .rank_blocks = sizes.rank_blocks,
            .most_rank_bytes = sizes.rank_bytes};
}

template <Value V>
Strips make_strips(const CsrMatrix<V>& a, const StripLimits& limits) {
    const std::int64_t tile_rows = div_up(a.rows, kTileSize);
    std::vector<Part> parts(static_cast<std::size_t>(div_up(tile_rows, kTileRowsOfPart)));
    parallel_for(0, static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t i) {
        const std::int64_t first = i * kTileRowsOfPart;
        parts[static_cast<std::size_t>(i)] =
            PartMaker<V>(a, limits, first, std::min(first + kTileRowsOfPart, tile_rows)).run();
    });
    return Joiner(parts).run();
}

#define TILESPMV_INSTANTIATE(V) template Strips make_strips(const CsrMatrix<V>&, const StripLimits&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
