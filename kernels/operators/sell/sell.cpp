#include "kernels/operators/sell/sell.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::int64_t kMostChunk = 1 << 11;  // rows that are counted together
constexpr std::int64_t kTogether = 4;         // chunks that a thread takes at a time: a group

/// Its place among the steps is that of `order_slices`.
void add_slice(SellPlan& plan, int lanes_log2, int steps, std::uint64_t first_row, std::uint64_t rows) {
    plan.slices.push_back({0, static_cast<std::uint32_t>(first_row), static_cast<std::uint16_t>(steps),
                           static_cast<std::uint8_t>(lanes_log2), static_cast<std::uint8_t>(rows)});
}

offset_t pieces_of(const LongRow& row, const SliceLimits& limits) {
    return sell_lanes(row.nonzeros.count, limits.most_steps, limits.block_warps) / kSliceLanes;
}

void cut(const LongRow& row, const SliceLimits& limits, SellPlan& plan, std::vector<std::uint32_t>& piece_rows) {
    const offset_t pieces = pieces_of(row, limits);
    if (static_cast<offset_t>(plan.pieces()) + pieces > std::numeric_limits<std::int32_t>::max()) {
        throw Error("sell: long rows make 2^31 pieces or more; give more steps");
    }
    const auto split = static_cast<std::uint32_t>(plan.splits.size());
    plan.splits.push_back({static_cast<std::uint32_t>(plan.pieces()), static_cast<std::uint32_t>(pieces)});
    for (offset_t i = 0; i < pieces; ++i) {
        const offset_t steps = div_up(piece_of(row.nonzeros, i, pieces).count, offset_t{kSliceLanes});
        add_slice(plan, SliceKinds::kWidths - 1, static_cast<int>(steps), plan.pieces(),
                  static_cast<std::uint64_t>(std::min<offset_t>(pieces, std::numeric_limits<std::uint8_t>::max())));
        plan.split_of.push_back(split);
        piece_rows.push_back(static_cast<std::uint32_t>(row.row));
    }
}

/// By the first of their rows in `rows`, which are different ones of `all_rows`: counted in about as many ranges of
/// rows as there are slices, in time for each slice and not for each row.
void sort_by_first_row(std::span<SellSlice> slices, const Buffer<std::uint32_t>& rows, std::int64_t all_rows) {
    struct Place {
        std::uint32_t row;
        std::uint32_t slice;
    };
    const auto bits = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(all_rows)));
    const unsigned shift = bits - std::min(bits, static_cast<unsigned>(std::bit_width(slices.size())));
    std::vector<std::uint32_t> ends(static_cast<std::size_t>(all_rows >> shift) + 2);
    std::vector<Place> places(slices.size());
    for (std::uint32_t i = 0; i < slices.size(); ++i) {
        places[i] = {rows[slices[i].first_row], i};
        ++ends[(places[i].row >> shift) + 1];
    }
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    std::vector<Place> sorted(slices.size());
    for (const Place& place : places) sorted[ends[place.row >> shift]++] = place;
    std::size_t first = 0;
    for (const std::size_t end : ends) {
        if (end > first + 1) std::ranges::sort(std::span(sorted).subspan(first, end - first), {}, &Place::row);
        first = end;
    }
    const std::vector<SellSlice> before(slices.begin(), slices.end());
    std::ranges::transform(sorted, slices.begin(), [&](const Place& place) { return before[place.slice]; });
}

class PlanMaker {
public:
    PlanMaker(std::span<const offset_t> row_ptrs, const SliceLimits& limits)
        : row_ptrs_(row_ptrs),
          rows_(static_cast<std::int64_t>(row_ptrs.size()) - 1),
          limits_(limits),
          kinds_{limits.most_steps, limits.block_warps},
          longest_(kinds_.longest()),
          chunk_(std::max(std::min(kMostChunk, div_up(rows_, kTogether)), std::int64_t{16} * kinds_.empty())) {}

    SellPlan run() {
        name_kinds();
        count();
        piece_rows_ = cut_long_rows(long_rows(), limits_, plan_);
        make_slices();
        place_rows();
        order_slices();
        mark_empty_rows();
        return std::move(plan_);
    }

private:
    [[nodiscard]] offset_t begin_of(std::int64_t row) const { return row_ptrs_[static_cast<std::size_t>(row)]; }
    [[nodiscard]] offset_t length_of(std::int64_t row) const { return begin_of(row + 1) - begin_of(row); }
    [[nodiscard]] std::int64_t groups() const { return div_up(rows_, chunk_ * kTogether); }
    /// The last ones may have no rows.
    [[nodiscard]] std::int64_t chunks() const { return groups() * kTogether; }

