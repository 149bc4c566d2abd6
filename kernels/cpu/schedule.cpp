#include "kernels/cpu/schedule.hpp"

#include <algorithm>

namespace tilespmv::cpu {
namespace {

template <Value V>
class Scheduler {
public:
    Scheduler(const TileMatrix<V>* tiles, const CsrRows<V>& csr) : tiles_(tiles), csr_(csr) {}

    Schedule run(std::span<const RowRange> ranges, offset_t other_bytes) {
        const offset_t tiled = tiles_ ? tile_bytes({0, static_cast<offset_t>(tiles_->tile_rows.size())}) : 0;
        schedule_.bytes = other_bytes + tiled;
        for (const RowRange range : ranges) {
            schedule_.bytes += csr_bytes({first_listed(range.first), first_listed(range.end)});
        }
        limit_ = chunk_bytes(schedule_.bytes);
        for (const RowRange range : ranges) {
            csr_row_ = first_listed(range.first);
            for (std::int64_t row = range.first; row < range.end; row += kTileSize) {
                add(next_tile_row(static_cast<index_t>(row), range.end));
            }
            flush();
        }
        return std::move(schedule_);
    }

private:
    static constexpr offset_t kNonzeroBytes = sizeof(V) + sizeof(index_t);

    /// The first listed CSR row at or after `row`.
    [[nodiscard]] offset_t first_listed(index_t row) const {
        if (csr_.row_ids.empty()) return std::min<offset_t>(row, csr_.size());
        return std::ranges::lower_bound(csr_.row_ids, row) - csr_.row_ids.begin();
    }
    [[nodiscard]] offset_t tile_bytes(Span k) const {
        const auto size = [&k](const auto& ptrs) { return ptrs[k.end] - ptrs[k.begin]; };
        return size(tiles_->tile_ptrs) * offset_t{sizeof(TileEntry)} + size(tiles_->value_ptrs) * offset_t{sizeof(V)} +
               size(tiles_->index_ptrs);
    }
    [[nodiscard]] offset_t csr_bytes(Span k) const {
        if (csr_.size() == 0) return 0;
        return (csr_.begin(k.end) - csr_.begin(k.begin)) * kNonzeroBytes +
               (k.end - k.begin) * offset_t{sizeof(offset_t)};
    }
    [[nodiscard]] offset_t bytes(const Chunk& c) const {
        return (tiles_ ? tile_bytes(c.tile_rows) : 0) + csr_bytes(c.csr_rows);
    }

    Chunk next_tile_row(index_t row, index_t end) {
        Chunk c{row, std::min<index_t>(kTileSize, end - row), {tile_row_, tile_row_}, {csr_row_, csr_row_}};
        if (tiles_ && tile_row_ < static_cast<offset_t>(tiles_->tile_rows.size()) &&
            tiles_->tile_rows[tile_row_] == row / kTileSize) {
            c.tile_rows.end = ++tile_row_;
        }
        while (csr_row_ < csr_.size() && csr_.row(csr_row_) - row < kTileSize) ++csr_row_;
        c.csr_rows.end = csr_row_;
        return c;
    }

    void add(const Chunk& tile_row) {
        const offset_t size = bytes(tile_row);
        const bool full = current_.rows + tile_row.rows > Schedule::kMaxRows || current_bytes_ + size > limit_;
        if (full) flush();
        if (size > 2 * limit_) return split(tile_row);
        if (current_.rows == 0) {
            current_ = tile_row;
        } else {
            current_.rows += tile_row.rows;
            current_.tile_rows.end = tile_row.tile_rows.end;
            current_.csr_rows.end = tile_row.csr_rows.end;
        }
        current_bytes_ += size;
    }

    void flush() {
        if (current_.rows > 0) schedule_.chunks.push_back(current_);
        current_ = {};
        current_bytes_ = 0;
    }

    void split(const Chunk& tile_row) {
        const auto first = static_cast<offset_t>(schedule_.pieces.size());
        for (offset_t k = tile_row.tile_rows.begin; k < tile_row.tile_rows.end; ++k) cut_tiles(k);
        if (csr_.size() > 0) cut_nonzeros({csr_.begin(tile_row.csr_rows.begin), csr_.begin(tile_row.csr_rows.end)});
        schedule_.heavy.push_back({tile_row, {first, static_cast<offset_t>(schedule_.pieces.size())}});
    }

    void cut_tiles(offset_t k) {
        const Span all{tiles_->tile_ptrs[k], tiles_->tile_ptrs[k + 1]};
        Piece piece{
            schedule_.heavy.size(), {all.begin, all.begin}, tiles_->value_ptrs[k], tiles_->index_ptrs[k], 0, 0, {}};
        offset_t values = piece.values;
        offset_t index_bytes = piece.index_bytes;
        const auto size = [&] {
            return (values - piece.values) * offset_t{sizeof(V)} + index_bytes - piece.index_bytes +
                   (piece.tiles.end - piece.tiles.begin) * offset_t{sizeof(TileEntry)};
        };
        while (piece.tiles.end < all.end) {
            const TileEntry entry = tiles_->tiles[piece.tiles.end++];
            values += entry.values();
            index_bytes += entry.index_bytes();
            if (size() < limit_ && piece.tiles.end < all.end) continue;
            piece.values_end = values;
            piece.index_end = index_bytes;
            schedule_.pieces.push_back(piece);
            piece = {piece.heavy, {piece.tiles.end, piece.tiles.end}, values, index_bytes, 0, 0, {}};
        }
    }

    void cut_nonzeros(Span all) {
        const offset_t step = limit_ / kNonzeroBytes;
        for (offset_t p = all.begin; p < all.end; p += step) {
            schedule_.pieces.push_back({schedule_.heavy.size(), {}, 0, 0, 0, 0, {p, std::min(p + step, all.end)}});
        }
    }

    const TileMatrix<V>* tiles_;
    CsrRows<V> csr_;
    Schedule schedule_;
    offset_t limit_ = 0;
    offset_t tile_row_ = 0;  // next listed tile row
    offset_t csr_row_ = 0;   // next listed CSR row
    Chunk current_;
    offset_t current_bytes_ = 0;
};

}  // namespace

offset_t chunk_bytes(offset_t product_bytes) {
    return std::clamp(product_bytes / kTuning.chunks, kTuning.min_chunk_bytes, kTuning.max_chunk_bytes);
}

template <Value V>
Schedule make_schedule(std::span<const RowRange> ranges, const TileMatrix<V>* tiles, const CsrRows<V>& csr,
                       offset_t other_bytes) {
    return Scheduler<V>(tiles, csr).run(ranges, other_bytes);
}

#define TILESPMV_INSTANTIATE(V) \
    template Schedule make_schedule(std::span<const RowRange>, const TileMatrix<V>*, const CsrRows<V>&, offset_t);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::cpu
