#include "kernels/solver/cuda/csr_device_space.hpp"

#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/updatable_operator.hpp"

namespace tilespmv::solver {
namespace {

/// What the space is made over, before it and gone after it.
template <class T>
struct System {
    System(const CsrMatrix<T>& csr, const AnyPreconditionerParts& parts, const std::string& operator_name)
        : on(own_stream.get()), a(csr, operator_name, on), m(make_device_preconditioner<T>(parts, on)) {}

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
        const PersistentTuning tuning;
        const auto limits = persistent_limits(sizeof(T), tuning.cluster_threads);
        if (auto plan = plan_persistent(a.row_ptrs, sizeof(T), limits, any_size, tuning))
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
    CsrDeviceSpace(const CsrMatrix<T>& csr, const AnyPreconditionerParts& parts, const std::string& operator_name)
        : System<T>(csr, parts, operator_name), DeviceSpace<T>(this->a.get(), *this->m, this->on) {}

    /// A as it was made from.
    void choose(const CsrMatrix<T>& csr, Persistence persistence) {
        this->set_persistent(make_persistent(csr, this->m->diagonal().has_value(), persistence, this->on));
    }
    void update_values(std::span<const T> values, const AnyPreconditionerParts& parts) override {
        TILESPMV_CUDA(cudaStreamSynchronize(this->stream()));
        if (!this->a.update_values(values)) this->replace_operator(this->a.get());
        if (this->persistent() != nullptr) this->persistent()->update_values(values);
        DeviceSpace<T>::update_values({}, parts);
    }
};

}  // namespace

template <class T>
std::unique_ptr<DeviceSpace<T>> make_csr_device_space(const CsrMatrix<T>& a, const AnyPreconditionerParts& m,
                                                      const std::string& operator_name, Persistence persistence) {
    if (a.rows != a.cols) throw Error("a system needs a square matrix", ExitCode::usage);
    auto space = std::make_unique<CsrDeviceSpace<T>>(a, m, operator_name);
    space->choose(a, persistence);
    return space;
}

template std::unique_ptr<DeviceSpace<double>> make_csr_device_space(const CsrMatrix<double>&,
                                                                    const AnyPreconditionerParts&, const std::string&,
                                                                    Persistence);
template std::unique_ptr<DeviceSpace<float>> make_csr_device_space(const CsrMatrix<float>&,
                                                                   const AnyPreconditionerParts&, const std::string&,
                                                                   Persistence);

}  // namespace tilespmv::solver
