#include "tests/kernels/cuda/half_on_device.hpp"

#include <span>

#include "kernels/cuda/device_buffer.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
__global__ void widen(const std::uint16_t* bits, float* values, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) values[i] = static_cast<float>(V::from_bits(bits[i]));
}

template <class V>
__global__ void round(const float* values, std::uint16_t* bits, int size) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < size) bits[i] = static_cast<V>(values[i]).bits();
}

template <class From, class To>
std::vector<To> run(void (*kernel)(const From*, To*, int), const std::vector<From>& in) {
    constexpr unsigned threads = 256;
    const cuda::DeviceBuffer<From> from(std::span<const From>(in), nullptr);
    const cuda::DeviceBuffer<To> to(in.size(), nullptr);
    const auto size = static_cast<unsigned>(in.size());
    kernel<<<(size + threads - 1) / threads, threads>>>(from.data(), to.data(), static_cast<int>(size));
    TILESPMV_CUDA(cudaGetLastError());
    std::vector<To> out(in.size());
    to.download(out, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return out;
}

}  // namespace

template <class V>
std::vector<float> widen_on_device(const std::vector<std::uint16_t>& bits) {
    return run<std::uint16_t, float>(widen<V>, bits);
}

template <class V>
std::vector<std::uint16_t> round_on_device(const std::vector<float>& values) {
    return run<float, std::uint16_t>(round<V>, values);
}

template std::vector<float> widen_on_device<Half>(const std::vector<std::uint16_t>&);
template std::vector<float> widen_on_device<Bfloat16>(const std::vector<std::uint16_t>&);
template std::vector<std::uint16_t> round_on_device<Half>(const std::vector<float>&);
template std::vector<std::uint16_t> round_on_device<Bfloat16>(const std::vector<float>&);

}  // namespace tilespmv::testing
