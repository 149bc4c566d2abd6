#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <vector>

#include "selector/auto/sample.hpp"
#include "tile/parallel.hpp"
#include "tile/shifted_rows.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kGrain = 8192;  ///< rows

using Diagonals = std::set<offset_t>;  ///< columns minus rows

bool is_full(const Diagonals& diagonals) { return static_cast<offset_t>(diagonals.size()) >= kMostDiagonals; }

/// Up to kMostDiagonals distinct ones, of any matrix.
class DistinctDiagonals {
public:
    DistinctDiagonals() { places_.fill(kNone); }
    void add(offset_t number) {
        auto place = static_cast<std::size_t>(mixed(static_cast<std::uint64_t>(number))) % places_.size();
        while (places_[place] != kNone && places_[place] != number) place = (place + 1) % places_.size();
        count_ += places_[place] == kNone;
        places_[place] = number;
    }
    [[nodiscard]] offset_t count() const { return count_; }
    /// In ascending order.
    [[nodiscard]] std::vector<offset_t> sorted() const {
        std::vector<offset_t> numbers;
        std::ranges::copy_if(places_, std::back_inserter(numbers), [](offset_t number) { return number != kNone; });
        std::ranges::sort(numbers);
        return numbers;
    }

private:
    static constexpr offset_t kNone = std::numeric_limits<offset_t>::min();
    std::array<offset_t, 2 * kMostDiagonals> places_;
    offset_t count_ = 0;
};

/// More are not told apart: DIA would take many times what CSR does.
offset_t most_diagonals(const MatrixFeatures& f) {
    constexpr offset_t kMostPlaces = 64;  ///< a nonzero
    return std::min(kMostDiagonals, div_up(kMostPlaces * f.nnz, offset_t{f.rows}));
}

/// Rows of the sample.
offset_t sampled_rows(const MatrixFeatures& f) { return std::min(kMostSamples, tile_rows_of(f)); }

/// A row of a tile row of the sample; another one of each, since unknowns of a node have other diagonals.
offset_t sampled_row(const MatrixFeatures& f, offset_t i) {
    return std::min<offset_t>(spread(i, sampled_rows(f), tile_rows_of(f)) * kTileSize + i % kTileSize, f.rows - 1);
}

/// Whether the same unknown of the node before has the same diagonals, if a node has so many.
bool is_like_another(const offset_t* row_ptrs, const index_t* col_idxs, std::int64_t row, std::int64_t first) {
    for (const index_t unknowns : {3, 2, 4, 6}) {
        if (row - first >= unknowns && is_shifted(row_ptrs, col_idxs, row, unknowns)) return true;
    }
    return false;
}

/// A bit for each diagonal that a matrix may have.
class KnownDiagonals {
public:
    explicit KnownDiagonals(const PatternView& a)
        : first_(-offset_t{a.rows}),
          words_(static_cast<std::size_t>(div_up(offset_t{a.rows} + a.cols, offset_t{64}))) {}
    void add(offset_t number) { words_[word_of(number)] |= bit_of(number); }
    [[nodiscard]] bool has(offset_t number) const { return (words_[word_of(number)] & bit_of(number)) != 0; }

private:
    [[nodiscard]] std::size_t word_of(offset_t number) const { return static_cast<std::size_t>(number - first_) / 64; }
    [[nodiscard]] std::uint64_t bit_of(offset_t number) const {
        return std::uint64_t{1} << static_cast<std::uint64_t>(number - first_) % 64;
    }

    offset_t first_;
    std::vector<std::uint64_t> words_;
};

/// Those of rows [first, end) that are not known.
Diagonals further_diagonals(const PatternView& a, std::int64_t first, std::int64_t end, const KnownDiagonals& known) {
    Diagonals further;
    const offset_t* const ptrs = a.row_ptrs.data();
    const index_t* const columns = a.col_idxs.data();
    std::int64_t behind = first;
    for (std::int64_t row = first; row < end && !is_full(further); row = behind) {
        behind = row + 1 + shifted_rows(ptrs, columns, row, end);
        if (is_like_another(ptrs, columns, row, first)) continue;
        for (offset_t k = ptrs[row]; k < ptrs[row + 1]; ++k) {
            if (const offset_t diagonal = columns[k] - row; !known.has(diagonal)) further.insert(diagonal);
        }
    }
    return further;
}

}  // namespace

ElementRanges sampled_diagonal_rows(const MatrixFeatures& f) {
    ElementRanges ptrs;
    for (offset_t i = 0; i < sampled_rows(f); ++i) ptrs.push_back({sampled_row(f, i), 2});
    return ptrs;
}

ElementRanges columns_of_rows(std::span<const RowPtrSpan> rows) {
    ElementRanges columns;
    for (const RowPtrSpan row : rows) columns.push_back(beginning_of(row, 0));
    return columns;
}

void add_diagonals(std::span<const ColumnSpan> columns, PatternReader& reader, MatrixFeatures& f) {
    const offset_t most = most_diagonals(f);
    DistinctDiagonals sampled;
    for (std::size_t i = 0; i < columns.size() && sampled.count() < most; ++i) {
        const offset_t row = sampled_row(f, static_cast<offset_t>(i));
        for (const index_t column : columns[i]) {
            if (sampled.count() < most) sampled.add(column - row);
        }
    }
    const auto at_least = [&](offset_t diagonals) {
        return std::min(std::max(diagonals, f.longest_row), kMostDiagonals);
    };
    f.diagonals = at_least(sampled.count());
    const double places = static_cast<double>(f.diagonals) * static_cast<double>(f.rows);
    if (f.diagonals == kMostDiagonals || places > kMostDiaPlaces * static_cast<double>(f.nnz)) return;
    f.diagonals = at_least(reader.count_diagonals(sampled.sorted()));
}

offset_t count_diagonals(const PatternView& a, const std::vector<offset_t>& known) {
    KnownDiagonals are_known(a);
    for (const offset_t number : known) are_known.add(number);
    std::vector<Diagonals> ranges(static_cast<std::size_t>(div_up(std::int64_t{a.rows}, kGrain)));
    parallel_ranges(0, a.rows, kGrain, [&](std::int64_t first, std::int64_t end) {
        ranges[static_cast<std::size_t>(first / kGrain)] = further_diagonals(a, first, end, are_known);
    });
    Diagonals further;
    for (Diagonals& range : ranges) further.merge(range);
    return static_cast<offset_t>(known.size() + further.size());
}

}  // namespace tilespmv
