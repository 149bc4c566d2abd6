#include <optional>

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/csr/lowered_to_csr.hpp"
#include "kernels/operators/tile/full_tile_operator.hpp"
#include "kernels/operators/tile/tile_buffers.cuh"

namespace tilespmv::cuda {
namespace {

/// Entries are CSR rows: where half of the nonzeros are, merge path, which balances all of them, is faster for the
/// others, too.
constexpr double kScattered = 0.5;

template <class V, class A>
class TileOperator final : public DeviceOperator<V> {
public:
    TileOperator(const Source<V>& source, bool updatable, const DeviceContext& on)
        : TileOperator(source, updatable, paths_by_format(source.tiles()), on) {}

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        map_->update(csr_values, work_.value_arrays(), stream);
    }

private:
    TileOperator(const Source<V>& source, bool updatable, const Paths& paths, const DeviceContext& on)
        : TileOperator(source, updatable, paths, make_tile_work(source.tiles(), paths, this_gpu(sizeof(V))), on) {}
    TileOperator(const Source<V>& source, bool updatable, const Paths& paths, const TileWork<V>& work,
                 const DeviceContext& on)
        : DeviceOperator<V>({.name = "tile",
                             .rows = source.tiles().rows,
                             .cols = source.tiles().cols,
                             .nnz = source.tiles().nnz,
                             .no_new_values = updatable ? "" : kNoMap}),
          work_(work, this->layout(), on) {
        ExecutedParts parts;
        add_executed(work, parts);
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (updatable) keep_map(source, paths, work, on);
        this->set_parts(work_.matrix_bytes(), work_.other_bytes() + (map_ ? map_->bytes() : 0), parts.finish());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileSpmv<V, A> p{terms_of<A>(product, this->rows(), this->cols())};
        work_.put(p, product.workspace);
        if (p.item_count == 0) return launch_dependent(dense_spmv<V, A>, p.dense.run_count, kBlockThreads, p, stream);
        launch_dependent(tile_spmv<V, A>, tiled_blocks(p), kBlockThreads, p, stream);
    }

    void keep_map(const Source<V>& source, const Paths& paths, const TileWork<V>& work, const DeviceContext& on) {
        const TileMatrix<V>& m = source.tiles();
        const ValueMap map(source.csr(), m);
        with_positions(this->nnz(), [&]<class P>() {
            map_.emplace(positions_of<P>(work, map.tiled_positions<P>(m), map.deferred_positions<P>(m), m, paths), on);
        });
    }

    TileWorkBuffers<V, A> work_;
    std::optional<DeviceValueMap<V>> map_;
};

/// What CSR rows stand for that all of `m` is lowered to, without bytes.
template <class V>
std::vector<ExecutedPart> parts_in_rows(const TileMatrix<V>& m) {
    auto parts = executed_tiles(m, 0);
    for (auto& part : parts) {
        part.representation = "csr";
        part.bytes = 0;
    }
    return parts;
}

}  // namespace

/// The tiled product: tiles are lowered to slots and entries when it is made (`slots.hpp`), which formats share. Made
/// from tiles; the CSR form is read only for a map of values, and unpacked if it is not there. Where
/// at least `scattered` of the nonzeros would be entries, all of them are CSR rows, multiplied as by csr-merge.
/// Options: scattered (0.5; 0: all CSR rows, 2: never); updatable (0; 1: keep a map of 4 or 8 bytes per stored value in
/// device memory, which `update_values` needs, unless all are CSR rows).
template <class V>
std::unique_ptr<Operator<V>> make_tile_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const bool updatable = options.flag("updatable", false);
    const double scattered = options.number("scattered", kScattered, 0, 2);
    options.finish();
    if (scattered_share(source.tiles()) >= scattered) {
        return make_lowered_to_csr("tile", parts_in_rows(source.tiles()), source, *context.accumulator, on);
    }
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<TileOperator<V, A>>(source, updatable, on);
    });
}

template <class V>
OperatorInfo<V> info_of_tile() {
    OperatorInfo<V> info = on_device<V>(
        {.name = "tile",
         .summary =
             "tiles lowered to slots, which dense, ell, csr and dense_col share, and to entries (CSR rows), as coo and "
             "deferred nonzeros; all of them CSR rows by merge path where at least scattered=S (0.5) are entries; "
             "updatable=1 keeps a map for new values",
         .made_from = Form::tiles,
         .sweeps = "scattered=0|2",
         .pass_columns = kMostRowColumns},
        make_tile_operator<V>, NewValues::with_option);
    info.make_for_auto = [](const Source<V>& source, Options&, const MakeContext& context) {
        return make_full_tile_operator(source, context);
    };
    info.suits_columns = [](const Source<V>& source, int) { return has_full_tiles_only(source); };
    return info;
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_tile();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
