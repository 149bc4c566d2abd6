#include "kernels/solver/device_space.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/download.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/csr_device_space.hpp"
#include "kernels/solver/system_space.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const CsrMatrix<T>& a, const PreconditionerParts<T>& m,
                                                  const DeviceSpaceOptions& options,
                                                  const cuda::DeviceCsrView<T>* where) {
    static_cast<void>(cuda::require_device());
    const bool may_persist = options.use_persistent_kernel && !options.constant_null_space;
    const auto persistence = options.persistent_at_any_size ? Persistence::yes : Persistence::automatic;
    return make_csr_device_space<T>(a, m, options.operator_name, may_persist ? persistence : Persistence::no, where);
}

namespace {

/// What the space is made over, before it and gone after it.
template <class T>
struct OperatorsOfCaller {
    explicit OperatorsOfCaller(const Operator<T>* of_m, index_t rows) : on(own_stream.get()) {
        if (of_m != nullptr) {
            m = std::make_unique<DeviceOperatorPreconditioner<T>>(on_device(*of_m));
        } else {
            PreconditionerParts<T> none;
            none.size = rows;
            m = make_device_preconditioner<T>(none, on);
        }
    }
    static const cuda::DeviceOperator<T>& on_device(const Operator<T>& a) {
        if (const auto* found = dynamic_cast<const cuda::DeviceOperator<T>*>(&a)) return *found;
        throw Error("to solve on a GPU needs operators on a GPU, found " + std::string(a.name()) + " on the CPU");
    }

    cuda::Stream own_stream;
    cuda::DeviceContext on;
    std::unique_ptr<DevicePreconditioner<T>> m;
};

template <class T>
class SpaceOfCaller final : private OperatorsOfCaller<T>, public DeviceSpace<T> {
public:
    SpaceOfCaller(const Operator<T>& a, const Operator<T>* of_m)
        : OperatorsOfCaller<T>(of_m, a.rows()), DeviceSpace<T>(this->on_device(a), *this->m, this->on) {}
};

}  // namespace

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>& a, const Operator<T>* m) {
    static_cast<void>(cuda::require_device());
    return std::make_unique<SpaceOfCaller<T>>(a, m);
}

template <class T>
CsrMatrix<T> copy_to_host(const cuda::DeviceCsrView<T>& a) {
    static_cast<void>(cuda::require_device());
    const cuda::Stream stream;
    return {a.rows, a.cols, cuda::download_row_ptrs(a, stream.get()), cuda::download(a.col_idxs, a.nnz, stream.get()),
            cuda::download(a.values, a.nnz, stream.get())};
}

template <class T>
void copy_values_to_host(const cuda::DeviceCsrView<T>& a, std::span<T> values) {
    static_cast<void>(cuda::require_device());
    cuda::copy_to_host(values.data(), a.values, values.size_bytes(), nullptr);
}

#define TILESPMV_INSTANTIATE(T)                                                                                        \
    template std::unique_ptr<SystemSpace<T>> make_device_space(                                                        \
        const CsrMatrix<T>&, const PreconditionerParts<T>&, const DeviceSpaceOptions&, const cuda::DeviceCsrView<T>*); \
    template std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>&, const Operator<T>*);                \
    template CsrMatrix<T> copy_to_host(const cuda::DeviceCsrView<T>&);                                                 \
    template void copy_values_to_host(const cuda::DeviceCsrView<T>&, std::span<T>);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
