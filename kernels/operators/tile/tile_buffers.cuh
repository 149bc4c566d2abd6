#pragma once

#include <utility>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/operators/tile/tile_kernel.cuh"
#include "kernels/operators/tile/tile_work.hpp"

/// The tiled parts of a matrix in device memory. Each begins its copies on a stream; the host's copy must stay until
/// the stream has passed.
namespace tilespmv::cuda {

/// Dense tile rows in device memory.
template <class V, class A>
class DenseBuffers {
public:
    /// `values`: in device memory, 256 a tile.
    DenseBuffers(DeviceBuffer<TileEntry> tiles, DeviceBuffer<V> values, const DenseRuns& d, WorkspaceLayout& layout,
                 const DeviceContext& on)
        : runs_(d.runs, on),
          tiles_(std::move(tiles)),
          values_(std::move(values)),
          splits_(d.splits, on),
          partials_(layout.add<A>(std::size_t{d.partials} * kTileSize, 0)),
          arrivals_(layout.add<unsigned>(d.splits.size(), 0)) {}

    [[nodiscard]] DeviceDense<V, A> view(std::byte* workspace) const {
        DeviceDense<V, A> v;
        v.runs = runs_.data();
        v.run_count = static_cast<std::int64_t>(runs_.size());
        v.tiles = tiles_.data();
        v.values = values_.data();
        v.splits = splits_.data();
        v.partials = partials_.in(workspace);
        v.arrivals = arrivals_.in(workspace);
        return v;
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return runs_.bytes() + tiles_.bytes() + values_.bytes(); }
    [[nodiscard]] std::size_t other_bytes() const { return splits_.bytes(); }
    [[nodiscard]] const DeviceBuffer<DenseRun>& runs() const { return runs_; }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }

private:
    DeviceBuffer<DenseRun> runs_;
    DeviceBuffer<TileEntry> tiles_;
    DeviceBuffer<V> values_;
    DeviceBuffer<SplitRow> splits_;
    WorkspacePart<A> partials_;
    WorkspacePart<unsigned> arrivals_;  ///< 0 before and after a product
};

/// A `SlotWork` in device memory.
template <class V, class A>
class SlotBuffers {
public:
    SlotBuffers(const SlotWork<V>& form, WorkspaceLayout& layout, const DeviceContext& on)
        : items_(form.items, on),
          half_items_(form.half_items),
          slots_(form.slots, on),
          values_(form.values, on),
          entry_columns_(form.entry_columns, on),
          entry_values_(form.entry_values, on),
          entry_ends_(form.entry_ends, on),
          pieces_(form.pieces, layout, on) {}

    /// Sets the members of these names.
    void put(TileSpmv<V, A>& p, std::byte* workspace) const {
        p.items = items_.data();
        p.half_items = half_items_;
        p.item_count = static_cast<std::int64_t>(items_.size());
        p.slots = slots_.data();
        p.values = values_.data();
        p.entry_columns = entry_columns_.data();
        p.entry_values = entry_values_.data();
        p.entry_ends = entry_ends_.data();
        p.pieces = pieces_.view(workspace);
    }
    [[nodiscard]] std::size_t matrix_bytes() const {
        return items_.bytes() + slots_.bytes() - kSpareSlots * sizeof(Slot) + values_.bytes() + entry_columns_.bytes() +
               entry_values_.bytes() + entry_ends_.bytes();
    }
    [[nodiscard]] std::size_t other_bytes() const { return pieces_.bytes(); }
    [[nodiscard]] DeviceBuffer<V>& values() { return values_; }
    [[nodiscard]] DeviceBuffer<V>& entry_values() { return entry_values_; }

private:
    DeviceBuffer<TileItem> items_;
    offset_t half_items_;
    DeviceBuffer<Slot> slots_;
    DeviceBuffer<V> values_;
    DeviceBuffer<index_t> entry_columns_;
    DeviceBuffer<V> entry_values_;
    DeviceBuffer<EntryEnds> entry_ends_;
    PieceBuffers<A> pieces_;
};

/// A `TileWork` in device memory.
template <class V, class A>
class TileWorkBuffers {
public:
    TileWorkBuffers(const TileWork<V>& work, WorkspaceLayout& layout, const DeviceContext& on)
        : dense_(DeviceBuffer<TileEntry>(work.dense.tiles, on), DeviceBuffer<V>(work.dense.values, on), work.dense_runs,
                 layout, on),
          slots_(work.slots, layout, on) {}

    /// Sets all members but those of the product's terms.
    void put(TileSpmv<V, A>& p, std::byte* workspace) const {
        p.dense = dense_.view(workspace);
        slots_.put(p, workspace);
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return dense_.matrix_bytes() + slots_.matrix_bytes(); }
    [[nodiscard]] std::size_t other_bytes() const { return dense_.other_bytes() + slots_.other_bytes(); }
    /// In the order of `positions_of`.
    [[nodiscard]] std::vector<DeviceBuffer<V>*> value_arrays() {
        return {&dense_.values(), &slots_.values(), &slots_.entry_values()};
    }

private:
    DenseBuffers<V, A> dense_;
    SlotBuffers<V, A> slots_;
};

}  // namespace tilespmv::cuda
