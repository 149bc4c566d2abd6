#include "kernels/solver/cuda/updatable_operator.hpp"

#include "formats/convert.hpp"
#include "selector/policy.hpp"

namespace tilespmv::solver {
namespace {

template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make(const std::string& specification, const CsrMatrix<V>& a,
                                              const cuda::DeviceContext& on) {
    const auto& info = find_operator<V>(Backend::cuda, specification);
    if (info.made_from != Form::tiles)
        return cuda::make_device_operator<V>(specification, {&a}, default_accumulator<V>(), on);
    const auto tiles = convert(a, *make_policy(kDefaultSelector));
    return cuda::make_device_operator<V>(specification, {&a, &tiles}, default_accumulator<V>(), on);
}

template <class V>
bool can_read(const cuda::DeviceCsrView<V>* where, const std::string& specification) {
    return where != nullptr && find_operator<V>(Backend::cuda, specification).reads_csr_in_place;
}

}  // namespace

template <class V>
UpdatableOperator<V>::UpdatableOperator(const CsrMatrix<V>& a, std::string specification, const cuda::DeviceContext& on,
                                        const cuda::DeviceCsrView<V>* where)
    : cols_(a.cols),
      nonzeros_(static_cast<std::size_t>(a.nnz())),
      specification_(std::move(specification)),
      on_(on),
      is_in_place_(can_read(where, specification_)) {
    operator_ = is_in_place_ ? cuda::make_device_operator<V>(specification_, {where}, default_accumulator<V>(), on)
                             : make(specification_, a, on);
    if (is_in_place_ || takes_values()) return;
    row_ptrs_ = a.row_ptrs.clone();
    col_idxs_ = a.col_idxs.clone();
}

template <class V>
bool UpdatableOperator<V>::update_values(std::span<const V> values) {
    if (values.size() != nonzeros_) {
        throw Error("a matrix of " + std::to_string(nonzeros_) + " nonzeros was given " +
                    std::to_string(values.size()) + " new values");
    }
    if (is_in_place_) return true;
    if (takes_values()) {
        if (values_.size() != values.size()) values_ = cuda::DeviceBuffer<V>(values.size(), on_);
        values_.upload(values, on_.stream);
        operator_->update_values(std::as_const(values_).span(), on_.stream);
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        return true;
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
