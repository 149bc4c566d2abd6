#include "formats/convert.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "formats/list.hpp"
#include "tile/parallel.hpp"
#include "tile/tile_scanner.hpp"

namespace tilespmv {
namespace {

constexpr offset_t kTileRowBytes = sizeof(index_t) + 3 * sizeof(offset_t);

/// What the tiles of one tile row take.
struct RowTotals {
    offset_t tiles = 0;
    offset_t values = 0;
    offset_t index_bytes = 0;

    void add(const formats::TileSize& size) {
        ++tiles;
        values += size.values;
        index_bytes += size.index_bytes;
    }
    [[nodiscard]] offset_t bytes(offset_t value_bytes) const {
        if (tiles == 0) return 0;
        return kTileRowBytes + tiles * offset_t{sizeof(TileEntry)} + values * value_bytes + index_bytes;
    }
};

/// First pass: sizes of everything. With deferral, both outcomes are added up, since only the end shows which is right.
template <Value V>
class FirstPass {
public:
    FirstPass(const CsrMatrix<V>& a, const TilePolicy& policy)
        : a_(a),
          policy_(policy),
          tile_rows_(div_up(a.rows, kTileSize)),
          kept_(tile_rows_),
          all_(policy.may_defer() ? tile_rows_ : 0),
          deferred_(policy.may_defer() ? a.rows : 0) {
        parallel_for(0, tile_rows_, kTileRowGrain, [this](std::int64_t t) { measure(static_cast<index_t>(t)); });
        if (policy.may_defer()) settle_deferral();
    }

    [[nodiscard]] std::int64_t tile_rows() const { return tile_rows_; }
    [[nodiscard]] const RowTotals& totals(std::int64_t t) const { return kept_[t]; }
    [[nodiscard]] bool defers() const { return deferred_nnz_ > 0; }
    [[nodiscard]] offset_t deferred_nnz() const { return deferred_nnz_; }
    [[nodiscard]] offset_t deferred_rows() const { return deferred_rows_; }
    [[nodiscard]] offset_t deferred_in_row(std::int64_t row) const { return deferred_[row]; }
    /// Listing the non-empty rows takes fewer bytes than a pointer for every row.
    [[nodiscard]] bool lists_rows() const { return 2 * deferred_rows_ < a_.rows; }

private:
    void measure(index_t t) {
        RowTotals kept;
        RowTotals all;
        std::array<std::uint32_t, kTileSize> deferred{};
        offset_t kept_nnz = 0;
        TileScanner scanner(a_, t);
        while (scanner.next()) {
            const TilePattern& pattern = scanner.pattern();
            const TileChoice choice = policy_.choose(pattern, sizeof(V));
            all.add(choice.size);
            if (choice.defer) {
                for (int r = 0; r < kTileSize; ++r) deferred[r] += pattern.row_counts[r];
            } else if (choice.part.row_nnz > 0) {
                kept.add(formats::size_in(choice.part.format, pattern.first_of_rows(choice.part.row_nnz), sizeof(V))
                             .value());
                kept_nnz += pattern.nnz - defer_beyond(choice.part.row_nnz, pattern, deferred);
            } else {
                kept.add(choice.size);
                kept_nnz += pattern.nnz;
            }
        }
        kept_[t] = kept;
        if (policy_.may_defer()) settle_row(t, all, kept_nnz, deferred);
    }

    /// Counts what the rows have beyond `limit` nonzeros; returns the sum.
    static int defer_beyond(int limit, const TilePattern& pattern, std::array<std::uint32_t, kTileSize>& deferred) {
        int sum = 0;
        for (int r = 0; r < kTileSize; ++r) {
            const int rest = std::max(0, pattern.row_counts[r] - limit);
            deferred[r] += static_cast<std::uint32_t>(rest);
            sum += rest;
        }
        return sum;
    }

