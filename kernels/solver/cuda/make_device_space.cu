#include "kernels/solver/device_space.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/device_space.hpp"
#include "kernels/solver/system_space.hpp"
#include "tile/error.hpp"

namespace tilespmv::solver {

namespace {

/// Before the space on it and gone after it.
struct OwnStream {
    cuda::Stream own;
    cuda::DeviceContext on{own.get()};
};

template <class T>
const Operator<T>& on_device(const Operator<T>& a) {
    if (dynamic_cast<const cuda::DeviceOperator<T>*>(&a) != nullptr) return a;
    throw Error("to solve on a GPU needs operators on a GPU, found " + std::string(a.name()) + " on the CPU");
}

template <class T>
class SpaceOnOwnStream final : private OwnStream, public DeviceSpace<T> {
public:
    SpaceOnOwnStream(const CsrMatrix<T>& a, const PreconditionerParts<T>& m, const DeviceSpaceOptions& options,
                     const cuda::DeviceCsrView<T>* where)
        : DeviceSpace<T>(operator_of(a, options.operator_name, where, on), preconditioner_of(m, make_on_gpu<T>(on)), on,
                         where != nullptr && a.row_ptrs.empty() ? where : nullptr) {
        if (may_persist(options)) {
            this->set_persistent(make_persistent(where == nullptr ? Source<T>(a) : Source<T>(*where), options, on));
        }
    }
    SpaceOnOwnStream(const Operator<T>& a, const Operator<T>* m)
        : DeviceSpace<T>(SystemOperator<T>(on_device(a)), preconditioner_of(m == nullptr ? m : &on_device(*m)), on) {}

private:
    /// `where`: A is there, too, and an operator that can multiplies it in that place.
    static SystemOperator<T> operator_of(const CsrMatrix<T>& a, const std::string& name,
                                         const cuda::DeviceCsrView<T>* where, const cuda::DeviceContext& on) {
        if (where == nullptr) return {name, a, make_on_gpu<T>(on)};
        return {name, a, [where, on](const std::string& specification, const CsrMatrix<T>&) {
                    return cuda::make_device_operator<T>(specification, *where, default_accumulator<T>(), on);
                }};
    }
    static bool may_persist(const DeviceSpaceOptions& options) {
        return options.use_persistent_kernel && !options.constant_null_space;
    }
    /// Row pointers of a matrix on the GPU are copied to the host where they are needed.
    std::unique_ptr<PersistentIterations<T>> make_persistent(const Source<T>& a, const DeviceSpaceOptions& options,
                                                             const cuda::DeviceContext& context) const {
        const bool any_size = options.persistent_at_any_size;
        if (this->is_diagonal() && (any_size || has_persistent_size(a.rows(), a.nnz()))) {
            if (auto plan = plan_persistent(a.row_ptrs(), sizeof(T), persistent_limits(sizeof(T)), any_size))
                return std::make_unique<PersistentIterations<T>>(a, *plan, context);
        }
        if (!any_size) return nullptr;
        throw Error(this->is_diagonal()
                        ? "the vectors of the system do not fit into the shared memory of the GPU: no persistent kernel"
                        : "the persistent kernel applies diagonal preconditioners only");
    }
};

}  // namespace

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const CsrMatrix<T>& a, const PreconditionerParts<T>& m,
                                                  const DeviceSpaceOptions& options,
                                                  const cuda::DeviceCsrView<T>* where) {
    static_cast<void>(cuda::require_device());
    return std::make_unique<SpaceOnOwnStream<T>>(a, m, options, where);
}

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>& a, const Operator<T>* m) {
    static_cast<void>(cuda::require_device());
    return std::make_unique<SpaceOnOwnStream<T>>(a, m);
}

#define TILESPMV_INSTANTIATE(T)                                                                                        \
    template std::unique_ptr<SystemSpace<T>> make_device_space(                                                        \
        const CsrMatrix<T>&, const PreconditionerParts<T>&, const DeviceSpaceOptions&, const cuda::DeviceCsrView<T>*); \
    template std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>&, const Operator<T>*);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
