#include "kernels/solver/device_space.hpp"

#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_gpu.hpp"
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

/// An operator of the caller's, who may use it meanwhile.
template <class T>
SystemOperator<T> shared_operator(const Operator<T>& a, const cuda::DeviceContext& on) {
    const auto* const there = dynamic_cast<const cuda::DeviceOperator<T>*>(&a);
    if (there == nullptr)
        throw Error("to solve on a GPU needs operators on a GPU, found " + std::string(a.name()) + " on the CPU");
    if (!a.facts().takes_workspace) return SystemOperator<T>(a);
    return SystemOperator<T>(a, std::make_shared<cuda::Workspace>(there->make_workspace(on)));
}

template <class T>
SystemPreconditioner<T> shared_preconditioner(const Operator<T>* m, const cuda::DeviceContext& on) {
    SystemPreconditioner<T> shared;
    if (m != nullptr) shared.stages.push_back(shared_operator(*m, on));
    return shared;
}

template <class T>
class SpaceOnOwnStream final : private OwnStream, public DeviceSpace<T> {
public:
    SpaceOnOwnStream(const SystemMatrix<T>& a, const PreconditionerParts<T>& m, const SolverOptions& options,
                     const Operator<T>* by)
        : DeviceSpace<T>(by != nullptr ? shared_operator(*by, on)
                                       : SystemOperator<T>(options.operator_name, a, make_on_gpu<T>(on)),
                         preconditioner_of(m, make_on_gpu<T>(on)), on) {
        if (may_persist(options)) this->set_persistent(make_persistent(a, options, on));
    }
    SpaceOnOwnStream(const Operator<T>& a, const Operator<T>* m)
        : DeviceSpace<T>(shared_operator(a, on), shared_preconditioner(m, on), on) {}

private:
    static bool may_persist(const SolverOptions& options) {
        return options.use_persistent_kernel && !options.constant_null_space;
    }
    /// The operator has checked the row pointers of a matrix on the GPU.
    std::unique_ptr<PersistentIterations<T>> make_persistent(const SystemMatrix<T>& a, const SolverOptions& options,
                                                             const cuda::DeviceContext& context) const {
        const bool any_size = options.persistent_at_any_size;
        const auto rows = static_cast<index_t>(this->size());
        const auto nonzeros = static_cast<offset_t>(a.values().rows);
        const auto divide = [&](int blocks, double row_cost) {
            if (a.here != nullptr) return even_rows(a.here->row_ptrs, blocks, row_cost);
            return even_rows_there(cuda::pattern_of(*a.there), blocks, row_cost, context.stream);
        };
        if (this->is_diagonal() && (any_size || has_persistent_size(rows, nonzeros))) {
            const auto limits = persistent_limits(sizeof(T));
            if (auto plan = plan_persistent(rows, nonzeros, divide, sizeof(T), limits, any_size))
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
std::unique_ptr<SystemSpace<T>> make_device_space(const SystemMatrix<T>& a, const PreconditionerParts<T>& m,
                                                  const SolverOptions& options, const Operator<T>* by) {
    static_cast<void>(cuda::this_gpu(sizeof(T)));  // says why there is none
    return std::make_unique<SpaceOnOwnStream<T>>(a, m, options, by);
}

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>& a, const Operator<T>* m) {
    static_cast<void>(cuda::this_gpu(sizeof(T)));
    return std::make_unique<SpaceOnOwnStream<T>>(a, m);
}

#define TILESPMV_INSTANTIATE(T)                                                                                       \
    template std::unique_ptr<SystemSpace<T>> make_device_space(const SystemMatrix<T>&, const PreconditionerParts<T>&, \
                                                               const SolverOptions&, const Operator<T>*);             \
    template std::unique_ptr<SystemSpace<T>> make_device_space(const Operator<T>&, const Operator<T>*);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::solver
