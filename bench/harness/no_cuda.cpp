// The GPU in a build without CUDA: asking the kernels for one throws.
#include "bench/harness/assembly.hpp"
#include "bench/harness/cuda_device.hpp"
#include "kernels/cuda/device.hpp"

namespace tilespmv::bench {

std::unique_ptr<Device> make_cuda_device() {
    static_cast<void>(cuda::require_device());
    return nullptr;
}

template <Value V>
ProductBuilder cuda_product_builder(Device&, const std::string&, const std::string&, Accumulator, const CsrMatrix<V>&,
                                    std::span<const V>, const ProductKind&) {
    static_cast<void>(cuda::require_device());
    return nullptr;
}

AssemblyTimes time_assembly(offset_t) {
    static_cast<void>(cuda::require_device());
    return {};
}

NewValueTimes time_new_values(const std::string&, const CsrMatrix<double>&) {
    static_cast<void>(cuda::require_device());
    return {};
}

#define TILESPMV_INSTANTIATE(V)                                                                                \
    template ProductBuilder cuda_product_builder(Device&, const std::string&, const std::string&, Accumulator, \
                                                 const CsrMatrix<V>&, std::span<const V>, const ProductKind&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
