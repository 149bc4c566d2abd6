#include "kernels/mixed/mixed_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/csr16/csr16_buffers.cuh"
#include "kernels/cuda/csr_positions.hpp"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/mixed/mixed_kernel.cuh"
#include "kernels/mixed/mixed_work.hpp"
#include "kernels/tile/tile_buffers.cuh"
#include "kernels/tile/tile_source.hpp"

namespace tilespmv::cuda {
namespace {

struct MixedOptions {
    PathTuning paths;
    bool updatable;
};

MixedOptions read_options(Options& options, PathTuning paths) {
    paths.tiles_from = options.whole("tiles_from", paths.tiles_from, 0, 1LL << 52);
    const MixedOptions read{paths, options.flag("updatable", false)};
    options.finish();
    return read;
}

template <class V, class A>
class MixedOperator final : public DeviceOperator<V> {
public:
    MixedOperator(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const MixedOptions& options, const DeviceContext& on)
        : MixedOperator(csr, m, choose_paths(m, options.paths), options, on) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        const auto terms = terms_of<A>(product, this->rows(), this->cols());
        MixedSpmv<V, A> p{{{terms}}};
        tiled_.put(p, product.workspace);
        p.csr16 = csr16_.view(product.workspace);
        const std::int64_t tiled = tiled_blocks(p);
        if (tiled == 0) {
            return launch_dependent(csr16_spmv<V, A, SharedCsr16Kernel>, p.csr16.block_count, Csr16::kThreads,
                                    Csr16Spmv<V, A>{terms, p.csr16}, stream);
        }
        if (p.csr16.block_count == 0 && p.item_count == 0) {
            return launch_dependent(dense_spmv<V, A>, tiled, kBlockThreads, static_cast<const TileSpmv<V, A>&>(p),
                                    stream);
        }
        launch_dependent(mixed_spmv<V, A>, p.csr16.block_count + tiled, kBlockThreads, p, stream);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (is_csr16_) return csr16_.update_values(csr_values, stream);
        if (!map_) throw Error("operator mixed keeps no map for new values; make it with mixed:updatable=1");
        auto arrays = tiled_.value_arrays();
        arrays.push_back(&csr16_.values());
        map_->update(csr_values, arrays, stream);
    }

private:
    MixedOperator(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const Paths& paths, const MixedOptions& options,
                  const DeviceContext& on)
        : MixedOperator(csr, m, paths, take_apart(csr, m, paths, this_gpu(sizeof(V))), options, on) {}
    MixedOperator(const CsrMatrix<V>& csr, const TileMatrix<V>& m, const Paths& paths, const MixedWork<V>& work,
                  const MixedOptions& options, const DeviceContext& on)
        : DeviceOperator<V>({.name = "mixed", .rows = m.rows, .cols = m.cols, .nnz = m.nnz}),
          is_csr16_(work.csr16.nonzeros == m.nnz),
          csr16_(work.csr16, DeviceBuffer<V>(work.values_of_csr16(csr), on), this->layout(), on),
          tiled_(work.tiled, this->layout(), on) {
        this->set_parts(csr16_.matrix_bytes() + tiled_.matrix_bytes(), csr16_.other_bytes() + tiled_.other_bytes(), executed_parts(work));
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (!options.updatable || is_csr16_) return;
        const ValueMap map(csr, m);
        with_positions(this->nnz(), [&]<class P>() {
            auto positions =
                positions_of<P>(work.tiled, map.tiled_positions<P>(m), map.deferred_positions<P>(m), m, paths);
            const Buffer<P> in_order = csr_positions<P>(this->nnz());
            positions.push_back(in_csr16(work.csr16, in_order));
            map_.emplace(positions, on);
        });
    }

    bool is_csr16_;  // all of it, so that its values are in the order of CSR
    Csr16Buffers<V, A> csr16_;
    TileWorkBuffers<V, A> tiled_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_mixed_operator(const MatrixForms<V>& forms, Options& options,
                                                       Accumulator accumulator, const DeviceContext& on) {
    const MixedOptions read = read_options(options, this_tuning(sizeof(V)).paths);
    return with_csr(forms, [&](const CsrMatrix<V>& csr) {
        return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
            return std::make_unique<MixedOperator<V, A>>(csr, forms.tiles(), read, on);
        });
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template std::unique_ptr<DeviceOperator<V>> make_mixed_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                    const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
