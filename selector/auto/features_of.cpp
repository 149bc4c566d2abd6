#include "selector/auto/features_of.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <vector>

#include "selector/auto/sample.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kFullTileRows = 64;  ///< that are looked at for full tiles, ...
constexpr offset_t kFullTiles = 16;     ///< ... and tiles of each

void add_row_lengths(const RowStatistics& of_rows, MatrixFeatures& f) {
    const auto rows = static_cast<double>(std::max<index_t>(f.rows, 1));
    f.mean_row = static_cast<double>(f.nnz) / rows;
    f.row_deviation = std::sqrt(std::max(of_rows.squares / rows - f.mean_row * f.mean_row, 0.0));
    f.longest_row = of_rows.longest;
    f.empty_rows = static_cast<double>(of_rows.empty) / rows;
    f.full_tile_share = f.nnz == 0 ? 0 : static_cast<double>(of_rows.even) / static_cast<double>(f.nnz);
    f.row_rounds = of_rows.rounds;
}

/// The row pointers of tile rows that are looked at for full tiles, but one at the lower edge with fewer rows.
ElementRanges spread_tile_rows(const MatrixFeatures& f) {
    const offset_t tile_rows = tile_rows_of(f);
    const offset_t samples = std::min(kFullTileRows, tile_rows);
    ElementRanges ptrs;
    for (offset_t i = 0; i < samples; ++i) {
        const offset_t first = spread(i, samples, tile_rows) * kTileSize;
        if (f.rows - first >= kTileSize) ptrs.push_back({first, kTileSize + 1});
    }
    return ptrs;
}

offset_t even_nonzeros_of(RowPtrSpan ptrs) { return even_nonzeros(ptrs.first<kTileSize + 1>()); }

/// The columns of rows of some tiles of each tile row whose rows are even, 16 of each tile.
ElementRanges columns_of_tiles(std::span<const RowPtrSpan> tile_rows) {
    ElementRanges columns;
    for (const RowPtrSpan ptrs : tile_rows) {
        const offset_t tiles = even_nonzeros_of(ptrs) / (kTileSize * kTileSize);
        const offset_t looked_at = std::min(tiles, kFullTiles);
        for (offset_t i = 0; i < looked_at; ++i) {
            const offset_t at = spread(i, looked_at, tiles) * kTileSize;
            for (const offset_t begin : ptrs.first<kTileSize>()) columns.push_back({begin + at, kTileSize});
        }
    }
    return columns;
}

/// Whether tiles are full: by the first and the last column of each row in them, since columns ascend.
bool are_full(std::span<const ColumnSpan> rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const index_t column = rows[i - i % kTileSize].front();  // of the first row of the tile
        if (column % kTileSize != 0 || rows[i].front() != column) return false;
        if (rows[i].back() != column + kTileSize - 1) return false;
    }
    return true;
}

/// Corrects the share of even tile rows by that of those in the sample whose tiles are full.
void add_full_tiles(std::span<const RowPtrSpan> tile_rows, std::span<const ColumnSpan> columns, MatrixFeatures& f) {
    offset_t even = 0;
    offset_t full = 0;
    for (const RowPtrSpan ptrs : tile_rows) {
        const offset_t nonzeros = even_nonzeros_of(ptrs);
        const offset_t tiles = std::min(nonzeros / (kTileSize * kTileSize), kFullTiles);
        const auto rows = columns.first(static_cast<std::size_t>(tiles * kTileSize));
        columns = columns.subspan(rows.size());
        even += nonzeros;
        full += are_full(rows) ? nonzeros : 0;
    }
    f.full_tile_share *= even == 0 ? 0 : static_cast<double>(full) / static_cast<double>(even);
}

/// ELL and COO of HYB, by the lengths of such rows.
void add_hyb(std::vector<offset_t> lengths, MatrixFeatures& f) {
    const auto narrowest = lengths.begin() + (std::ssize(lengths) - 1) / 3;  // of the third that fills the width
    std::ranges::nth_element(lengths, narrowest, std::greater());
    f.hyb_width = *narrowest;
    offset_t nonzeros = 0;
    offset_t rest = 0;
    for (const offset_t length : lengths) {
        nonzeros += length;
        rest += std::max<offset_t>(length - f.hyb_width, 0);
    }
    f.hyb_rest = nonzeros == 0 ? 0 : static_cast<double>(rest) / static_cast<double>(nonzeros);
}

