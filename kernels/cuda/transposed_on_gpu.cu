#include <algorithm>
#include <optional>
#include <string>

#include "kernels/cuda/device_csr.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sum_entries.cuh"
#include "kernels/cuda/transpose_pattern.hpp"
#include "kernels/cuda/tuning.hpp"
#include "kernels/transposed_matrix.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;

/// Values of a matrix, and where those of its transpose are among them.
template <class V, class P>
struct ValuesToCompare {
    const V* values = nullptr;
    const P* positions = nullptr;
    offset_t nnz = 0;
    int* differs = nullptr;
};

template <class V, class P>
__global__ void __launch_bounds__(kThreads) compare_with_transpose(ValuesToCompare<V, P> p) {
    const offset_t i = offset_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= p.nnz) return;
    if (!(p.values[i] == p.values[p.positions[i]])) *p.differs = 1;
}

bool is_captured(cudaStream_t stream) {
    auto status = cudaStreamCaptureStatusNone;
    TILESPMV_CUDA(cudaStreamIsCapturing(stream, &status));
    return status != cudaStreamCaptureStatusNone;
}

template <Value V, class P>
class TransposedOnGpu final : public TransposedMatrix<V> {
public:
    /// In the order of the default stream.
    TransposedOnGpu(DeviceCsr<V> a, std::string_view specification)
        : a_(std::move(a)), nnz_(a_->nnz()), specification_(specification), differs_(1, on_) {
        pattern_ = transpose_pattern<P>(pattern_of(*a_), on_);
    }

    bool is_symmetric() override {
        const bool found = pattern_.is_same && is_mirrored(view_of(*a_).values, on_.stream);
        if (found) {
            a_.reset();
            forget_pattern();
        }
        return found;
    }

    bool keeps_symmetry(const Block<const V>& values, const Run& run) override {
        if (is_captured(run.stream)) {
            throw Error(
                "whether new values of a matrix that was found to be symmetric are so, too, cannot be found while "
                "a stream is captured; make the operator with SecondForm::never if they are, or "
                "SecondForm::always");
        }
        const DeviceBuffer<V> copy = copy_of(values, run.stream);
        return is_mirrored(copy.empty() ? values.data : copy.data(), run.stream);
    }

    std::unique_ptr<Operator<V>> make_second(const MakeOfSource<V>& make) override {
        values_ = DeviceBuffer<V>(static_cast<std::size_t>(nnz_), on_);
        gather(view_of(*a_).values, on_.stream);
        using Given = std::conditional_t<sizeof(P) == 4, std::int32_t, std::int64_t>;  // as a view has them
        const DeviceCsrView<V> there{a_->cols(),
                                     a_->rows(),
                                     nnz_,
                                     reinterpret_cast<const Given*>(pattern_.row_ptrs.data()),
                                     pattern_.col_idxs.data(),
                                     values_.data(),
                                     DeviceArrays::in_place};
        a_.reset();
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));  // operators are made on other streams
        const Source<V> source(there);
        if (pattern_.is_same) source.prefer(specification_);
        auto second = make(source);
        is_multiplied_here_ = second->facts().no_new_values == kReadInPlace;
        if (!is_multiplied_here_ && nnz_ > 0) forget_pattern();  // without nonzeros an operator does not say so
        return second;
    }

    [[nodiscard]] bool takes_new_values(const Operator<V>& second) const override {
        return is_multiplied_here_ || second.takes_new_values();
    }

    void replace(std::unique_ptr<Operator<V>>& second, const Block<const V>& values, const Run& run,
                 const MakeOfSource<V>&) override {
        const DeviceBuffer<V> copy = copy_of(values, run.stream);
        gather(copy.empty() ? values.data : copy.data(), run.stream);
        if (!is_multiplied_here_) {
            second->update_values(Block<const V>(values_.data(), values_.size(), Memory::device), run.stream);
        }
        if (!copy.empty()) TILESPMV_CUDA(cudaStreamSynchronize(run.stream));
    }

    /// What the second form multiplies here is its own.
    [[nodiscard]] std::size_t bytes() const override {
        return pattern_.positions.bytes() + (is_multiplied_here_ ? 0 : values_.bytes());
    }

