#include "kernels/multi_gpu/rank_operator.hpp"

#include "kernels/executed.hpp"
#include "kernels/multi_gpu/boundary_product.hpp"
#include "kernels/solver/cpu_space.hpp"

namespace tilespmv::multi_gpu {

template <CpuValue V>
RankOperator<V>::RankOperator(const RankMatrix<V>& matrix, const HaloPlan& plan, const std::string& operator_name,
                              Communicator& communicator)
    : matrix_(&matrix),
      plan_(&plan),
      communicator_(&communicator),
      interior_(operator_name, matrix.interior, solver::CpuSpace<V>::make),
      sent_(plan.sent.size()),
      halo_(plan.halo_cols.size()) {
    const Facts& of_interior = interior().facts();
    this->set_facts({.name = of_interior.name,
                     .rows = of_interior.rows,
                     .cols = of_interior.cols,
                     .nnz = of_interior.nnz + matrix.boundary.nnz(),
                     .matrix_bytes = of_interior.matrix_bytes + boundary_bytes(),
                     .no_new_values = kMakeAgain});
    this->set_executed([this] { return count_executed(); });
    this->set_specification(interior().specification());
}

template <CpuValue V>
std::size_t RankOperator<V>::boundary_bytes() const {
    const auto& a = matrix_->boundary;
    return a.nnz() == 0 ? 0
                        : a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes() + matrix_->boundary_rows.bytes();
}

template <CpuValue V>
std::vector<ExecutedPart> RankOperator<V>::count_executed() const {
    const auto& a = matrix_->boundary;
    const auto tile_rows = occupied_tile_rows({a.row_ptrs.data(), a.row_ptrs.size()}, 0, a.rows);
    ExecutedParts parts;
    parts.add(interior().executed(), 0);
    parts.add(executed_whole("csr", tile_rows, a.nnz(), boundary_bytes()), 0);
    return parts.finish();
}

template <CpuValue V>
void RankOperator<V>::multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const {
    exchange(x);
    interior().apply(alpha, x, beta, y);
    add_boundary(alpha, y);
}

template <CpuValue V>
void RankOperator<V>::exchange(std::span<const V> x) const {
    pack<V>(*plan_, x, {sent_.data(), sent_.size()});
    communicator_->exchange(*plan_, sent_.data(), halo_.data(), sizeof(V), nullptr);
}

template <CpuValue V>
void RankOperator<V>::add_boundary(V alpha, std::span<V> y) const {
    multi_gpu::add_boundary<V>(*matrix_, alpha, {halo_.data(), halo_.size()}, y);
}

template <CpuValue V>
void RankOperator<V>::follow_values() {
    interior_.follow_values(matrix_->interior,
                            [](Operator<V>& to, std::span<const V> values) { to.update_values(values); });
}

template class RankOperator<double>;
template class RankOperator<float>;

}  // namespace tilespmv::multi_gpu
