#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::solver {

template <class V>
UpdatableOperator<V>::UpdatableOperator(const CsrMatrix<V>& a, std::string specification, const cuda::DeviceContext& on,
                                        const cuda::DeviceCsrView<V>* where)
    : cols_(a.cols), nonzeros_(static_cast<std::size_t>(a.nnz())), specification_(std::move(specification)), on_(on) {
    make(where != nullptr ? Source<V>(a, *where) : Source<V>(a));
    if (is_in_place() || operator_->takes_new_values()) return;
    row_ptrs_ = a.row_ptrs.clone();
    col_idxs_ = a.col_idxs.clone();
}

template <class V>
bool UpdatableOperator<V>::update_values(std::span<const V> values) {
    if (values.size() != nonzeros_) {
        throw Error("a matrix of " + std::to_string(nonzeros_) + " nonzeros was given " +
                    std::to_string(values.size()) + " new values");
    }
    if (is_in_place()) return true;
    if (operator_->takes_new_values()) {
        if (values_.size() != values.size()) values_ = cuda::DeviceBuffer<V>(values.size(), on_);
        values_.upload(values, on_.stream);
        operator_->update_values(std::as_const(values_).span(), on_.stream);
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        return true;
    }
    const auto rows = static_cast<index_t>(row_ptrs_.size() - 1);
    const auto a = borrow_csr<V>(rows, cols_, std::span<const offset_t>(row_ptrs_.data(), row_ptrs_.size()),
                                 std::span<const index_t>(col_idxs_.data(), col_idxs_.size()), values);
    make(a);
    return false;
}

template <class V>
void UpdatableOperator<V>::make(const Source<V>& a) {
    operator_ = cuda::make_device_operator<V>(specification_, a, default_accumulator<V>(), on_);
}

template class UpdatableOperator<double>;
template class UpdatableOperator<float>;

}  // namespace tilespmv::solver