    void name_kinds() {
        for (offset_t length = 0; length <= longest_ + 1; ++length)
            kind_of_.push_back(static_cast<std::uint16_t>(kinds_.of(length)));
    }
    [[nodiscard]] std::size_t kind_of_empty() const { return static_cast<std::size_t>(kinds_.empty()); }
    [[nodiscard]] std::size_t kind_of_long() const { return static_cast<std::size_t>(kinds_.cut()); }
    [[nodiscard]] std::size_t all_kinds() const { return static_cast<std::size_t>(kinds_.all()); }

    /// f(i, row) for the rows of the i-th of kTogether chunks from `chunk` on, chunks in turn, so that what is done for
    /// a row does not wait for the counter of the row before.
    template <class F>
    void for_each_row(std::int64_t chunk, F&& f) const {
        const std::int64_t first = chunk * chunk_;
        const std::int64_t in_all = std::clamp<std::int64_t>(rows_ - first - (kTogether - 1) * chunk_, 0, chunk_);
        for (std::int64_t k = 0; k < in_all; ++k) {
            for (std::int64_t i = 0; i < kTogether; ++i) f(static_cast<std::size_t>(i), first + i * chunk_ + k);
        }
        for (std::int64_t i = 0; i < kTogether; ++i) {
            const std::int64_t begin = first + i * chunk_;
            for (std::int64_t row = begin + in_all; row < std::min(begin + chunk_, rows_); ++row)
                f(static_cast<std::size_t>(i), row);
        }
    }
    /// f(kind, i, row) for the same rows.
    template <class F>
    void for_each_kind(std::int64_t chunk, F&& f) const {
        const offset_t* const ptrs = row_ptrs_.data();
        const std::uint16_t* const kinds = kind_of_.data();
        const offset_t longer = longest_ + 1;
        for_each_row(chunk, [=](std::size_t i, std::int64_t row) {
            f(kinds[std::min(ptrs[row + 1] - ptrs[row], longer)], i, row);
        });
    }

    /// Rows of each kind in each chunk.
    void count() {
        in_chunk_.assign(static_cast<std::size_t>(chunks()) * all_kinds(), 0);
        parallel_for(0, groups(), 1, [&](std::int64_t group) {
            std::uint32_t* const counts = in_chunk_.data() + static_cast<std::size_t>(group * kTogether) * all_kinds();
            for_each_kind(group * kTogether,
                          [counts, kinds = all_kinds()](std::size_t kind, std::size_t i, std::int64_t) {
                              ++counts[i * kinds + kind];
                          });
        });
    }
    [[nodiscard]] std::uint32_t count_of(std::size_t kind) const {
        std::uint32_t rows = 0;
        for (std::size_t at = kind; at < in_chunk_.size(); at += all_kinds()) rows += in_chunk_[at];
        return rows;
    }
    [[nodiscard]] std::vector<LongRow> long_rows() const {
        if (count_of(kind_of_long()) == 0) return {};
        std::vector<std::vector<LongRow>> of_chunk(static_cast<std::size_t>(chunks()));
        parallel_for(0, chunks(), kTogether, [&](std::int64_t chunk) {
            const auto i = static_cast<std::size_t>(chunk);
            if (in_chunk_[i * all_kinds() + kind_of_long()] == 0) return;
            const offset_t* const ptrs = row_ptrs_.data();
            const std::int64_t end = std::min((chunk + 1) * chunk_, rows_);
            const offset_t longest = longest_;
            for (std::int64_t row = chunk * chunk_; row < end; ++row) {
                const offset_t length = ptrs[row + 1] - ptrs[row];
                if (length > longest) of_chunk[i].push_back({row, {ptrs[row], length}});
            }
        });
        std::vector<LongRow> rows;
        for (const auto& of : of_chunk) rows.insert(rows.end(), of.begin(), of.end());
        return rows;
    }

    /// Where the rows of a kind in each chunk go, if the first one goes to `row`. Returns the place behind them.
    std::uint64_t start_kind(std::size_t kind, std::uint64_t row) {
        for (std::size_t at = kind; at < in_chunk_.size(); at += all_kinds()) {
            starts_[at] = row;
            row += in_chunk_[at];
        }
        return row;
    }

