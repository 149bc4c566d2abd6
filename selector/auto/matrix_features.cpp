#include "selector/auto/matrix_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/work_sizes.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kFullTileRows = 64;    ///< that are looked at for full tiles, ...
constexpr offset_t kFullTiles = 16;       ///< ... and tiles of each
constexpr offset_t kRowLengths = 1 << 9;  ///< rows whose lengths tell the width of HYB
/// Rows whose lengths one thread looks at beside other work; all threads look at those of more rows first.
constexpr index_t kFewRows = 1 << 18;
/// Nonzeros of which one thread looks at all for diagonals.
constexpr offset_t kSmall = 400'000;

/// `even_nonzeros` of a tile row, of which the last may have fewer than 16 rows.
offset_t even_nonzeros_of(const PatternView& a, offset_t first_row) {
    if (a.rows - first_row < kTileSize) return 0;
    return even_nonzeros(a.row_ptrs.subspan(static_cast<std::size_t>(first_row)).first<kTileSize + 1>());
}

void add_row_lengths(const PatternView& a, MatrixFeatures& f) {
    const RowStatistics of_rows = a.of_rows != nullptr ? *a.of_rows : row_statistics(a.row_ptrs);
    const auto rows = static_cast<double>(std::max<index_t>(a.rows, 1));
    f.mean_row = static_cast<double>(f.nnz) / rows;
    f.row_deviation = std::sqrt(std::max(of_rows.squares / rows - f.mean_row * f.mean_row, 0.0));
    f.longest_row = of_rows.longest;
    f.empty_rows = static_cast<double>(of_rows.empty) / rows;
    f.full_tile_share = f.nnz == 0 ? 0 : static_cast<double>(of_rows.even) / static_cast<double>(f.nnz);
    f.row_rounds = of_rows.rounds;
}

/// The columns of rows of some tiles of a tile row whose rows are even, 16 of each tile.
ColumnRanges rows_of_tiles(const PatternView& a, offset_t first_row) {
    const auto ptrs = a.row_ptrs.subspan(static_cast<std::size_t>(first_row), kTileSize);
    const offset_t tiles = (a.row_ptrs[static_cast<std::size_t>(first_row) + 1] - ptrs[0]) / kTileSize;
    const offset_t looked_at = std::min(tiles, kFullTiles);
    ColumnRanges rows;
    for (offset_t i = 0; i < looked_at; ++i) {
        const offset_t at = spread(i, looked_at, tiles) * kTileSize;
        for (const offset_t begin : ptrs)
            rows.push_back(a.col_idxs.subspan(static_cast<std::size_t>(begin + at), kTileSize));
    }
    return rows;
}

/// Whether a tile row whose rows are even is full in these tiles: by the first and the last column of
/// each row in them, since columns ascend.
bool is_full(const PatternView& a, offset_t first_row) {
    const ColumnRanges rows = rows_of_tiles(a, first_row);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const index_t column = rows[i - i % kTileSize].front();  // of the first row of the tile
        if (column % kTileSize != 0 || rows[i].front() != column) return false;
        if (rows[i].back() != column + kTileSize - 1) return false;
    }
    return true;
}

/// First rows of the tile rows that are looked at for full tiles, ...
std::vector<offset_t> spread_tile_rows(const PatternView& a) {
    const offset_t tile_rows = div_up(offset_t{a.rows}, offset_t{kTileSize});
    const offset_t samples = std::min(kFullTileRows, tile_rows);
    std::vector<offset_t> first_rows;
    for (offset_t i = 0; i < samples; ++i) first_rows.push_back(spread(i, samples, tile_rows) * kTileSize);
    return first_rows;
}
/// ... and of those whose rows are even.
std::vector<offset_t> even_tile_rows(const PatternView& a) {
    std::vector<offset_t> first_rows = spread_tile_rows(a);
    std::erase_if(first_rows, [&](offset_t first_row) { return even_nonzeros_of(a, first_row) == 0; });
    return first_rows;
}

/// Corrects the share of even tile rows by that of those in the sample whose tiles are full.
void add_full_tiles(const PatternView& a, MatrixFeatures& f) {
    if (f.full_tile_share == 0) return;
    offset_t even = 0;
    offset_t full = 0;
    for (const offset_t first_row : even_tile_rows(a)) {
        const offset_t nonzeros = even_nonzeros_of(a, first_row);
        even += nonzeros;
        full += is_full(a, first_row) ? nonzeros : 0;
    }
    f.full_tile_share *= even == 0 ? 0 : static_cast<double>(full) / static_cast<double>(even);
}

