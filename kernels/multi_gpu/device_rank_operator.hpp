#pragma once

#include <string>

#include "kernels/cuda/device_operator.hpp"
#include "kernels/multi_gpu/communicator.hpp"
#include "kernels/multi_gpu/halo_plan.hpp"
#include "kernels/multi_gpu/side_stream.hpp"
#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::multi_gpu {

/// As `RankOperator`, on the GPU of the rank: a kernel packs what others need, the exchange travels on a stream of its
/// own beside the product of the interior, and the boundary is added when both are there. Made once for one stream. All
/// ranks apply it together; nothing of it waits for the host, so that it can be captured into a graph.
template <class V>
class DeviceRankOperator final : public cuda::DeviceOperator<V> {
public:
    /// `matrix` and `communicator` outlive the object. `communicator` is null if this is the only rank. Throws `Error`
    /// as `make_device_operator` does.
    DeviceRankOperator(const RankMatrix<V>& matrix, const HaloPlan& plan, const std::string& operator_name,
                       Communicator* communicator, const cuda::DeviceContext& on);

    [[nodiscard]] std::string_view name() const override { return interior_.get().name(); }
    [[nodiscard]] index_t rows() const override { return plan_.rows; }
    [[nodiscard]] index_t cols() const override { return plan_.cols; }
    [[nodiscard]] offset_t nnz() const override { return interior_.get().nnz() + boundary_nnz(); }
    [[nodiscard]] std::size_t matrix_bytes() const override;
    [[nodiscard]] std::vector<ExecutedPart> executed() const override;
    [[nodiscard]] std::size_t device_bytes() const override;
    [[nodiscard]] bool is_reproducible() const override { return interior_.get().is_reproducible(); }
    [[nodiscard]] bool pads_with_zeros() const override { return interior_.get().pads_with_zeros(); }
    [[nodiscard]] bool takes_workspace() const override { return false; }

    /// The matrix that it was made from has new values. False if what products launch is not what it was, so that
    /// graphs of them have to be made again.
    bool update_values();

    // The steps of a product.
    /// Packs and exchanges on `stream`; all ranks together.
    void exchange(const V* x, cudaStream_t stream) const;
    [[nodiscard]] const cuda::DeviceOperator<V>& interior() const { return interior_.get(); }
    /// y += alpha * boundary * halo
    void add_boundary(double alpha, V* y, cudaStream_t stream) const;

protected:
    void multiply(const cuda::Product<V>& product, cudaStream_t stream) const override;

private:
    [[nodiscard]] offset_t boundary_nnz() const { return static_cast<offset_t>(values_.size()); }
    [[nodiscard]] bool is_alone() const { return plan_.sends.empty() && plan_.receives.empty(); }
    [[nodiscard]] std::size_t boundary_bytes() const;
    void pack(const V* x, cudaStream_t stream) const;

    const RankMatrix<V>* matrix_;
    HaloPlan plan_;
    Communicator* communicator_;
    cuda::DeviceContext on_;
    solver::UpdatableOperator<V> interior_;
    cuda::DeviceBuffer<index_t> sent_entries_;
    cuda::DeviceBuffer<index_t> boundary_rows_;
    cuda::DeviceBuffer<offset_t> row_ptrs_;
    cuda::DeviceBuffer<index_t> col_idxs_;
    cuda::DeviceBuffer<V> values_;
    mutable cuda::DeviceBuffer<V> sent_;
    mutable cuda::DeviceBuffer<V> halo_;
    SideStream side_;
};

}  // namespace tilespmv::multi_gpu
