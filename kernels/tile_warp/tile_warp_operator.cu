#include "kernels/tile_warp/tile_warp_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"
#include "kernels/tile/deferred_sums.cuh"
#include "kernels/tile/tile_source.hpp"
#include "kernels/tile_warp/tile_warp_kernel.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class TileWarpOperator final : public DeviceOperator<V> {
public:
    TileWarpOperator(const MatrixForms<V>& forms, bool updatable, const DeviceContext& on)
        : TileWarpOperator(forms, plan_warps(forms.tiles()), updatable, on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileWarpSpmv<V, A> p{{terms_of<A>(product, this->rows(), this->cols())}};
        if (deferred_) p.other_sums = deferred_->add_up(product, stream);
        p.warps = warps_.data();
        p.values = values_.data();
        p.indices = indices_.data();
        p.pieces = pieces_.view(product.workspace);
        const auto warps = static_cast<std::int64_t>(warps_.size());
        launch_dependent(tile_warp_spmv<V, A>, warps / kTileWarpsPerBlock, kTileWarpThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        std::vector<DeviceBuffer<V>*> arrays{&values_};
        if (deferred_) arrays.push_back(&deferred_->new_values());
        map_->update(csr_values, arrays, stream);
        if (deferred_) deferred_->update_values(stream);
    }

private:
    TileWarpOperator(const MatrixForms<V>& forms, const WarpPlan& plan, bool updatable, const DeviceContext& on)
        : DeviceOperator<V>({.name = "tile-warp",
                             .rows = forms.tiles().rows,
                             .cols = forms.tiles().cols,
                             .nnz = forms.tiles().nnz,
                             .no_new_values = updatable ? "" : kNoMap}),
          warps_(upload(plan.warps, on)),
          values_(forms.tiles().values, on),
          indices_(forms.tiles().indices, on),
          pieces_(plan.pieces, this->layout(), on) {
        const TileMatrix<V>& m = forms.tiles();
        ExecutedParts parts;
        parts.add(executed_tiles(tiles_alone(m), 0), warps_.bytes() - m.tiles.bytes());
        if (m.deferred.nnz() > 0) {
            deferred_.emplace(m, updatable, this->layout(), on);
            deferred_->add_executed(parts);
        }
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (updatable) keep_map(forms, on);
        std::size_t bytes = warps_.bytes() + values_.bytes() + indices_.bytes();
        std::size_t other = pieces_.bytes() + (map_ ? map_->bytes() : 0);
        if (deferred_) {
            bytes += deferred_->matrix_bytes();
            other += deferred_->other_bytes();
        }
        this->set_parts(bytes, other, parts.finish());
    }

    void keep_map(const MatrixForms<V>& forms, const DeviceContext& on) {
        with_csr(forms, [&](const CsrMatrix<V>& csr) {
            const ValueMap map(csr, forms.tiles());
            with_positions(this->nnz(), [&]<class P>() {
                std::vector<Buffer<P>> positions;
                positions.push_back(map.tiled_positions<P>(forms.tiles()));
                if (deferred_) positions.push_back(map.deferred_positions<P>(forms.tiles()));
                map_.emplace(positions, on);
            });
        });
    }

    DeviceBuffer<WarpTiles> warps_;
    DeviceBuffer<V> values_;
    DeviceBuffer<std::uint8_t> indices_;
    PieceBuffers<A> pieces_;
    std::optional<DeferredSums<V, A>> deferred_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_warp_operator(const MatrixForms<V>& forms, Options& options,
                                                           Accumulator accumulator, const DeviceContext& on) {
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<TileWarpOperator<V, A>>(forms, updatable, on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                       \
    template std::unique_ptr<DeviceOperator<V>> make_tile_warp_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                        const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