void add_sectors(const CountedSample& sample, const SampleCounts& counts, MatrixFeatures& f) {
    offset_t nonzeros = 0;
    offset_t sectors = 0;
    for (offset_t i = 0; i < sample.blocks; ++i) {
        nonzeros += sample.block(i).size;
        sectors += counts.sectors[static_cast<std::size_t>(i)];
    }
    f.x_sectors = static_cast<double>(sectors) / static_cast<double>(nonzeros);
}

/// Lists that are read as one.
template <std::size_t n>
ElementRanges joined(const std::array<ElementRanges, n>& lists) {
    ElementRanges all;
    for (const ElementRanges& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

/// What was found, for each of these lists.
template <class Span, std::size_t n>
std::array<std::span<const Span>, n> divided(std::span<const Span> found, const std::array<ElementRanges, n>& lists) {
    std::array<std::span<const Span>, n> parts;
    for (std::size_t i = 0; i < n; ++i) {
        parts[i] = found.first(lists[i].size());
        found = found.subspan(lists[i].size());
    }
    return parts;
}

/// Reads where the matrix lies.
class HostReader final : public PatternReader {
public:
    explicit HostReader(const PatternView& a) : a_(a), of_rows_(tilespmv::row_statistics(a.row_ptrs)) {}
    Found read(const ElementRanges& row_ptrs, const ElementRanges& columns) override {
        return {spans_of(a_.row_ptrs, row_ptrs), spans_of(a_.col_idxs, columns)};
    }
    const SampleCounts& count(const CountedSample& sample) override {
        return counts_ = tilespmv::count(sample, a_.row_ptrs, a_.col_idxs);
    }
    const RowStatistics& row_statistics() override { return of_rows_; }
    offset_t count_diagonals(const std::vector<offset_t>& known) override {
        return tilespmv::count_diagonals(a_, known);
    }

private:
    template <class T>
    static std::vector<std::span<const T>> spans_of(std::span<const T> all, const ElementRanges& ranges) {
        std::vector<std::span<const T>> spans;
        for (const auto& [first, size] : ranges)
            spans.push_back(all.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(size)));
        return spans;
    }

    PatternView a_;
    RowStatistics of_rows_;
    SampleCounts counts_{};
};

}  // namespace

MatrixFeatures features_of(const MatrixFeatures& sizes, PatternReader& reader) {
    MatrixFeatures f = sizes;
    if (f.nnz == 0) {
        add_row_lengths(reader.row_statistics(), f);
        return f;
    }
    StripSample strips(f);
    // Of full tiles, strips and diagonals.
    const std::array row_lists{spread_tile_rows(f), strips.row_ptrs(), sampled_diagonal_rows(f)};
    const CountedSample sample = counted_sample(f);
    const SampleCounts& counts = reader.count(sample);
    const auto first = reader.read(joined(row_lists), {});
    const auto rows = divided(std::span<const RowPtrSpan>(first.row_ptrs), row_lists);
    const std::array column_lists{columns_of_tiles(rows[0]), strips.take(rows[1]), columns_of_rows(rows[2])};
    const auto second = reader.read({}, joined(column_lists));
    const auto columns = divided(std::span<const ColumnSpan>(second.columns), column_lists);
    add_row_lengths(reader.row_statistics(), f);
    // By one thread: to wake another one takes about as long as all of this.
    strips.add_to(columns[1], f);
    add_sectors(sample, counts, f);
    add_full_tiles(rows[0], columns[0], f);
    add_hyb({counts.lengths.begin(), counts.lengths.begin() + sample.lengths}, f);
    add_diagonals(columns[2], reader, f);
    return f;
}

MatrixFeatures features_of(const PatternView& a) {
    const NumberSizes bytes = a.sizes();
    HostReader reader(a);
    return features_of(
        {.value_bytes = bytes.value, .sum_bytes = bytes.sum, .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}, reader);
}

int sell_steps_of(const MatrixFeatures& f) {
    const auto lanes_of = [&](int steps) { return rounds_of(f.row_rounds, {steps, 1}).lanes; };
    return sell_steps(f.cols, f.nnz, f.value_bytes, lanes_of, measured_gpu(f.value_bytes));
}

}  // namespace tilespmv
