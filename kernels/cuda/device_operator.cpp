#include "kernels/cuda/device_operator.hpp"

#include <fmt/format.h>

#include "kernels/cuda/cache_policy.hpp"
#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/csr_source.hpp"
#include "kernels/cuda/dependent_launch.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/form_sizes.hpp"
#include "selector/work_sizes.hpp"

namespace tilespmv::cuda {
namespace {

int current_device() {
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    return device;
}

void check_size(std::string_view name, std::string_view vector, std::size_t size, std::string_view what,
                index_t expected) {
    if (size == static_cast<std::size_t>(expected)) return;
    throw Error(
        fmt::format("{}: {} has {} values, expected {}, the {} of the matrix", name, vector, size, expected, what));
}

}  // namespace

template <class V>
DeviceOperator<V>::DeviceOperator() : device_(current_device()) {}

template <class V>
void DeviceOperator<V>::check_product(std::size_t x, std::size_t y) const {
    check_size(name(), "x", x, "columns", cols());
    check_size(name(), "y", y, "rows", rows());
    if (const int current = current_device(); current != device_) {
        throw Error(fmt::format("{} was made on GPU {}, but GPU {} is current; call cudaSetDevice({})", name(), device_,
                                current, device_));
    }
}

template <class V>
void DeviceOperator<V>::make_own_workspace(const DeviceContext& on) {
    const std::size_t vectors = (static_cast<std::size_t>(rows()) + static_cast<std::size_t>(cols())) * sizeof(V);
    cache_policy_ =
        make_cache_policy(kept_share(matrix_bytes() + vectors, vectors, l2_bytes(), this_tuning(sizeof(V)).cache), on);
    sums_ = layout_.add_room<V>(static_cast<std::size_t>(rows()));
    own_ = std::make_unique<Workspace>(make_workspace(on));
}

template <class V>
void DeviceOperator<V>::run(const Scalar& alpha, const V* x, const Scalar& beta, V* y, cudaStream_t stream,
                            std::byte* workspace) const {
    if (alpha.is_known_zero()) return launch_scale(y, rows(), beta, stream);
    if (alpha.where() == nullptr && beta.where() == nullptr) {
        return multiply({x, y, alpha.value(), beta.value(), workspace, cache_policy_}, stream);
    }
    V* const sums = sums_.in(workspace);
    multiply({x, sums, 1, 0, workspace, cache_policy_}, stream);
    launch_combine<V>(alpha, sums, beta, y, rows(), stream);
}

template <class V>
void DeviceOperator<V>::apply(const Scalar& alpha, DeviceSpan<const V> x, const Scalar& beta, DeviceSpan<V> y,
                              cudaStream_t stream) const {
    check_product(x.size(), y.size());
    run(alpha, x.data(), beta, y.data(), stream, own_->data());
}

template <class V>
void DeviceOperator<V>::apply(const Scalar& alpha, DeviceSpan<const V> x, const Scalar& beta, DeviceSpan<V> y,
                              cudaStream_t stream, Workspace& workspace) const {
    check_product(x.size(), y.size());
    if (!takes_workspace()) {
        throw Error(fmt::format("{} works in its own workspace only; make an operator for each stream", name()));
    }
    if (workspace.made_by() != this) {
        throw Error(fmt::format("{}: the workspace is that of another operator", name()));
    }
    run(alpha, x.data(), beta, y.data(), stream, workspace.data());
}

template <class V>
void DeviceOperator<V>::update_values(const V* csr_values, cudaStream_t stream) {
    replace_values(csr_values, stream);
    launch_barrier(stream);  // products load values before they wait for the kernel before
}

template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const MatrixForms<V>& forms,
                                                        Accumulator accumulator, const DeviceContext& on) {
    validate_sizes(forms);
    Options options("operator", specification);
    const OperatorInfo<V>& info = find_operator<V>(Backend::cuda, specification);
    const auto make = [&](const MatrixForms<V>& from) {
        auto made = info.make_on_device(from, options, accumulator, on);
        if (options.name() != "auto") made->set_specification(specification);
        made->make_own_workspace(on);
        TILESPMV_CUDA(cudaStreamSynchronize(on.stream));  // other streams may use it
        return made;
    };
    const auto* view = forms.template find<DeviceCsrView<V>>();
    if (view == nullptr || info.reads_csr_in_place || forms.template find<CsrMatrix<V>>() != nullptr)
        return make(forms);
    const CsrMatrix<V> csr = download(*view, on.stream);
    const TileMatrix<V>* tiles = forms.template find<TileMatrix<V>>();
    return make({&csr, tiles});
}

#define TILESPMV_INSTANTIATE(V)                                                                               \
    template class DeviceOperator<V>;                                                                         \
    template std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view, const MatrixForms<V>&, \
                                                                     Accumulator, const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
