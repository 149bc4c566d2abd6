#include "kernels/tile/tile_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/tile/tile_buffers.cuh"
#include "kernels/tile/tile_source.hpp"

namespace tilespmv::cuda {
namespace {

template <class V, class A>
class TileOperator final : public DeviceOperator<V> {
public:
    TileOperator(const MatrixForms<V>& forms, bool updatable, cudaStream_t stream)
        : TileOperator(forms, paths_by_format(forms.tiles()), updatable, stream) {}

    [[nodiscard]] std::string_view name() const override { return "tile"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override { return work_.matrix_bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + work_.workspace_bytes() + (map_ ? map_->bytes() : 0);
    }

    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return executed_; }

    void apply(double alpha, const V* x, double beta, V* y, cudaStream_t stream) const override {
        if (alpha == 0) return launch_scale(y, rows_, static_cast<A>(beta), stream);
        TileSpmv<V, A> p{{x, y, static_cast<A>(alpha), static_cast<A>(beta), rows_, cols_}};
        work_.put(p);
        if (p.item_count == 0) return launch(dense_spmv<V, A>, p.dense.run_count, kBlockThreads, p, stream);
        launch(tile_spmv<V, A>, tiled_blocks(p), kBlockThreads, p, stream);
    }

    void update_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator tile keeps no map for new values; make it with tile:updatable=1");
        map_->update(csr_values, work_.value_arrays(), stream);
    }

private:
    TileOperator(const MatrixForms<V>& forms, const Paths& paths, bool updatable, cudaStream_t stream)
        : TileOperator(forms, paths, make_tile_work(forms.tiles(), paths, this_gpu_size()), updatable, stream) {}
    TileOperator(const MatrixForms<V>& forms, const Paths& paths, const TileWork<V>& work, bool updatable,
                 cudaStream_t stream)
        : rows_(forms.tiles().rows), cols_(forms.tiles().cols), nnz_(forms.tiles().nnz), work_(work, stream) {
        ExecutedParts parts;
        add_executed(work, parts);
        executed_ = parts.finish();
        TILESPMV_CUDA(cudaStreamSynchronize(stream));  // the host's copies go away
        if (!updatable) return;
        with_csr(forms, [&](const CsrMatrix<V>& csr) {
            const ValueMap map(csr, forms.tiles());
            const auto positions = [&]<class P>() { return positions_of<P>(work, map, forms.tiles(), paths); };
            map_.emplace(nnz_, positions, stream);
        });
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    TileWorkBuffers<V, A> work_;
    std::vector<ExecutedPart> executed_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const MatrixForms<V>& forms, Options& options,
                                                      Accumulator accumulator, cudaStream_t stream) {
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<TileOperator<V, A>>(forms, updatable, stream);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                  \
    template std::unique_ptr<DeviceOperator<V>> make_tile_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                   cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