    /// Slices of several rows, and where the rows of each chunk and kind go. Warps that share a block with pieces have
    /// a slice in any case, if need be an empty one, so that all of them come to its barrier.
    void make_slices() {
        std::uint64_t row = plan_.pieces();
        starts_.resize(in_chunk_.size());
        for (int kind = 0; kind < kinds_.empty(); ++kind) {
            const std::uint64_t first = row;
            row = start_kind(static_cast<std::size_t>(kind), row);
            const int lanes_log2 = kinds_.lanes_log2(kind);
            const auto in_slice = std::uint64_t{kSliceLanes} >> lanes_log2;
            for (std::uint64_t r = first; r < row; r += in_slice)
                add_slice(plan_, lanes_log2, kinds_.steps(kind), r, std::min(in_slice, row - r));
        }
        in_slices_ = row;
        plan_.rows = Buffer<std::uint32_t>(start_kind(kind_of_long(), start_kind(kind_of_empty(), row)));
        plan_.slices.resize(plan_.slices.size() + padding_slices(plan_.slices.size(), plan_.pieces(), limits_));
    }

    void place_rows() {
        std::ranges::copy(piece_rows_, plan_.rows.begin());
        parallel_for(0, groups(), 1, [&](std::int64_t group) {
            std::uint64_t* const starts = starts_.data() + static_cast<std::size_t>(group * kTogether) * all_kinds();
            std::uint32_t* const rows = plan_.rows.data();
            for_each_kind(group * kTogether,
                          [starts, rows, kinds = all_kinds()](std::size_t kind, std::size_t i, std::int64_t row) {
                              rows[starts[i * kinds + kind]++] = static_cast<std::uint32_t>(row);
                          });
        });
        plan_.rows.truncate(in_slices_);
    }

    [[nodiscard]] int rounds_of(const SellSlice& slice) const { return div_up(int{slice.steps}, limits_.flight); }

    /// Slices of several rows, which are by descending steps, those of as many rounds by the places of their rows.
    void order_slices() {
        const auto end = plan_.slices.end();
        for (auto first = plan_.slices.begin() + static_cast<std::ptrdiff_t>(plan_.pieces()); first != end;) {
            const int rounds = rounds_of(*first);
            const auto last = std::find_if(first, end, [&](const SellSlice& s) { return rounds_of(s) != rounds; });
            if (rounds > 0) sort_by_first_row({first, last}, plan_.rows, rows_);
            first = last;
        }
        for (SellSlice& slice : plan_.slices) {
            slice.first_step = plan_.steps;
            plan_.steps += slice.steps;
        }
    }

    void mark_empty_rows() {
        if (count_of(kind_of_empty()) == 0) return;
        plan_.empty = Buffer<std::uint32_t>(static_cast<std::size_t>(div_up(rows_, 32)));
        parallel_for(0, static_cast<std::int64_t>(plan_.empty.size()), 1 << 10, [&](std::int64_t word) {
            std::uint32_t bits = 0;
            for (std::int64_t row = word * 32; row < std::min((word + 1) * 32, rows_); ++row) {
                bits |= static_cast<std::uint32_t>(length_of(row) == 0) << row % 32;  // no branch could be predicted
            }
            plan_.empty[static_cast<std::size_t>(word)] = bits;
        });
    }

    std::span<const offset_t> row_ptrs_;
    std::int64_t rows_;
    SliceLimits limits_;
    SliceKinds kinds_;
    offset_t longest_;                     // nonzeros of a row in one piece
    std::int64_t chunk_;                   // rows; many more than kinds, which are counted for each
    std::vector<std::uint16_t> kind_of_;   // by the length of a row, longer ones last
    std::vector<std::uint32_t> in_chunk_;  // rows by chunk and kind
    std::vector<std::uint64_t> starts_;    // of these in the plan's rows
    std::vector<std::uint32_t> piece_rows_;
    std::uint64_t in_slices_ = 0;  // rows, pieces included
    SellPlan plan_;
};

}  // namespace

std::vector<std::uint32_t> cut_long_rows(std::vector<LongRow> rows, const SliceLimits& limits, SellPlan& plan) {
    std::ranges::stable_sort(rows, std::ranges::greater{}, [&](const LongRow& row) { return pieces_of(row, limits); });
    std::vector<std::uint32_t> piece_rows;
    for (const LongRow& row : rows) cut(row, limits, plan, piece_rows);
    return piece_rows;
}

std::size_t padding_slices(std::size_t slices, std::size_t pieces, const SliceLimits& limits) {
    const auto warps = static_cast<std::size_t>(limits.block_warps);
    const std::size_t least = (pieces + warps - 1) / warps * warps;
    return std::max(slices, least) - slices;
}

SellPlan make_sell_plan(std::span<const offset_t> row_ptrs, const SliceLimits& limits) {
    return PlanMaker(row_ptrs, limits).run();
}

}  // namespace tilespmv::cuda
