#include "tile/statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "tile/parallel.hpp"
#include "tile/tile_scanner.hpp"

namespace tilespmv {
namespace {

/// Sums f(first, last) over ranges that cover [0, n). The ranges and the order of the sum depend on n alone.
template <class Part, class F>
Part parallel_sum(std::int64_t n, F&& f) {
    const std::int64_t grain = std::max<std::int64_t>(256, div_up(n, 1024));
    std::vector<Part> parts(static_cast<std::size_t>(div_up(n, grain)));
    parallel_ranges(0, n, grain, [&](std::int64_t first, std::int64_t last) {
        parts[static_cast<std::size_t>(first / grain)] = f(first, last);
    });
    return std::accumulate(parts.begin(), parts.end(), Part{}, [](Part sum, const Part& part) {
        sum += part;
        return sum;
    });
}

struct SumMax {
    offset_t sum = 0;
    offset_t max = 0;
    SumMax& operator+=(const SumMax& o) {
        sum += o.sum;
        max = std::max(max, o.max);
        return *this;
    }
};

/// Spread of count(0) ... count(n - 1).
template <class Count>
CountSpread spread_of(std::int64_t n, Count&& count) {
    const auto total = parallel_sum<SumMax>(n, [&](std::int64_t first, std::int64_t last) {
        SumMax part;
        for (auto i = first; i < last; ++i) part += {count(i), count(i)};
        return part;
    });
    const double mean = share(total.sum, n);
    const auto squares = parallel_sum<double>(n, [&](std::int64_t first, std::int64_t last) {
        double part = 0;
        for (auto i = first; i < last; ++i) part += std::pow(static_cast<double>(count(i)) - mean, 2);
        return part;
    });
    return {n, mean, total.max, ratio(std::sqrt(ratio(squares, static_cast<double>(n))), mean)};
}

/// Bit 8 * r + c: block (r, c) of the 2 x 2 blocks of a tile holds a nonzero.
std::uint64_t blocks_of_two(const TilePattern& p) {
    std::uint64_t blocks = 0;
    for (std::size_t r = 0; r < 8; ++r) {
        std::uint64_t m = p.row_masks[2 * r] | p.row_masks[2 * r + 1];
        m = (m | m >> 1) & 0x5555;
        m = (m | m >> 1) & 0x3333;
        m = (m | m >> 2) & 0x0f0f;
        m = (m | m >> 4) & 0x00ff;
        blocks |= m << (8 * r);
    }
    return blocks;
}

/// Counts over tiles: how many hold n nonzeros, and how many blocks of 2, 4, 8 and 16 are not empty.
struct TileCounts {
    std::array<offset_t, TileEntry::kMaxValues + 1> with_nnz{};
    std::array<offset_t, 4> blocks{};

