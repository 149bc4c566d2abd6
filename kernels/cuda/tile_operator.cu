#include "kernels/cuda/tile_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tile_kernel.cuh"

namespace tilespmv::cuda {
namespace {

template <class T>
DeviceBuffer<T> upload(const std::vector<T>& host, cudaStream_t stream) {
    return DeviceBuffer<T>(std::span<const T>(host), stream);
}

struct TileOptions {
    bool generic;
    offset_t item_values;
    bool updatable;
};

TileOptions read_options(Options& options) {
    const TileOptions read{options.number("generic", 0, 0, 1) > 0,
                           static_cast<offset_t>(options.number("item_values", 0, 0, 1 << 30)),
                           options.number("updatable", 0, 0, 1) > 0};
    options.finish();
    return read;
}

ScheduleLimits choose_limits(offset_t work, const TileOptions& options) {
    if (options.item_values > 0) return {options.item_values};
    const DeviceInfo device = require_device();
    return limits_for(work, offset_t{device.multiprocessors} * device.max_warps_per_multiprocessor);
}

template <class V, class A>
class TileOperator final : public DeviceOperator<V> {
public:
    TileOperator(const TileMatrix<V>& m, const TileOptions& options, cudaStream_t stream)
        : TileOperator(m, make_schedule(m, choose_limits(m.nnz, options)), options.generic, stream) {}

    /// Makes `update_values` possible; `pattern` is the matrix that `m` was converted from.
    void keep_map(const CsrMatrix<V>& pattern, const TileMatrix<V>& m, cudaStream_t stream) {
        map_.emplace(pattern, m, stream);
    }

    [[nodiscard]] std::string_view name() const override { return "tile"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return items_.bytes() + chunks_.bytes() + tiles_.bytes() + values_.bytes() + indices_.bytes() +
               deferred_ends_.bytes() + deferred_cols_.bytes() + deferred_values_.bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + splits_.bytes() + partials_.bytes() + arrivals_.bytes() + (map_ ? map_->bytes() : 0);
    }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return launch_scale(y, rows_, static_cast<A>(beta), stream);
        const auto blocks = div_up(static_cast<offset_t>(items_.size()), kWarpsPerBlock);
        launch(tile_spmv<V, A>, blocks, kWarpsPerBlock * kWarpSize, parameters(alpha, x, beta, y), stream);
    }

    void update_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator tile keeps no map for new values; make it with tile:updatable=1");
        map_->update(csr_values, values_, deferred_values_, stream);
    }

private:
    TileOperator(const TileMatrix<V>& m, const Schedule& s, bool generic, cudaStream_t stream)
        : rows_(m.rows),
          cols_(m.cols),
          nnz_(m.nnz),
          generic_(generic),
          items_(upload(s.items, stream)),
          chunks_(upload(s.chunks, stream)),
          tiles_(m.tiles, stream),
          values_(m.values, stream),
          indices_(m.indices, stream),
          deferred_ends_(upload(s.deferred_ends, stream)),
          deferred_cols_(m.deferred.col_idxs, stream),
          deferred_values_(m.deferred.values, stream),
          splits_(upload(s.splits, stream)),
          partials_(std::size_t{s.slots} * kTileSize),
          arrivals_(s.splits.size()) {
        TILESPMV_CUDA(cudaMemsetAsync(arrivals_.data(), 0, arrivals_.bytes(), stream));
        TILESPMV_CUDA(cudaStreamSynchronize(stream));  // the schedule goes away
    }

    [[nodiscard]] TileSpmv<V, A> parameters(double alpha, const V* x, double beta, V* y) const {
        TileSpmv<V, A> p;
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
        p.splits = splits_.data();
        p.partials = partials_.data();
        p.arrivals = arrivals_.data();
        p.x = x;
        p.y = y;
        p.alpha = static_cast<A>(alpha);
        p.beta = static_cast<A>(beta);
        p.walks = generic_;
        p.rows = rows_;
        p.cols = cols_;
        return p;
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    bool generic_;
    DeviceBuffer<WorkItem> items_;
    DeviceBuffer<TileChunk> chunks_;
    DeviceBuffer<TileEntry> tiles_;
    DeviceBuffer<V> values_;
    DeviceBuffer<std::uint8_t> indices_;
    DeviceBuffer<std::uint32_t> deferred_ends_;
    DeviceBuffer<index_t> deferred_cols_;
    DeviceBuffer<V> deferred_values_;
    DeviceBuffer<SplitRow> splits_;
    DeviceBuffer<A> partials_;
    DeviceBuffer<unsigned> arrivals_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream) {
    const TileOptions read = read_options(options);
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        auto made = std::make_unique<TileOperator<V, A>>(*source.tiles, read, stream);
        if (read.updatable) {
            if (source.csr == nullptr) {
                made->keep_map(unpack(*source.tiles), *source.tiles, stream);
            } else {
                made->keep_map(*source.csr, *source.tiles, stream);
            }
        }
        return made;
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>&, Options&, Accumulator, \
                                                                   cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
