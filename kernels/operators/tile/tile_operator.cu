#include <optional>

#include "kernels/cuda/block_product.cuh"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/csr/lowered_to_csr.hpp"
#include "kernels/operators/tile/deferred_sums.cuh"
#include "kernels/operators/tile/full_tile_operator.hpp"
#include "kernels/operators/tile/tile_buffers.cuh"
#include "kernels/operators/tile/tile_views.hpp"

namespace tilespmv::cuda {
namespace {

/// Entries are CSR rows: where half of the nonzeros are, merge path, which balances all of them, is faster for the
/// others, too.
constexpr double kScattered = 0.5;

struct TileOptions {
    bool updatable;
    bool deferred_in_csr5;
    double scattered;  ///< the share of them from which on all nonzeros are CSR rows
};

TileOptions read_options(Options& options) {
    const bool updatable = options.flag("updatable", false);
    const std::string deferred = options.word("deferred", "csr");
    const double scattered = options.number("scattered", kScattered, 0, 2);
    options.finish();
    if (deferred != "csr" && deferred != "csr5") {
        throw Error("operator tile: deferred=" + deferred + ", expected csr or csr5", ExitCode::usage);
    }
    return {updatable, deferred == "csr5", scattered};
}

template <class V, class A>
class TileOperator final : public DeviceOperator<V> {
public:
    TileOperator(const Source<V>& source, const TileOptions& options, const DeviceContext& on)
        : TileOperator(source, options, options.deferred_in_csr5 ? tiles_alone(source.tiles()) : TileMatrix<V>{}, on) {}

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        auto arrays = work_.value_arrays();
        if (deferred_) arrays.push_back(&deferred_->new_values());
        map_->update(csr_values, arrays, stream);
        if (deferred_) deferred_->update_values(stream);
    }

private:
    /// `alone`: the tiles without the deferred nonzeros if these are in CSR5, and not read otherwise.
    TileOperator(const Source<V>& source, const TileOptions& options, const TileMatrix<V>& alone,
                 const DeviceContext& on)
        : TileOperator(source, options, options.deferred_in_csr5 ? alone : source.tiles(),
                       paths_by_format(options.deferred_in_csr5 ? alone : source.tiles()), on) {}
    /// `m`: what is executed in slots and entries.
    TileOperator(const Source<V>& source, const TileOptions& options, const TileMatrix<V>& m, const Paths& paths,
                 const DeviceContext& on)
        : TileOperator(source, options, m, paths, make_tile_work(m, paths, this_gpu(sizeof(V))), on) {}
    TileOperator(const Source<V>& source, const TileOptions& options, const TileMatrix<V>& m, const Paths& paths,
                 const TileWork<V>& work, const DeviceContext& on)
        : DeviceOperator<V>({.name = "tile",
                             .rows = m.rows,
                             .cols = m.cols,
                             .nnz = source.tiles().nnz,
                             .no_new_values = options.updatable ? "" : kNoMap}),
          work_(work, this->layout(), on) {
        ExecutedParts parts;
        add_executed(work, parts);
        if (options.deferred_in_csr5 && m.nnz < this->nnz()) {
            deferred_.emplace(source.tiles(), options.updatable, this->layout(), on);
            deferred_->add_executed(parts);
        }
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (options.updatable) keep_map(source, m, paths, work, on);
        std::size_t bytes = work_.matrix_bytes();
        std::size_t other = work_.other_bytes() + (map_ ? map_->bytes() : 0);
        if (deferred_) {
            bytes += deferred_->matrix_bytes();
            other += deferred_->other_bytes();
        }
        this->set_parts(bytes, other, parts.finish());
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileSpmv<V, A> p{{terms_of<A>(product, this->rows(), this->cols())}};
        if (deferred_) {
            p.other_sums = deferred_->add_up(product, stream);
        }
        work_.put(p, product.workspace);
        if (p.item_count == 0) return launch_dependent(dense_spmv<V, A>, p.dense.run_count, kBlockThreads, p, stream);
        launch_dependent(tile_spmv<V, A>, tiled_blocks(p), kBlockThreads, p, stream);
    }

    void keep_map(const Source<V>& source, const TileMatrix<V>& m, const Paths& paths, const TileWork<V>& work,
                  const DeviceContext& on) {
        const ValueMap map(source.csr(), source.tiles());
        const auto positions = [&]<class P>() {
            auto deferred = map.deferred_positions<P>(source.tiles());
            auto all = positions_of<P>(work, map.tiled_positions<P>(source.tiles()), deferred, m, paths);
            if (deferred_) all.push_back(std::move(deferred));
            return all;
        };
        with_positions(this->nnz(), [&]<class P>() { map_.emplace(positions.template operator()<P>(), on); });
    }

    TileWorkBuffers<V, A> work_;
    std::optional<DeferredSums<V, A>> deferred_;
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
/// Options: deferred (csr: as entries of their tile rows; csr5: as a product of their own in that form, which is
/// added); scattered (0.5; 0: all CSR rows, 2: never); updatable (0; 1: keep a map of 4 or 8 bytes per stored value in
/// device memory, which `update_values` needs, unless all are CSR rows).
template <class V>
std::unique_ptr<Operator<V>> make_tile_operator(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const TileOptions read = read_options(options);
    if (!read.deferred_in_csr5 && scattered_share(source.tiles()) >= read.scattered) {
        return make_lowered_to_csr("tile", parts_in_rows(source.tiles()), source, *context.accumulator, on);
    }
    return with_accumulator<V>(*context.accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<TileOperator<V, A>>(source, read, on);
    });
}

template <class V>
OperatorInfo<V> info_of_tile() {
    OperatorInfo<V> info = on_device<V>(
        {.name = "tile",
         .summary =
             "tiles lowered to slots, which dense, ell, csr and dense_col share, and to entries (CSR rows), as coo and "
             "deferred nonzeros; all of them CSR rows by merge path where at least scattered=S (0.5) are entries; "
             "deferred=csr5 multiplies deferred ones by csr5; updatable=1 keeps a map "
             "for new values",
         .made_from = Form::tiles,
         .sweeps = "deferred=csr|csr5,scattered=0|2",
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