    void add(const TilePattern& p) {
        ++with_nnz[static_cast<std::size_t>(p.nnz)];
        const std::uint64_t two = blocks_of_two(p);
        const std::uint64_t four = (two | two >> 1 | two >> 8 | two >> 9) & 0x0055005500550055u;
        const std::uint64_t eight = (four | four >> 2 | four >> 16 | four >> 18) & 0x0000001100000011u;
        blocks[0] += std::popcount(two);
        blocks[1] += std::popcount(four);
        blocks[2] += std::popcount(eight);
        ++blocks[3];
    }
    TileCounts& operator+=(const TileCounts& o) {
        std::transform(with_nnz.begin(), with_nnz.end(), o.with_nnz.begin(), with_nnz.begin(), std::plus<>());
        std::transform(blocks.begin(), blocks.end(), o.blocks.begin(), blocks.begin(), std::plus<>());
        return *this;
    }
};

template <Value V>
TileCounts count_tiles(const CsrMatrix<V>& a) {
    return parallel_sum<TileCounts>(div_up(a.rows, kTileSize), [&](std::int64_t first, std::int64_t last) {
        TileCounts counts;
        for (auto t = first; t < last; ++t) {
            TileScanner scanner(a, static_cast<index_t>(t));
            while (scanner.next()) counts.add(scanner.pattern());
        }
        return counts;
    });
}

/// The k-th smallest number of nonzeros of all tiles.
int nnz_of_rank(const TileCounts& counts, offset_t k) {
    std::size_t nnz = 0;
    for (offset_t seen = 0; seen <= k; seen += counts.with_nnz[nnz]) ++nnz;
    return static_cast<int>(nnz);
}

template <Value V>
TileGridStatistics grid_statistics(const CsrMatrix<V>& a, const TileCounts& counts) {
    TileGridStatistics grid;
    grid.tiles = counts.blocks[3];
    grid.possible = div_up(a.rows, kTileSize) * div_up(a.cols, kTileSize);
    if (grid.tiles == 0) return grid;
    grid.mean = share(a.nnz(), grid.tiles);
    grid.median = (nnz_of_rank(counts, (grid.tiles - 1) / 2) + nnz_of_rank(counts, grid.tiles / 2)) / 2.0;
    grid.max = nnz_of_rank(counts, grid.tiles - 1);
    for (std::size_t nnz = 1; nnz < counts.with_nnz.size(); ++nnz) {
        const auto bin = std::lower_bound(kTileNnzBins.begin(), kTileNnzBins.end(), static_cast<int>(nnz));
        grid.histogram[static_cast<std::size_t>(bin - kTileNnzBins.begin())] += counts.with_nnz[nnz];
    }
    return grid;
}

template <Value V>
TileRowStatistics tile_row_statistics(const CsrMatrix<V>& a) {
    Buffer<offset_t> nnz(static_cast<std::size_t>(div_up(a.rows, kTileSize)));
    parallel_for(0, static_cast<std::int64_t>(nnz.size()), 4096, [&](std::int64_t t) {
        const std::int64_t end = std::min<std::int64_t>(a.rows, (t + 1) * kTileSize);
        nnz[t] = a.row_ptrs[end] - a.row_ptrs[t * kTileSize];
    });
    nnz.truncate(static_cast<std::size_t>(std::remove(nnz.begin(), nnz.end(), 0) - nnz.begin()));
    TileRowStatistics s;
    if (nnz.empty()) return s;
    s.nnz = spread_of(static_cast<std::int64_t>(nnz.size()), [&](std::int64_t i) { return nnz[i]; });
    offset_t* const heaviest = nnz.begin() + div_up(s.nnz.count, 100);
    std::nth_element(nnz.begin(), heaviest - 1, nnz.end(), std::greater<>());
    s.heaviest_share =
        ratio(static_cast<double>(std::accumulate(nnz.begin(), heaviest, offset_t{0})), static_cast<double>(a.nnz()));
    return s;
}

template <Value V>
BsrStatistics best_bsr(const CsrMatrix<V>& a, const TileCounts& counts) {
    BsrStatistics best;
    for (std::size_t i = 0; i < counts.blocks.size(); ++i) {
        const int b = 2 << i;
        const offset_t pointers = div_up(a.rows, b) + 1;
        const offset_t bytes = counts.blocks[i] * (b * b * offset_t{sizeof(V)} + 4) + pointers * 4;
        if (best.block_size == 0 || bytes < best.bytes) best = {b, counts.blocks[i], bytes};
    }
    return best;
}

}  // namespace

template <Value V>
MatrixStatistics matrix_statistics(const CsrMatrix<V>& a) {
    validate_row_ptrs(a);
    MatrixStatistics s;
    s.rows = a.rows;
    s.cols = a.cols;
    s.nnz = a.nnz();
    const auto length = [&](std::int64_t r) { return a.row_ptrs[r + 1] - a.row_ptrs[r]; };
    s.row_length = spread_of(a.rows, length);
    s.empty_rows = parallel_sum<offset_t>(a.rows, [&](std::int64_t first, std::int64_t last) {
        offset_t empty = 0;
        for (auto r = first; r < last; ++r) empty += length(r) == 0;
        return empty;
    });
    const TileCounts counts = count_tiles(a);
    s.grid = grid_statistics(a, counts);
    s.tile_rows = tile_row_statistics(a);
    constexpr offset_t entry = sizeof(V) + 4;
    s.csr_bytes = s.nnz * entry + (offset_t{a.rows} + 1) * 4;
    s.coo_bytes = s.nnz * (entry + 4);
    s.ell_bytes = saturating_product(saturating_product(a.rows, s.row_length.max), entry);
    s.bsr = best_bsr(a, counts);
    return s;
}

#define TILESPMV_INSTANTIATE(V) template MatrixStatistics matrix_statistics(const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
