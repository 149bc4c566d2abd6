#include "kernels/solver/device_space.hpp"

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/solver/cuda/csr_device_space.hpp"

namespace tilespmv::solver {

template <class T>
std::unique_ptr<SystemSpace<T>> make_device_space(const CsrMatrix<T>& a, const AnyPreconditionerParts& m,
                                                  const DeviceSpaceOptions& options) {
    static_cast<void>(cuda::require_device());
    const bool may_persist = options.use_persistent_kernel && !options.constant_null_space;
    const auto persistence = options.persistent_at_any_size ? Persistence::yes : Persistence::automatic;
    return make_csr_device_space<T>(a, m, options.operator_name, may_persist ? persistence : Persistence::no);
}

template std::unique_ptr<SystemSpace<double>> make_device_space(const CsrMatrix<double>&, const AnyPreconditionerParts&,
                                                                const DeviceSpaceOptions&);
template std::unique_ptr<SystemSpace<float>> make_device_space(const CsrMatrix<float>&, const AnyPreconditionerParts&,
                                                               const DeviceSpaceOptions&);

}  // namespace tilespmv::solver