/// Counts rows by their lengths.
class RowsByLength {
public:
    void add(offset_t length) {
        next_ = (next_ + 1) % counts_.size();
        if (length < kCounted)
            ++counts_[next_][static_cast<std::size_t>(length)];
        else
            longer_.push_back(length);
        nonzeros_ += length;
    }
    /// The largest width that so many of the rows fill.
    [[nodiscard]] offset_t width_filled_by(offset_t rows) {
        const auto longer = static_cast<offset_t>(longer_.size());
        if (rows <= longer) {
            std::ranges::nth_element(longer_, longer_.begin() + (rows - 1), std::greater());
            return longer_[static_cast<std::size_t>(rows - 1)];
        }
        rows -= longer;
        offset_t length = kCounted - 1;
        while (rows > of(length)) rows -= of(length--);
        return length;
    }
    [[nodiscard]] offset_t beyond(offset_t width) const {
        offset_t beyond = 0;
        for (offset_t length = width + 1; length < kCounted; ++length) beyond += (length - width) * of(length);
        for (const offset_t length : longer_) beyond += std::max<offset_t>(length - width, 0);
        return beyond;
    }
    [[nodiscard]] offset_t nonzeros() const { return nonzeros_; }

private:
    static constexpr offset_t kCounted = 512;

    [[nodiscard]] offset_t of(offset_t length) const {
        offset_t rows = 0;
        for (const auto& counts : counts_) rows += counts[static_cast<std::size_t>(length)];
        return rows;
    }

    std::array<std::array<std::uint16_t, kCounted>, 4> counts_{};  // of every fourth row: others need not wait
    std::size_t next_ = 0;
    std::vector<offset_t> longer_;
    offset_t nonzeros_ = 0;
};

/// The pointers of rows that are spread evenly.
RowPtrRanges spread_rows(const PatternView& a) {
    const offset_t samples = std::min<offset_t>(a.rows, kRowLengths);
    RowPtrRanges rows;
    for (offset_t i = 0; i < samples; ++i) {
        const offset_t row = spread(i, samples, a.rows);
        rows.push_back(row_ptrs_of(a, row, row + 1));
    }
    return rows;
}

/// ELL and COO of HYB, by the lengths of such rows.
void add_hyb(const PatternView& a, MatrixFeatures& f) {
    const RowPtrRanges sample = spread_rows(a);
    const offset_t samples = std::ssize(sample);
    RowsByLength rows;
    for (const auto& ptrs : sample) rows.add(ptrs.back() - ptrs.front());
    f.hyb_width = rows.width_filled_by(div_up(samples, offset_t{3}));
    const offset_t rest = rows.beyond(f.hyb_width);
    f.hyb_rest = rows.nonzeros() == 0 ? 0 : static_cast<double>(rest) / static_cast<double>(rows.nonzeros());
}

/// Those that are known at once.
MatrixFeatures sizes_of(const PatternView& a) {
    const NumberSizes bytes = a.sizes();
    return {.value_bytes = bytes.value, .sum_bytes = bytes.sum, .rows = a.rows, .cols = a.cols, .nnz = a.nnz()};
}

}  // namespace

RowPtrRanges sampled_row_ptrs(const PatternView& a) {
    RowPtrRanges ptrs = spread_rows(a);
    MatrixFeatures f = sizes_of(a);
    add_row_lengths(a, f);
    if (f.full_tile_share > 0) {
        for (const offset_t first : spread_tile_rows(a)) ptrs.push_back(row_ptrs_of(a, first, first + kTileSize));
    }
    list_strip_rows(a, ptrs);
    list_diagonal_rows(a, ptrs);
    return ptrs;
}

ColumnRanges sampled_columns(const PatternView& a) {
    ColumnRanges columns = sampled_blocks(a);
    MatrixFeatures f = sizes_of(a);
    if (f.nnz == 0) return columns;
    add_row_lengths(a, f);
    if (f.full_tile_share > 0) {
        for (const offset_t first_row : even_tile_rows(a)) {
            const ColumnRanges rows = rows_of_tiles(a, first_row);
            columns.insert(columns.end(), rows.begin(), rows.end());
        }
    }
    list_strips(a, columns);
    list_diagonals(a, columns);
    return columns;
}

MatrixFeatures features_of(const PatternView& a) {
    MatrixFeatures f = sizes_of(a);
    if (f.nnz == 0) {
        add_row_lengths(a, f);
        return f;
    }
    StripSample strips(a);
    const bool is_small = f.nnz <= kSmall;
    const bool has_few_rows = f.rows <= kFewRows;
    if (!has_few_rows) add_row_lengths(a, f);
    const std::int64_t half = strips.size() / 4 * 2;  // they are counted in pairs
    const std::array<std::function<void()>, 4> parts{[&] {
                                                         if (has_few_rows) add_row_lengths(a, f);
                                                         add_full_tiles(a, f);
                                                         add_inodes(a, f);
                                                         if (is_small) add_diagonals(a, f);
                                                     },
                                                     [&] {
                                                         const auto blocks = sampled_blocks(a);
                                                         add_sectors(a, blocks, f);
                                                         add_hyb(a, f);
                                                     },
                                                     [&] { strips.count(0, half); },
                                                     [&] { strips.count(half, strips.size()); }};
    parallel_for(0, std::ssize(parts), 1, [&](std::int64_t i) { parts[static_cast<std::size_t>(i)](); });
    if (!is_small) add_diagonals(a, f);
    strips.add_to(f);
    return f;
}

int sell_steps_of(const MatrixFeatures& f) {
    const auto lanes_of = [&](int steps) { return rounds_of(f.row_rounds, {steps, 1}).lanes; };
    return sell_steps(f.cols, f.nnz, f.value_bytes, lanes_of, measured_gpu(f.value_bytes));
}

}  // namespace tilespmv
