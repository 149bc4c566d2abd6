#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/tile_kernel.cuh"
#include "kernels/cuda/tile_work.hpp"

/// The parts of a `TileWork` in device memory. Each begins its copies on a stream; the host's copy must stay until the
/// stream has passed.
namespace tilespmv::cuda {

template <class T>
DeviceBuffer<T> upload(const std::vector<T>& host, cudaStream_t stream) {
    return DeviceBuffer<T>(std::span<const T>(host), stream);
}

/// Partial sums of rows that are split, and how many of each row's are there. 0 arrivals before and after a product.
template <class A>
class SplitBuffers {
public:
    SplitBuffers(const std::vector<SplitRow>& splits, std::size_t partials, cudaStream_t stream)
        : splits_(upload(splits, stream)), partials_(partials), arrivals_(splits.size()) {
        TILESPMV_CUDA(cudaMemsetAsync(arrivals_.data(), 0, arrivals_.bytes(), stream));
    }
    /// Sets the members of these names.
    template <class View>
    void put(View& view) const {
        view.splits = splits_.data();
        view.partials = partials_.data();
        view.arrivals = arrivals_.data();
    }
    [[nodiscard]] std::size_t bytes() const { return splits_.bytes() + partials_.bytes() + arrivals_.bytes(); }

private:
    DeviceBuffer<SplitRow> splits_;
    DeviceBuffer<A> partials_;
    DeviceBuffer<unsigned> arrivals_;
};

/// A batch in device memory.
template <class V, class A>
class BatchBuffers {
public:
    BatchBuffers(const Batch& b, const Buffer<V>& values, cudaStream_t stream)
        : items_(upload(b.items, stream)),
          ends_(b.ends, stream),
          codes_(b.codes, stream),
          values_(values, stream),
          splits_(b.splits, b.slots, stream) {}

    [[nodiscard]] DeviceBatch<V, A> view() const {
        DeviceBatch<V, A> v;
        v.items = items_.data();
        v.item_count = static_cast<std::int64_t>(items_.size());
        v.ends = ends_.data();
        v.codes = codes_.data();
        v.values = values_.data();
        splits_.put(v);
        return v;
    }
    [[nodiscard]] std::size_t matrix_bytes() const {
        return items_.bytes() + ends_.bytes() + codes_.bytes() + values_.bytes();
    }
    [[nodiscard]] std::size_t workspace_bytes() const { return splits_.bytes(); }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }

private:
    DeviceBuffer<BatchItem> items_;
    DeviceBuffer<std::uint16_t> ends_;
    DeviceBuffer<std::uint16_t> codes_;
    DeviceBuffer<V> values_;
    SplitBuffers<A> splits_;
};

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

}  // namespace tilespmv::cuda
