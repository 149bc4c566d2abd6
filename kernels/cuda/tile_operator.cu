#include "kernels/cuda/tile_operator.hpp"

#include <algorithm>
#include <optional>

#include "formats/convert.hpp"
#include "kernels/accumulator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tile_buffers.cuh"

namespace tilespmv::cuda {
namespace {

struct TileOptions {
    bool generic;
    bool batch;
    offset_t tiles_from;
    bool updatable;
};

TileOptions read_options(Options& options) {
    const TileOptions read{options.flag("generic", false), options.flag("batch", true),
                           options.whole("tiles_from", kTilesFrom, 0, 1LL << 52),
                           options.flag("updatable", false)};
    options.finish();
    return read;
}

template <class V>
Paths paths_of(const TileMatrix<V>& m, const TileOptions& options) {
    if (options.generic) return Paths(static_cast<std::size_t>(div_up(m.rows, kTileSize)), Path::tiles);
    Paths paths = choose_paths(m, options.tiles_from);
    if (!options.batch) std::replace(paths.begin(), paths.end(), Path::batch, Path::tiles);
    return paths;
}

template <class V>
void expect_same_shape(const CsrMatrix<V>& csr, const TileMatrix<V>& m) {
    if (csr.rows == m.rows && csr.cols == m.cols && csr.nnz() == m.nnz) return;
    throw Error(
        "operator tile: the CSR matrix beside the tiles is another one; their rows, columns or nonzeros differ");
}

GpuSize gpu_size() {
    const DeviceInfo device = require_device();
    return {device.multiprocessors, device.max_warps_per_multiprocessor};
}

template <class V, class A>
class TileOperator final : public DeviceOperator<V> {
public:
    TileOperator(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const TileOptions& options, cudaStream_t stream)
        : TileOperator(csr, m, take_apart(csr, m, paths_of(m, options), gpu_size()), options, stream) {}

    [[nodiscard]] std::string_view name() const override { return "tile"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return batch_.matrix_bytes() + dense_.matrix_bytes() + tiles_.matrix_bytes();
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + batch_.workspace_bytes() + dense_.workspace_bytes() + tiles_.workspace_bytes() +
               (map_ ? map_->bytes() : 0);
    }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return launch_scale(y, rows_, static_cast<A>(beta), stream);
        const auto p = parameters(alpha, x, beta, y);
        const auto blocks = p.batch.item_count + p.dense.run_count + div_up(p.item_count, kWarpsPerBlock);
        if (blocks == p.batch.item_count) return launch(batch_spmv<V, A>, blocks, kBlockThreads, p, stream);
        if (blocks == p.dense.run_count) return launch(dense_spmv<V, A>, blocks, kBlockThreads, p, stream);
        launch(tile_spmv<V, A>, blocks, kBlockThreads, p, stream);
    }

    void update_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator tile keeps no map for new values; make it with tile:updatable=1");
        map_->update(csr_values, batch_.values(), dense_.values(), tiles_.values(), tiles_.deferred_values(), stream);
    }

private:
    TileOperator(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const TileWork<V>& work, const TileOptions& options,
                 cudaStream_t stream)
        : rows_(m.rows),
          cols_(m.cols),
          nnz_(m.nnz),
          walks_(options.generic),
          batch_(work.batch, work.values_of_batch(csr), stream),
          dense_(work.dense.matrix, work.dense_runs, stream),
          tiles_(work.tiles.matrix, work.schedule, stream) {
        if (options.updatable) map_.emplace(csr, m, work.batch, work.dense, work.tiles, stream);
        TILESPMV_CUDA(cudaStreamSynchronize(stream));  // the host's copies go away
    }

    [[nodiscard]] TileSpmv<V, A> parameters(double alpha, const V* x, double beta, V* y) const {
        TileSpmv<V, A> p{{x, y, static_cast<A>(alpha), static_cast<A>(beta), rows_, cols_}};
        p.walks = walks_;
        p.batch = batch_.view();
        p.dense = dense_.view();
        tiles_.put(p);
        return p;
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    bool walks_;
    BatchBuffers<V, A> batch_;
    DenseBuffers<V, A> dense_;
    TileBuffers<V, A> tiles_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>& source, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream) {
    const TileOptions read = read_options(options);
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        if (source.csr != nullptr) {
            expect_same_shape(*source.csr, *source.tiles);
            return std::make_unique<TileOperator<V, A>>(*source.csr, *source.tiles, read, stream);
        }
        return std::make_unique<TileOperator<V, A>>(unpack(*source.tiles), *source.tiles, read, stream);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_tile_operator(const DeviceSource<V>&, Options&, Accumulator, \
                                                                   cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
