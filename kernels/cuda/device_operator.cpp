#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const MatrixForms<V>& forms,
                                                        Accumulator accumulator, cudaStream_t stream) {
    Options options("operator", specification);
    return find_operator<V>(Backend::cuda, specification).make_on_device(forms, options, accumulator, stream);
}

#define TILESPMV_INSTANTIATE(V)                                                                               \
    template std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view, const MatrixForms<V>&, \
                                                                     Accumulator, cudaStream_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
