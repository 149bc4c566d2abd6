#pragma once

#include "kernels/cuda/split_buffers.cuh"
#include "kernels/cuda/tile_kernel.cuh"
#include "kernels/cuda/tile_work.hpp"

/// The tiled parts of a matrix in device memory. Each begins its copies on a stream; the host's copy must stay until
/// the stream has passed.
namespace tilespmv::cuda {

/// Dense tile rows in device memory.
template <class V, class A>
class DenseBuffers {
public:
    DenseBuffers(const TileMatrix<V>& m, const DenseRuns& d, cudaStream_t stream)
        : runs_(upload(d.runs, stream)),
          tiles_(m.tiles, stream),
          values_(m.values, stream),
          splits_(d.splits, std::size_t{d.slots} * kTileSize, stream) {}

    [[nodiscard]] DeviceDense<V, A> view() const {
        DeviceDense<V, A> v;
        v.runs = runs_.data();
        v.run_count = static_cast<std::int64_t>(runs_.size());
        v.tiles = tiles_.data();
        v.values = values_.data();
        splits_.put(v);
        return v;
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return runs_.bytes() + tiles_.bytes() + values_.bytes(); }
    [[nodiscard]] std::size_t workspace_bytes() const { return splits_.bytes(); }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }

private:
    DeviceBuffer<DenseRun> runs_;
    DeviceBuffer<TileEntry> tiles_;
    DeviceBuffer<V> values_;
    SplitBuffers<A> splits_;
};

/// Tile rows that warps execute tile by tile, in device memory.
template <class V, class A>
class TileBuffers {
public:
    TileBuffers(const TileMatrix<V>& m, const Schedule& s, cudaStream_t stream)
        : items_(upload(s.items, stream)),
          chunks_(upload(s.chunks, stream)),
          tiles_(m.tiles, stream),
          values_(m.values, stream),
          indices_(m.indices, stream),
          deferred_ends_(upload(s.deferred_ends, stream)),
          deferred_cols_(m.deferred.col_idxs, stream),
          deferred_values_(m.deferred.values, stream),
          splits_(s.splits, std::size_t{s.slots} * kTileSize, stream) {}

    /// Sets the members of these names.
    void put(TileSpmv<V, A>& p) const {
        p.items = items_.data();
        p.item_count = static_cast<std::int64_t>(items_.size());
        p.chunks = chunks_.data();
        p.tiles = tiles_.data();
        p.tile_count = static_cast<std::int64_t>(tiles_.size());
        p.values = values_.data();
        p.indices = indices_.data();
        p.deferred_ends = deferred_ends_.data();
        p.deferred_cols = deferred_cols_.data();
        p.deferred_values = deferred_values_.data();
        splits_.put(p);
    }
    [[nodiscard]] std::size_t matrix_bytes() const {
        return items_.bytes() + chunks_.bytes() + tiles_.bytes() + values_.bytes() + indices_.bytes() +
               deferred_ends_.bytes() + deferred_cols_.bytes() + deferred_values_.bytes();
    }
    [[nodiscard]] std::size_t workspace_bytes() const { return splits_.bytes(); }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }
    [[nodiscard]] DeviceBuffer<V>& deferred_values() { return deferred_values_; }

private:
    DeviceBuffer<WorkItem> items_;
    DeviceBuffer<TileChunk> chunks_;
    DeviceBuffer<TileEntry> tiles_;
    DeviceBuffer<V> values_;
    DeviceBuffer<std::uint8_t> indices_;
    DeviceBuffer<std::uint32_t> deferred_ends_;
    DeviceBuffer<index_t> deferred_cols_;
    DeviceBuffer<V> deferred_values_;
    SplitBuffers<A> splits_;
};

/// A `TileWork` in device memory.
template <class V, class A>
class TileWorkBuffers {
public:
    TileWorkBuffers(const TileWork<V>& work, cudaStream_t stream)
        : dense_(work.dense.matrix, work.dense_runs, stream), tiles_(work.tiles.matrix, work.schedule, stream) {}

    /// Sets all members but those of the product's terms.
    void put(TileSpmv<V, A>& p) const {
        p.dense = dense_.view();
        tiles_.put(p);
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return dense_.matrix_bytes() + tiles_.matrix_bytes(); }
    [[nodiscard]] std::size_t workspace_bytes() const { return dense_.workspace_bytes() + tiles_.workspace_bytes(); }
    /// In the order of `positions_of`.
    [[nodiscard]] std::vector<DeviceBuffer<V>*> value_arrays() {
        return {&dense_.values(), &tiles_.values(), &tiles_.deferred_values()};
    }

private:
    DenseBuffers<V, A> dense_;
    TileBuffers<V, A> tiles_;
};

}  // namespace tilespmv::cuda
