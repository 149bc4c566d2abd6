#include "kernels/tile/tile_operator.hpp"

#include <optional>

#include "kernels/accumulator.hpp"
#include "kernels/csr5/csr5_buffers.cuh"
#include "kernels/cuda/device_value_map.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/tile/tile_buffers.cuh"
#include "kernels/tile/tile_source.hpp"
#include "kernels/tile/tile_views.hpp"
#include "selector/csr_shapes.hpp"

namespace tilespmv::cuda {
namespace {

struct TileOptions {
    bool updatable;
    bool deferred_in_csr5;
};

TileOptions read_options(Options& options) {
    const bool updatable = options.flag("updatable", false);
    const std::string deferred = options.word("deferred", "csr");
    options.finish();
    if (deferred != "csr" && deferred != "csr5") {
        throw Error("operator tile: deferred=" + deferred + ", expected csr or csr5", ExitCode::usage);
    }
    return {updatable, deferred == "csr5"};
}

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
class TileOperator final : public DeviceOperator<V> {
public:
    TileOperator(const MatrixForms<V>& forms, const TileOptions& options, const DeviceContext& on)
        : TileOperator(forms, options, options.deferred_in_csr5 ? tiles_alone(forms.tiles()) : TileMatrix<V>{}, on) {}

    [[nodiscard]] std::string_view name() const override { return "tile"; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::size_t matrix_bytes() const override {
        return work_.matrix_bytes() + (deferred_ ? deferred_->matrix_bytes() : 0);
    }
    [[nodiscard]] std::size_t device_bytes() const override {
        return matrix_bytes() + work_.other_bytes() + this->workspace_bytes() +
               (deferred_ ? deferred_->other_bytes() : 0) + (map_ ? map_->bytes() : 0);
    }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return executed_; }

    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!map_) throw Error("operator tile keeps no map for new values; make it with tile:updatable=1");
        auto arrays = work_.value_arrays();
        if (deferred_) arrays.push_back(&deferred_->new_values());
        map_->update(csr_values, arrays, stream);
        if (deferred_) deferred_->update_values(stream);
    }

private:
    /// `alone`: the tiles without the deferred nonzeros if these are in CSR5, and not read otherwise.
    TileOperator(const MatrixForms<V>& forms, const TileOptions& options, const TileMatrix<V>& alone,
                 const DeviceContext& on)
        : TileOperator(forms, options, options.deferred_in_csr5 ? alone : forms.tiles(),
                       paths_by_format(options.deferred_in_csr5 ? alone : forms.tiles()), on) {}
    /// `m`: what is executed in slots and entries.
    TileOperator(const MatrixForms<V>& forms, const TileOptions& options, const TileMatrix<V>& m, const Paths& paths,
                 const DeviceContext& on)
        : TileOperator(forms, options, m, paths, make_tile_work(m, paths, this_gpu(sizeof(V))), on) {}
    TileOperator(const MatrixForms<V>& forms, const TileOptions& options, const TileMatrix<V>& m, const Paths& paths,
                 const TileWork<V>& work, const DeviceContext& on)
        : rows_(m.rows), cols_(m.cols), nnz_(forms.tiles().nnz), work_(work, this->layout(), on) {
        ExecutedParts parts;
        add_executed(work, parts);
        if (options.deferred_in_csr5 && m.nnz < nnz_) {
            deferred_.emplace(forms.tiles(), options.updatable, this->layout(), on);
            deferred_->add_executed(parts);
        }
        executed_ = parts.finish();
        TILESPMV_CUDA(cudaStreamSynchronize(on));  // the host's copies go away
        if (options.updatable) keep_map(forms, m, paths, work, on);
    }

    void multiply(const Product<V>& product, cudaStream_t stream) const override {
        TileSpmv<V, A> p{{terms_of<A>(product, rows_, cols_)}};
        if (deferred_) {
            p.other_sums = deferred_->add_up(product, stream);
        }
        work_.put(p, product.workspace);
        if (p.item_count == 0) return launch_dependent(dense_spmv<V, A>, p.dense.run_count, kBlockThreads, p, stream);
        launch_dependent(tile_spmv<V, A>, tiled_blocks(p), kBlockThreads, p, stream);
    }

    void keep_map(const MatrixForms<V>& forms, const TileMatrix<V>& m, const Paths& paths, const TileWork<V>& work,
                  const DeviceContext& on) {
        with_csr(forms, [&](const CsrMatrix<V>& csr) {
            const ValueMap map(csr, forms.tiles());
            const auto positions = [&]<class P>() {
                auto deferred = map.deferred_positions<P>(forms.tiles());
                auto all = positions_of<P>(work, map.tiled_positions<P>(forms.tiles()), deferred, m, paths);
                if (deferred_) all.push_back(std::move(deferred));
                return all;
            };
            with_positions(nnz_, [&]<class P>() { map_.emplace(positions.template operator()<P>(), on); });
        });
    }

    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    TileWorkBuffers<V, A> work_;
    std::optional<DeferredSums<V, A>> deferred_;
    std::vector<ExecutedPart> executed_;
    std::optional<DeviceValueMap<V>> map_;
};

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_tile_operator(const MatrixForms<V>& forms, Options& options,
                                                      Accumulator accumulator, const DeviceContext& on) {
    const TileOptions read = read_options(options);
    return with_accumulator<V>(accumulator, [&]<class A>() -> std::unique_ptr<DeviceOperator<V>> {
        return std::make_unique<TileOperator<V, A>>(forms, read, on);
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                  \
    template std::unique_ptr<DeviceOperator<V>> make_tile_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                   const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
