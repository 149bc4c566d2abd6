#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::solver {
namespace {

template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make(const std::string& specification, const CsrMatrix<V>& a,
                                              const cuda::DeviceContext& on) {
    return cuda::make_device_operator<V>(specification, {&a}, default_accumulator<V>(), on);
}

}  // namespace

template <class V>
UpdatableOperator<V>::UpdatableOperator(const CsrMatrix<V>& a, std::string specification, const cuda::DeviceContext& on)
    : cols_(a.cols),
      row_ptrs_(a.row_ptrs.clone()),
      col_idxs_(a.col_idxs.clone()),
      specification_(std::move(specification)),
      on_(on),
      operator_(make(specification_, a, on)) {}

template <class V>
bool UpdatableOperator<V>::update_values(std::span<const V> values) {
    if (values.size() != col_idxs_.size()) {
        throw Error("a matrix of " + std::to_string(col_idxs_.size()) + " nonzeros was given " +
                    std::to_string(values.size()) + " new values");
    }
    if (takes_values_) {
        if (values_.size() != values.size()) values_ = cuda::DeviceBuffer<V>(values.size(), on_);
        values_.upload(values, on_.stream);
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        try {
            operator_->update_values(values_.data(), on_.stream);
            return true;
        } catch (const Error&) {
            takes_values_ = false;  // it keeps no map for them
            values_ = {};
        }
    }
    const auto rows = static_cast<index_t>(row_ptrs_.size() - 1);
    const auto a = borrow_csr<V>(rows, cols_, std::span<const offset_t>(row_ptrs_.data(), row_ptrs_.size()),
                                 std::span<const index_t>(col_idxs_.data(), col_idxs_.size()), values);
    operator_ = make(specification_, a, on_);
    return false;
}

template class UpdatableOperator<double>;
template class UpdatableOperator<float>;

}  // namespace tilespmv::solver
