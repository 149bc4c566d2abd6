#include <optional>

#include "formats/convert.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/executed.hpp"
#include "kernels/published/csr5/csr5_buffers.cuh"
#include "kernels/published/tile_warp/tile_warp_kernel.cuh"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {
namespace {

/// The deferred nonzeros in CSR5, whose sums become part of those of the tiles.
template <class V, class A>
class DeferredSums {
public:
    DeferredSums(const TileMatrix<V>& m, bool updatable, WorkspaceLayout& layout, const DeviceContext& on)
        : DeferredSums(deferred_alone(m), updatable, layout, on) {}

    /// Of the rows, before the product of the tiles.
    const A* add_up(const Product<V>& product, cudaStream_t stream) const {
        Csr5Spmv<V, A> p;
        p.x = product.x;
        p.cache_policy = product.cache_policy;
        p.sums = sums_.in(product.workspace);
        matrix_.multiply(p, product.workspace, stream);
        return p.sums;
    }
    [[nodiscard]] std::size_t matrix_bytes() const { return matrix_.matrix_bytes(); }
    [[nodiscard]] std::size_t other_bytes() const { return new_values_.bytes(); }
    void add_executed(ExecutedParts& parts) const {
        parts.add({{"csr5", "deferred", tile_rows_, nnz_, matrix_bytes()}}, 0);
    }
    /// In the order of the deferred nonzeros; filled before `update_values`.
    [[nodiscard]] DeviceBuffer<V>& new_values() { return new_values_; }
    void update_values(cudaStream_t stream) { matrix_.update_values(new_values_.data(), stream); }

private:
    DeferredSums(const CsrMatrix<V>& csr, bool updatable, WorkspaceLayout& layout, const DeviceContext& on)
        : nnz_(csr.nnz()),
          tile_rows_(occupied_tile_rows(csr.row_ptrs, 0, csr.rows)),
          matrix_(csr, csr5_sigma(csr.rows, csr.nnz()), layout, on),
          sums_(layout.add<A>(static_cast<std::size_t>(csr.rows), 0)),  // those of empty rows stay 0
          new_values_(updatable ? static_cast<std::size_t>(nnz_) : 0, on) {}

    offset_t nnz_;
    offset_t tile_rows_;
    Csr5Buffers<V, A> matrix_;
    WorkspacePart<A> sums_;
    DeviceBuffer<V> new_values_;
};

template <class V, class A>
class TileWarpOperator final : public DeviceOperator<V> {
public:
    TileWarpOperator(const Source<V>& source, bool updatable, const DeviceContext& on)
        : TileWarpOperator(source, plan_warps(source.tiles()), updatable, on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileWarpSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols())};
        if (deferred_) p.deferred_sums = deferred_->add_up(product, stream);
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
          warps_(plan.warps, on),
          values_(source.tiles().values, on),
          indices_(source.tiles().indices, on),
          pieces_(plan.pieces, this->layout(), on) {
        // A warp reads words.
        TILESPMV_CUDA(cudaMemsetAsync(indices_.data() + indices_.size(), 0, indices_.empty() ? 0 : kSlackBytes, on));
        const TileMatrix<V>& m = source.tiles();
        ExecutedParts parts;
        auto tiles = executed_tiles(m, 0);
        tiles.pop_back();  // the deferred nonzeros
        parts.add(tiles, warps_.bytes() - m.tiles.bytes());
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