    void settle_row(index_t t, const RowTotals& all, offset_t kept_nnz,
                    const std::array<std::uint32_t, kTileSize>& deferred) {
        all_[t] = all;
        const std::int64_t row0 = std::int64_t{t} * kTileSize;
        const std::int64_t rows = std::min<std::int64_t>(kTileSize, a_.rows - row0);
        const bool whole = kept_[t].tiles > 0 && policy_.defer_row(kept_[t].bytes(sizeof(V)), kept_nnz * kCsrBytes);
        if (whole) kept_[t] = {};
        for (std::int64_t r = 0; r < rows; ++r) {
            const offset_t* ptr = a_.row_ptrs.data() + row0 + r;
            deferred_[row0 + r] = whole ? static_cast<std::uint32_t>(ptr[1] - ptr[0]) : deferred[r];
        }
    }

    void settle_deferral() {
        std::atomic<offset_t> nnz = 0;
        std::atomic<offset_t> rows = 0;
        parallel_ranges(0, a_.rows, kRowGrain, [&](std::int64_t first, std::int64_t last) {
            offset_t nnz_of_range = 0;
            offset_t rows_of_range = 0;
            for (std::int64_t r = first; r < last; ++r) {
                nnz_of_range += deferred_[r];
                rows_of_range += deferred_[r] > 0;
            }
            nnz += nnz_of_range;
            rows += rows_of_range;
        });
        if (nnz == 0) return;
        deferred_nnz_ = nnz;
        deferred_rows_ = rows;
        if (policy_.keep_deferral({sum(kept_) + remainder_bytes(), sum(all_)})) return;
        deferred_nnz_ = deferred_rows_ = 0;
        kept_ = std::move(all_);
    }

    [[nodiscard]] offset_t remainder_bytes() const {
        const offset_t row_bytes = sizeof(std::uint32_t);
        const offset_t rows = lists_rows() ? 2 * deferred_rows_ + 1 : a_.rows + 1;
        return deferred_nnz_ * kCsrBytes + rows * row_bytes;
    }
    static offset_t sum(const Buffer<RowTotals>& rows) {
        offset_t bytes = 0;
        for (const auto& row : rows) bytes += row.bytes(sizeof(V));
        return bytes;
    }

    static constexpr offset_t kCsrBytes = sizeof(index_t) + sizeof(V);

