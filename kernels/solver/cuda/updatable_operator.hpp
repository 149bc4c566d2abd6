#pragma once

#include <memory>
#include <span>
#include <string>

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::solver {

/// An operator on a GPU for a matrix of the host's that takes new values whatever it is: where it cannot do so itself,
/// it is made again.
template <class V>
class UpdatableOperator {
public:
    /// The matrix is not needed afterwards. `where`: it is there, too, and an operator that can multiplies it in that
    /// place; null: it is not. Tiles, for an operator on them, are those of the default selector. Throws as
    /// `make_device_operator`.
    UpdatableOperator(const CsrMatrix<V>& a, std::string specification, const cuda::DeviceContext& on,
                      const cuda::DeviceCsrView<V>* where = nullptr);

    [[nodiscard]] const cuda::DeviceOperator<V>& get() const { return *operator_; }
    /// nnz values in the order of CSR; returns when they are not needed any more. False if the operator is a new one.
    /// An operator that multiplies A `where` it is finds them there.
    /// Throws `Error` for another number of values.
    bool update_values(std::span<const V> values);

private:
    /// It multiplies A `where` that is.
    [[nodiscard]] bool is_in_place() const { return operator_->facts().no_new_values == kReadInPlace; }
    void make(const Source<V>& a);

    index_t cols_;
    std::size_t nonzeros_;
    Buffer<offset_t> row_ptrs_;  // to make it again from, if it takes no new values
    Buffer<index_t> col_idxs_;
    std::string specification_;
    cuda::DeviceContext on_;
    std::unique_ptr<cuda::DeviceOperator<V>> operator_;
    cuda::DeviceBuffer<V> values_;  // made with the first new ones
};

}  // namespace tilespmv::solver