private:
    static CsrView<V, P> view_of(const DeviceCsr<V>& a) {
        return a.visit([]<class Q>(const CsrView<V, Q>& view) {
            if constexpr (std::is_same_v<P, Q>) return view;
            return CsrView<V, P>{};  // this is made for the type that there is
        });
    }
    static CsrPattern<P> pattern_of(const DeviceCsr<V>& a) {
        const CsrView<V, P> view = view_of(a);
        return {a.rows(), a.cols(), a.nnz(), view.row_ptrs, view.col_idxs};
    }
    /// Values of the host on the GPU; empty of those that are there.
    DeviceBuffer<V> copy_of(const Block<const V>& values, cudaStream_t stream) const {
        if (values.memory == Memory::device) return {};
        return DeviceBuffer<V>(std::span<const V>(values.data, values.rows), stream);
    }

    /// All but the positions.
    void forget_pattern() {
        pattern_.row_ptrs = {};
        pattern_.col_idxs = {};
    }

    void gather(const V* values, cudaStream_t stream) {
        launch_sum_entries(EntriesToSum<V, P>{values, pattern_.positions.data(), nullptr, nnz_, values_.data()},
                           stream);
    }
    bool is_mirrored(const V* values, cudaStream_t stream) {
        int differs = 0;
        TILESPMV_CUDA(cudaMemsetAsync(differs_.data(), 0, differs_.bytes(), stream));
        const ValuesToCompare<V, P> p{values, pattern_.positions.data(), nnz_, differs_.data()};
        launch(compare_with_transpose<V, P>, div_up(nnz_, offset_t{kThreads}), kThreads, p, stream);
        differs_.download({&differs, 1}, stream);
        return differs == 0;
    }

    DeviceContext on_;
    std::optional<DeviceCsr<V>> a_;  // until the second form is made, or it is known that there is none
    offset_t nnz_;
    std::string specification_;  // of the operator of the matrix
    TransposedPattern<P> pattern_;
    DeviceBuffer<V> values_;  // that the second form multiplies, or gets new ones from
    DeviceBuffer<int> differs_;
    bool is_multiplied_here_ = false;
};

}  // namespace

template <Value V>
std::unique_ptr<TransposedMatrix<V>> transposed_on_gpu(const Operator<V>& op, const Source<V>& a) {
    if (dynamic_cast<const DeviceOperator<V>*>(&op) == nullptr) return nullptr;
    DeviceCsr<V> csr(a, DeviceContext());
    const bool is_narrow = csr.visit([]<class P>(const CsrView<V, P>&) { return sizeof(P) == sizeof(std::uint32_t); });
    if (is_narrow) return std::make_unique<TransposedOnGpu<V, std::uint32_t>>(std::move(csr), op.specification());
    return std::make_unique<TransposedOnGpu<V, offset_t>>(std::move(csr), op.specification());
}

template <Value V>
std::unique_ptr<Operator<V>> own_transpose(const Operator<V>& op, const Source<V>& a) {
    const auto all = operators<V>(Backend::cuda);
    const auto info = std::ranges::find(all, op.name(), &OperatorEntry::name);
    if (info == all.end() || info->make_transpose == nullptr) return nullptr;
    const DeviceContext on;
    const MakeContext context{.backend = Backend::cuda, .accumulator = default_accumulator(*info), .device = &on};
    Options options("operator", std::string(op.specification()));
    auto made = as_device_operator(info->make_transpose(a, options, context));
    made->make_own_workspace(on);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));  // other streams may use it
    return made;
}

#define TILESPMV_INSTANTIATE(V)                                                                            \
    template std::unique_ptr<TransposedMatrix<V>> transposed_on_gpu(const Operator<V>&, const Source<V>&); \
    template std::unique_ptr<Operator<V>> own_transpose(const Operator<V>&, const Source<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
