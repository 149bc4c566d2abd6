#include <optional>

#include "formats/convert.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/split_buffers.cuh"
#include "kernels/executed.hpp"
#include "kernels/operators/tile/deferred_sums.cuh"
#include "kernels/published/tile_warp/tile_warp_kernel.cuh"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class TileWarpOperator final : public DeviceOperator<V> {
public:
    TileWarpOperator(const Source<V>& source, bool updatable, const DeviceContext& on)
        : TileWarpOperator(source, plan_warps(source.tiles()), updatable, on) {}

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
    TileWarpOperator(const Source<V>& source, const WarpPlan& plan, bool updatable, const DeviceContext& on)
        : DeviceOperator<V>({.name = "tile-warp",
                             .rows = source.tiles().rows,
                             .cols = source.tiles().cols,
                             .nnz = source.tiles().nnz,
                             .no_new_values = updatable ? "" : kNoMap}),
          warps_(upload(plan.warps, on)),
          values_(source.tiles().values, on),
          indices_(source.tiles().indices, on),
          pieces_(plan.pieces, this->layout(), on) {
        const TileMatrix<V>& m = source.tiles();
        ExecutedParts parts;
        parts.add(executed_tiles(tiles_alone(m), 0), warps_.bytes() - m.tiles.bytes());
        if (m.deferred.nnz() > 0) {
            deferred_.emplace(m, updatable, this->layout(), on);
            deferred_->add_executed(parts);
        }
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (updatable) keep_map(source, on);
        std::size_t bytes = warps_.bytes() + values_.bytes() + indices_.bytes();
        std::size_t other = pieces_.bytes() + (map_ ? map_->bytes() : 0);
        if (deferred_) {
            bytes += deferred_->matrix_bytes();
            other += deferred_->other_bytes();
        }
        this->set_parts(bytes, other, parts.finish());
    }

    void keep_map(const Source<V>& source, const DeviceContext& on) {
        const ValueMap map(source.csr(), source.tiles());
        with_positions(this->nnz(), [&]<class P>() {
            std::vector<Buffer<P>> positions;
            positions.push_back(map.tiled_positions<P>(source.tiles()));
            if (deferred_) positions.push_back(map.deferred_positions<P>(source.tiles()));
            map_.emplace(positions, on);
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

/// The published algorithm (Niu et al., "TileSpMV", IPDPS 2021): a warp for up to four tiles of one tile row, which are
/// read as they are stored, by a routine for each format (`warp_routines.cuh`); deferred nonzeros by csr5. Unlike the
/// released code it adds up the sums of a tile row in a fixed order, not by atomics, and padding never meets x.
/// Option: updatable (0; 1: keep a map of 4 or 8 bytes per stored value in device memory, which `update_values` needs).
template <class V>
std::unique_ptr<Operator<V>> make_tile_warp_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<TileWarpOperator<V, A>>(source, updatable, on);
    });
}

template <class V>
OperatorInfo<V> info_of_tile_warp() {
    return on_device<V>(
        {.name = "tile-warp",
         .summary =
             "the published algorithm: a warp for up to four tiles of a tile row, a routine for each format that "
             "reads the tile as it is stored, deferred nonzeros by csr5; updatable=1 keeps a map for new values",
         .made_from = Form::tiles},
        make_tile_warp_operator<V>, NewValues::with_option);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_tile_warp();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