    const CsrMatrix<V>& a_;
    const TilePolicy& policy_;
    std::int64_t tile_rows_;
    Buffer<RowTotals> kept_;
    Buffer<RowTotals> all_;
    Buffer<std::uint32_t> deferred_;  // nonzeros per row
    offset_t deferred_nnz_ = 0;
    offset_t deferred_rows_ = 0;
};

template <Value V>
void lay_out_tiles(const FirstPass<V>& sizes, TileMatrix<V>& m) {
    std::size_t listed = 0;
    for (std::int64_t t = 0; t < sizes.tile_rows(); ++t) listed += sizes.totals(t).tiles > 0;
    m.tile_rows = Buffer<index_t>(listed);
    for (auto* ptrs : {&m.tile_ptrs, &m.value_ptrs, &m.index_ptrs}) *ptrs = Buffer<offset_t>(listed + 1);
    RowTotals sum;
    std::size_t k = 0;
    for (std::int64_t t = 0; t <= sizes.tile_rows(); ++t) {
        const bool end = t == sizes.tile_rows();
        if (!end && sizes.totals(t).tiles == 0) continue;
        m.tile_ptrs[k] = sum.tiles;
        m.value_ptrs[k] = sum.values;
        m.index_ptrs[k] = sum.index_bytes;
        if (end) break;
        m.tile_rows[k++] = static_cast<index_t>(t);
        sum.tiles += sizes.totals(t).tiles;
        sum.values += sizes.totals(t).values;
        sum.index_bytes += sizes.totals(t).index_bytes;
    }
    m.tiles = Buffer<TileEntry>(static_cast<std::size_t>(sum.tiles));
    m.values = Buffer<V>(static_cast<std::size_t>(sum.values));
    m.indices = Buffer<std::uint8_t>(static_cast<std::size_t>(sum.index_bytes));
}

template <Value V, class Offset>
void lay_out_rows(const FirstPass<V>& sizes, index_t rows, Buffer<index_t>& row_ids, Buffer<Offset>& row_ptrs) {
    const bool list = sizes.lists_rows();
    row_ids = Buffer<index_t>(list ? static_cast<std::size_t>(sizes.deferred_rows()) : 0);
    row_ptrs = Buffer<Offset>(static_cast<std::size_t>(list ? sizes.deferred_rows() : rows) + 1);
    Offset sum = 0;
    std::size_t k = 0;
    for (index_t r = 0; r < rows; ++r) {
        const auto count = sizes.deferred_in_row(r);
        if (list && count == 0) continue;
        if (list) row_ids[k] = r;
        row_ptrs[k++] = sum;
        sum += static_cast<Offset>(count);
    }
    row_ptrs[k] = sum;
}

template <Value V>
void lay_out_remainder(const FirstPass<V>& sizes, bool wide_offsets, TileMatrix<V>& m) {
    if (!sizes.defers()) return;
    auto& d = m.deferred;
    if (wide_offsets || sizes.deferred_nnz() > std::numeric_limits<std::uint32_t>::max()) {
        lay_out_rows(sizes, m.rows, d.row_ids, d.row_ptrs64);
    } else {
        lay_out_rows(sizes, m.rows, d.row_ids, d.row_ptrs32);
    }
    d.col_idxs = Buffer<index_t>(static_cast<std::size_t>(sizes.deferred_nnz()));
    d.values = Buffer<V>(static_cast<std::size_t>(sizes.deferred_nnz()));
}

/// Second pass: packs the tiles of tile rows and copies their deferred nonzeros.
template <Value V>
class RowFiller {
public:
    /// For the tile rows from this one on; the list of them is searched only here.
    RowFiller(const CsrMatrix<V>& a, TileMatrix<V>& m, std::int64_t tile_row)
        : a_(a),
          m_(m),
          tile_row_(static_cast<index_t>(tile_row)),
          next_tiles_(std::lower_bound(m.tile_rows.begin(), m.tile_rows.end(), tile_row_) - m.tile_rows.begin()),
          next_deferred_(m.deferred.first_listed(tile_row * kTileSize)) {}

    /// Fills the next tile row.
    void fill(const TilePolicy& policy) {
        start_deferred();
        if (start_tiles()) {
            fill_tiles(policy);
        } else {
            defer_rows();
        }
        ++tile_row_;
    }

private:
    bool start_tiles() {
        const auto k = next_tiles_;
        if (k == static_cast<offset_t>(m_.tile_rows.size()) || m_.tile_rows[k] != tile_row_) return false;
        tile_ = m_.tiles.data() + m_.tile_ptrs[k];
        values_ = m_.values.data() + m_.value_ptrs[k];
        index_ = m_.indices.data() + m_.index_ptrs[k];
        ++next_tiles_;
        return true;
    }

    void start_deferred() {
        const auto& d = m_.deferred;
        const std::int64_t row0 = std::int64_t{tile_row_} * kTileSize;
        for (auto& k = next_deferred_; k < d.listed_rows() && d.row(k) < row0 + kTileSize; ++k) {
            deferred_[d.row(k) - row0] = d.begin(k);
        }
    }

    void fill_tiles(const TilePolicy& policy) {
        TileScanner scanner(a_, tile_row_);
        while (scanner.next()) {
            const TileChoice choice = policy.choose(scanner.pattern(), sizeof(V));
            if ((!choice.defer && choice.part.row_nnz == 0) || m_.deferred.nnz() == 0) {
                pack(scanner, choice);
            } else if (choice.defer) {
                defer(scanner);
            } else {
                defer_beyond(choice.part.row_nnz, scanner);
                pack_part(scanner, choice.part);
            }
        }
    }

