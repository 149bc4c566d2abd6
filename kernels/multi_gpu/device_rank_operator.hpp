#pragma once

#include <memory>
#include <string>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/multi_gpu/halo_exchange.hpp"
#include "kernels/multi_gpu/halo_plan.hpp"
#include "kernels/solver/cuda/device_space.hpp"

namespace tilespmv::multi_gpu {

/// As `RankOperator`, on the GPU of the rank: the halo travels while the interior is multiplied, and the boundary is
/// added when both are there. Made once for one stream. All ranks apply it together; nothing of it waits for the host
/// while it is captured into a graph.
template <class V>
class DeviceRankOperator final : public cuda::DeviceOperator<V> {
public:
    /// `matrix` and `plan` outlive the object. `halo` is null if the rank neither sends nor receives. Throws `Error` as
    /// `make_device_operator` does.
    DeviceRankOperator(const RankMatrix<V>& matrix, const HaloPlan& plan, const std::string& operator_name,
                       std::unique_ptr<HaloExchange<V>> halo, const cuda::DeviceContext& on);

    /// The matrix that it was made from has new values. False if what products launch is not what it was, so that
    /// graphs of them have to be made again.
    bool update_values();

    // The steps of a product.
    /// All ranks together.
    void exchange(const V* x, cudaStream_t stream) const;
    [[nodiscard]] const Operator<V>& interior() const { return interior_.get(); }
    /// y += alpha * boundary * halo
    void add_boundary(double alpha, V* y, cudaStream_t stream) const;

protected:
    void multiply(const cuda::Product<V>& product, cudaStream_t stream) const override;

private:
    [[nodiscard]] offset_t boundary_nnz() const { return static_cast<offset_t>(values_.size()); }
    [[nodiscard]] std::size_t boundary_bytes() const;

    const RankMatrix<V>* matrix_;
    const HaloPlan* plan_;
    std::unique_ptr<HaloExchange<V>> halo_;
    cuda::DeviceContext on_;
    solver::SystemOperator<V> interior_;
    cuda::DeviceBuffer<V> new_values_;  // of the interior, on their way to its operator; made with the first
    cuda::DeviceBuffer<index_t> boundary_rows_;
    cuda::DeviceBuffer<offset_t> row_ptrs_;
    cuda::DeviceBuffer<index_t> col_idxs_;
    cuda::DeviceBuffer<V> values_;
};

}  // namespace tilespmv::multi_gpu
