#include "kernels/solver/cuda/csr_device_space.hpp"

#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::solver {
namespace {

/// What the space is made over, before it and gone after it.
template <class T>
struct System {
    System(const CsrMatrix<T>& csr, const PreconditionerParts<T>& parts, const std::string& operator_name,
           const cuda::DeviceCsrView<T>* where)
        : on(own_stream.get()), a(csr, operator_name, on, where), m(make_device_preconditioner<T>(parts, on)) {}

    cuda::Stream own_stream;
    cuda::DeviceContext on;
    UpdatableOperator<T> a;
    std::unique_ptr<DevicePreconditioner<T>> m;
};

template <class T>
std::unique_ptr<PersistentIterations<T>> make_persistent(const CsrMatrix<T>& a, bool is_diagonal,
                                                         Persistence persistence, const cuda::DeviceContext& on) {
    if (persistence == Persistence::no) return nullptr;
    const bool any_size = persistence == Persistence::yes;
    if (is_diagonal) {
        if (auto plan = plan_persistent(a.row_ptrs, sizeof(T), persistent_limits(sizeof(T)), any_size))
            return std::make_unique<PersistentIterations<T>>(a, *plan, on);
    }
    if (!any_size) return nullptr;
    throw Error(is_diagonal
                    ? "the vectors of the system do not fit into the shared memory of the GPU: no persistent kernel"
                    : "the persistent kernel applies diagonal preconditioners only");
}

template <class T>
class CsrDeviceSpace final : private System<T>, public DeviceSpace<T> {
public:
    CsrDeviceSpace(const CsrMatrix<T>& csr, const PreconditionerParts<T>& parts, const std::string& operator_name,
                   const cuda::DeviceCsrView<T>* where)
        : System<T>(csr, parts, operator_name, where), DeviceSpace<T>(this->a.get(), *this->m, this->on) {}

    /// A as it was made from.
    void choose(const CsrMatrix<T>& csr, Persistence persistence) {
        this->set_persistent(make_persistent(csr, this->m->diagonal().has_value(), persistence, this->on));
    }
    void update_values(std::span<const T> values, const PreconditionerParts<T>& parts) override {
        TILESPMV_CUDA(cudaStreamSynchronize(this->stream()));
        if (!this->a.update_values(values)) this->replace_operator(this->a.get());
        if (this->persistent() != nullptr) this->persistent()->update_values(values);
        DeviceSpace<T>::update_values({}, parts);
    }
};

}  // namespace

template <class T>
std::unique_ptr<DeviceSpace<T>> make_csr_device_space(const CsrMatrix<T>& a, const PreconditionerParts<T>& m,
                                                      const std::string& operator_name, Persistence persistence,
                                                      const cuda::DeviceCsrView<T>* where) {
    if (a.rows != a.cols) throw Error("a system needs a square matrix", ExitCode::usage);
    auto space = std::make_unique<CsrDeviceSpace<T>>(a, m, operator_name, where);
    space->choose(a, persistence);
    return space;
}

#define TILESPMV_INSTANTIATE(T)                                                                                        \
    template std::unique_ptr<DeviceSpace<T>> make_csr_device_space(const CsrMatrix<T>&, const PreconditionerParts<T>&, \
                                                                   const std::string&, Persistence,                    \
                                                                   const cuda::DeviceCsrView<T>*);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