    void pack(const TileScanner& scanner, const TileChoice& choice) {
        std::array<V, TileScanner::kGatherRoom> in;
        scanner.gather(a_.values.data(), in.data());
        pack(scanner.column(), scanner.pattern(), choice.format, choice.size, in.data());
    }

    void pack_part(const TileScanner& scanner, const TilePart& part) {
        const TilePattern kept = scanner.pattern().first_of_rows(part.row_nnz);
        std::array<V, TileScanner::kGatherRoom> in;
        V* out = in.data();
        kept.for_each_row(
            [&](int r) { out = TileScanner::copy_few(a_.values.data() + scanner.first(r), kept.row_counts[r], out); });
        pack(scanner.column(), kept, part.format, formats::size_in(part.format, kept, sizeof(V)).value(), in.data());
    }

    void pack(index_t column, const TilePattern& pattern, int format, const formats::TileSize& size, const V* in) {
        formats::visit_format(format, [&]<class F>() { F::pack(pattern, size, in, values_, index_); });
        *tile_++ = TileEntry(column, format, pattern.nnz, size.values, size.index_bytes, size.parameter);
        values_ += size.values;
        index_ += size.index_bytes;
    }

    void defer(const TileScanner& scanner) {
        scanner.pattern().for_each_row([&](int r) { defer(r, scanner.first(r), scanner.pattern().row_counts[r]); });
    }

    /// What the rows have beyond `limit` nonzeros.
    void defer_beyond(int limit, const TileScanner& scanner) {
        scanner.pattern().for_each_row([&](int r) {
            const int count = scanner.pattern().row_counts[r];
            if (count > limit) defer(r, scanner.first(r) + limit, count - limit);
        });
    }

    void defer(int r, offset_t first, int count) {
        TileScanner::copy_few(a_.col_idxs.data() + first, count, m_.deferred.col_idxs.data() + deferred_[r]);
        TileScanner::copy_few(a_.values.data() + first, count, m_.deferred.values.data() + deferred_[r]);
        deferred_[r] += count;
    }

    void defer_rows() {
        const std::int64_t row0 = std::int64_t{tile_row_} * kTileSize;
        for (std::int64_t r = row0; r < std::min<std::int64_t>(row0 + kTileSize, a_.rows); ++r) {
            const offset_t begin = a_.row_ptrs[r];
            const offset_t count = a_.row_ptrs[r + 1] - begin;
            std::copy_n(a_.col_idxs.data() + begin, count, m_.deferred.col_idxs.data() + deferred_[r - row0]);
            std::copy_n(a_.values.data() + begin, count, m_.deferred.values.data() + deferred_[r - row0]);
        }
    }

    const CsrMatrix<V>& a_;
    TileMatrix<V>& m_;
    index_t tile_row_;        // the next one
    offset_t next_tiles_;     // listed tile row, the first not before tile_row_
    offset_t next_deferred_;  // listed deferred row, the first not before tile_row_
    TileEntry* tile_ = nullptr;
    V* values_ = nullptr;
    std::uint8_t* index_ = nullptr;
    std::array<offset_t, kTileSize> deferred_{};
};

}  // namespace

template <Value V>
TileMatrix<V> convert(const CsrMatrix<V>& a, const TilePolicy& policy, bool wide_offsets) {
    validate_row_ptrs(a);
    const FirstPass<V> sizes(a, policy);
    TileMatrix<V> m;
    m.rows = a.rows;
    m.cols = a.cols;
    m.nnz = a.nnz();
    lay_out_tiles(sizes, m);
    lay_out_remainder(sizes, wide_offsets, m);
    parallel_ranges(0, sizes.tile_rows(), kTileRowGrain, [&](std::int64_t first, std::int64_t last) {
        RowFiller<V> filler(a, m, first);
        for (std::int64_t t = first; t < last; ++t) filler.fill(policy);
    });
    return m;
}

#define TILESPMV_INSTANTIATE(V) template TileMatrix<V> convert(const CsrMatrix<V>&, const TilePolicy&, bool);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
