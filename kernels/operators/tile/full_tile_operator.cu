#include "kernels/operators/tile/full_tile_operator.hpp"

#include <numeric>
#include <string>

#include "formats/list.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/source_arrays.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operator.hpp"
#include "kernels/operators/tile/full_tile_fill.cuh"
#include "kernels/operators/tile/full_tiles.hpp"
#include "kernels/operators/tile/tile_buffers.cuh"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

DenseRuns runs_of(const FullTiles& full, const Gpu& gpu) {
    std::vector<index_t> tile_rows(static_cast<std::size_t>(full.tile_rows()));
    std::iota(tile_rows.begin(), tile_rows.end(), 0);
    return make_dense_runs(tile_rows, {full.tile_ptrs.data(), full.tile_ptrs.size()},
                           dense_run_tiles(static_cast<offset_t>(full.tiles.size()), gpu));
}

template <class V, class A>
class FullTileOperator final : public DeviceOperator<V> {
public:
    FullTileOperator(const Source<V>& a, const FullTiles& full, const DenseRuns& runs, const DeviceContext& on)
        : DeviceOperator<V>({.name = "tile", .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          tile_ptrs_(full.tile_ptrs, on),
          dense_(full.tiles, DeviceBuffer<V>(static_cast<std::size_t>(a.nnz()), on), runs, this->layout(), on) {
        const std::size_t bytes = dense_.matrix_bytes();
        this->set_parts(bytes, dense_.other_bytes() + tile_ptrs_.bytes(),
                        {{"tiles", std::string(formats::Dense::name), a.rows() / kTileSize, a.nnz(), bytes}});
        const DeviceBuffer<V> csr_values = values_on_device(a, on);
        replace_values(csr_values.data(), on);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileSpmv<V, A> p{{terms_of<A>(product, this->rows(), this->cols())}};
        p.dense = dense_.view(product.workspace);
        launch_dependent(dense_spmv<V, A>, p.dense.run_count, kBlockThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        const auto& runs = dense_.runs();
        launch(fill_full_tiles<V>, static_cast<std::int64_t>(runs.size()), kElementwiseThreads,
               FullTileFill<V>{csr_values, runs.data(), tile_ptrs_.data(), dense_.values().data()}, stream);
    }

private:
    DeviceBuffer<offset_t> tile_ptrs_;  ///< for new values
    DenseBuffers<V, A> dense_;
};

}  // namespace

template <class V>
std::unique_ptr<Operator<V>> make_full_tile_operator(const Source<V>& source, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const auto full = full_tiles(source.pattern());
    if (!full) return nullptr;
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<FullTileOperator<V, A>>(source, *full, runs_of(*full, this_gpu(sizeof(V))), on);
    });
}

#define TILESPMV_INSTANTIATE(V) \
    template std::unique_ptr<Operator<V>> make_full_tile_operator(const Source<V>&, const MakeContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
