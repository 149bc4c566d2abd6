#include "kernels/operators/tile/full_tile_operator.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "formats/list.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operator.hpp"
#include "kernels/operators/tile/full_tile_block.cuh"
#include "kernels/operators/tile/full_tile_fill.cuh"
#include "kernels/operators/tile/full_tiles.hpp"
#include "kernels/operators/tile/tile_buffers.cuh"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

DenseRuns runs_of(const FullTiles& full, const Gpu& gpu) {
    std::vector<index_t> tile_rows(static_cast<std::size_t>(full.tile_rows()));
    std::iota(tile_rows.begin(), tile_rows.end(), 0);
    return make_dense_runs(tile_rows, {full.tile_ptrs_on_host.data(), full.tile_ptrs_on_host.size()},
                           dense_run_tiles(static_cast<offset_t>(full.tiles.size()), gpu));
}

template <class V, class A>
class FullTileOperator final : public DeviceOperator<V> {
public:
    FullTileOperator(const Source<V>& a, const V* csr_values, FullTiles full, const DenseRuns& runs,
                     const DeviceContext& on)
        : DeviceOperator<V>(
              {.name = "tile", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz(), .most_columns = kMostRowColumns}),
          tile_ptrs_(std::move(full.tile_ptrs)),
          dense_(std::move(full.tiles), DeviceBuffer<V>(static_cast<std::size_t>(a.nnz()), on), runs, this->layout(),
                 on) {
        const std::size_t bytes = dense_.matrix_bytes();
        this->set_parts(bytes, dense_.other_bytes() + tile_ptrs_.bytes(),
                        {{"tiles", std::string(formats::Dense::name), a.rows() / kTileSize, a.nnz(), bytes}});
        replace_values(csr_values, on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols())};
        p.dense = dense_.view(product.workspace);
        launch_dependent(dense_spmv<V, A>, p.dense.run_count, kBlockThreads, p, stream);
    }

    void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const override {
        for (int first = 0; first < product.x.cols; first += kMostRowColumns) {
            const int count = std::min(kMostRowColumns, product.x.cols - first);
            const auto dense = dense_.view(product.workspace);
            TileBlockPass<V, A> p{terms_of<A>(product, first, count)};
            p.tile_ptrs = tile_ptrs_.data();
            p.tiles = dense.tiles;
            p.values = dense.values;
            p.tile_rows = this->rows() / kTileSize;
            p.warps = warps_of_tile_row();
            if (count <= 8) {
                multiply_pass<1, false>(p, stream);
            } else if (chunk_of(product.x.columns(first, count)) >= std::min(4, kWide<V>)) {
                multiply_pass<4, true>(p, stream);
            } else {
                multiply_pass<4, false>(p, stream);
            }
        }
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        const auto& runs = dense_.runs();
        launch(fill_full_tiles<V>, static_cast<std::int64_t>(runs.size()), kElementwiseThreads,
               FullTileFill<V>{csr_values, runs.data(), tile_ptrs_.data(), dense_.values().data()}, stream);
    }

private:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        const auto dense = dense_.view(nullptr);
        TILESPMV_CUDA(cudaMemsetAsync(to.row_ptrs, 0, sizeof(offset_t), stream));
        launch(read_full_tiles<V>, dense.run_count, kElementwiseThreads,
               FullTilesToCsr<V>{dense.runs, tile_ptrs_.data(), dense.tiles, dense.values, to}, stream);
        return true;
    }

    /// A block where tile rows are long: one warp would have too many tiles one after the other.
    [[nodiscard]] int warps_of_tile_row() const {
        constexpr offset_t kManyTiles = 32;  // not swept
        constexpr offset_t kRowValues = kTileSize * kTileSize * kManyTiles;
        return this->nnz() > this->rows() / kTileSize * kRowValues ? kTileBlockThreads / kWarpSize : 1;
    }

    template <int kCount, bool kIsAligned>
    void multiply_pass(const TileBlockPass<V, A>& p, cudaStream_t stream) const {
        launch_dependent(multiply_full_tiles<V, A, kCount, kIsAligned>,
                         div_up(std::int64_t{p.tile_rows} * p.warps, kTileBlockThreads / kWarpSize), kTileBlockThreads,
                         p, stream);
    }

    DeviceBuffer<offset_t> tile_ptrs_;
    DenseBuffers<V, A> dense_;
};

}  // namespace

template <class V>
std::unique_ptr<Operator<V>> make_full_tile_operator(const Source<V>& source, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(source, on);
    const CsrToRead<V> csr(source, on);
    auto full = full_tiles(source.rows(), source.nnz(), row_ptrs.data(), csr.columns(), on);
    if (!full) return nullptr;
    count_bytes_to_host(source, full->tile_ptrs.bytes());
    const DenseRuns runs = runs_of(*full, this_gpu(sizeof(V)));
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<FullTileOperator<V, A>>(source, csr.values(), std::move(*full), runs, on);
    });
}

template <class V>
bool has_full_tiles_only(const Source<V>& source) {
    if (source.nnz() == 0 || source.row_statistics().even != source.nnz()) return false;
    const DeviceContext on(nullptr);
    const DeviceBuffer<offset_t> row_ptrs = row_ptrs_on_device(source, on);
    const ColumnsToRead columns(source, on);
    return full_tiles(source.rows(), source.nnz(), row_ptrs.data(), columns.columns(), on).has_value();
}

#define TILESPMV_INSTANTIATE(V)                          \
    template bool has_full_tiles_only(const Source<V>&); \
    template std::unique_ptr<Operator<V>> make_full_tile_operator(const Source<V>&, const MakeContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
