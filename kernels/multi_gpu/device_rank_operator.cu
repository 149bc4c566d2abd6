#include "kernels/multi_gpu/device_rank_operator.hpp"

#include <utility>

#include "kernels/executed.hpp"
#include "kernels/multi_gpu/boundary_kernels.hpp"

namespace tilespmv::multi_gpu {

template <class V>
DeviceRankOperator<V>::DeviceRankOperator(const RankMatrix<V>& matrix, const HaloPlan& plan,
                                          const std::string& operator_name, std::unique_ptr<HaloExchange<V>> halo,
                                          const cuda::DeviceContext& on)
    : matrix_(&matrix),
      plan_(&plan),
      halo_(std::move(halo)),
      on_(on),
      interior_(operator_name, matrix.interior, solver::make_on_gpu<V>(on)),
      boundary_rows_(matrix.boundary_rows, on),
      row_ptrs_(matrix.boundary.row_ptrs, on),
      col_idxs_(matrix.boundary.col_idxs, on),
      values_(matrix.boundary.values, on) {
    const auto& of_interior = static_cast<const cuda::DeviceOperator<V>&>(interior_.get());
    const Facts& interior = of_interior.facts();
    this->set_facts({.name = interior.name,
                     .rows = plan.rows,
                     .cols = plan.cols,
                     .nnz = interior.nnz + boundary_nnz(),
                     .no_new_values = kMakeAgain,
                     .is_reproducible = interior.is_reproducible,
                     .pads_with_zeros = interior.pads_with_zeros,
                     .takes_workspace = false});
    const auto& a = matrix.boundary;
    const auto tile_rows = occupied_tile_rows({a.row_ptrs.data(), a.row_ptrs.size()}, 0, a.rows);
    ExecutedParts parts;
    parts.add(interior.executed, 0);
    parts.add(executed_whole("csr", tile_rows, a.nnz(), boundary_bytes()), 0);
    this->set_parts(interior.matrix_bytes + boundary_bytes(),
                    interior.other_bytes + of_interior.workspace_bytes() + (halo_ ? halo_->device_bytes() : 0),
                    parts.finish());
    this->set_specification(of_interior.specification());
    this->make_own_workspace(on);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
}

template <class V>
std::size_t DeviceRankOperator<V>::boundary_bytes() const {
    if (values_.empty()) return 0;
    return boundary_rows_.bytes() + row_ptrs_.bytes() + col_idxs_.bytes() + values_.bytes();
}

template <class V>
bool DeviceRankOperator<V>::update_values() {
    const auto& boundary = matrix_->boundary.values;
    if (!boundary.empty()) values_.upload({boundary.data(), boundary.size()}, on_.stream);
    const bool is_same =
        interior_.follow_values(matrix_->interior, [this](Operator<V>& to, const Block<const V>& values) {
            solver::give_by_way_of(new_values_, to, values, on_);
        });
    TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
    return is_same;
}

template <class V>
void DeviceRankOperator<V>::exchange(const V* x, cudaStream_t stream) const {
    if (!halo_) return;
    halo_->begin(x, stream);
    halo_->finish(stream);
}

template <class V>
void DeviceRankOperator<V>::add_boundary(double alpha, V* y, cudaStream_t stream) const {
    if (!halo_) return;
    launch_add_boundary<V>({static_cast<index_t>(boundary_rows_.size()), boundary_rows_.data(), row_ptrs_.data(),
                            col_idxs_.data(), values_.data(), halo_->halo(), alpha, y},
                           boundary_nnz(), halo_->lets_next_start(), stream);
}

template <class V>
void DeviceRankOperator<V>::multiply(const cuda::Product<V>& product, cudaStream_t stream) const {
    const cuda::DeviceSpan<const V> x(product.x, static_cast<std::size_t>(this->cols()));
    const cuda::DeviceSpan<V> y(product.y, static_cast<std::size_t>(this->rows()));
    if (halo_) halo_->begin(product.x, stream);
    interior_.get().apply(product.alpha, x, product.beta, y, stream);
    if (halo_) halo_->finish(stream);
    add_boundary(product.alpha, product.y, stream);
}

template class DeviceRankOperator<double>;
template class DeviceRankOperator<float>;

}  // namespace tilespmv::multi_gpu
