#include "kernels/solver/device_space.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/download.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/csr_device_space.hpp"

namespace tilespmv::solver {

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const CsrMatrix<T>& a, const AnyPreconditionerParts& m,
                                                  const DeviceSpaceOptions& options,
                                                  const cuda::DeviceCsrView<T>* where) {
    static_cast<void>(cuda::require_device());
    const bool may_persist = options.use_persistent_kernel && !options.constant_null_space;
    const auto persistence = options.persistent_at_any_size ? Persistence::yes : Persistence::automatic;
    auto space =
        make_csr_device_space<T>(a, m, options.operator_name, may_persist ? persistence : Persistence::no, where);
    VectorShapes shapes = space->shapes();
    for (const auto& [kernel, shape] : options.vector_shapes) shapes.set(kernel, shape);
    if (!options.vector_shapes.empty()) space->set_shapes(shapes);
    return space;
}

template <class T>
CsrMatrix<T> copy_to_host(const cuda::DeviceCsrView<T>& a) {
    static_cast<void>(cuda::require_device());
    const cuda::Stream stream;
    return cuda::download(a, stream.get());
}

template <class T>
void copy_values_to_host(const cuda::DeviceCsrView<T>& a, std::span<T> values) {
    static_cast<void>(cuda::require_device());
    TILESPMV_CUDA(cudaMemcpy(values.data(), a.values, values.size_bytes(), cudaMemcpyDeviceToHost));
}

#define TILESPMV_INSTANTIATE(T)                                                                                        \
    template std::unique_ptr<SystemSpace<T>> make_device_space(                                                        \
        const CsrMatrix<T>&, const AnyPreconditionerParts&, const DeviceSpaceOptions&, const cuda::DeviceCsrView<T>*); \
    template CsrMatrix<T> copy_to_host(const cuda::DeviceCsrView<T>&);                                                 \
    template void copy_values_to_host(const cuda::DeviceCsrView<T>&, std::span<T>);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
