#include <iostream>
#include <vector>

#include <tilespmv/kernels/check.hpp>
#include <tilespmv/kernels/cuda/device.hpp>
#include <tilespmv/kernels/cuda/device_buffer.hpp>
#include <tilespmv/kernels/cuda/device_operator.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>
using namespace tilespmv;

int main(int argc, char** argv) try {
    cuda::require_device();  // throws Error, exit code 4, if there is none
    const cudaStream_t stream = cudaStreamPerThread;
    const auto a = read_matrix_market<double>(argc > 1 ? argv[1] : "A.mtx");
    const auto product = cuda::make_device_operator<double>("auto", a, Accumulator::float64, stream);
    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    const cuda::DeviceBuffer<double> device_x{std::span(x), stream};
    cuda::DeviceBuffer<double> device_y(y.size(), stream);
    product->apply(1.0, device_x.span(), 0.0, device_y.span(), stream);  // returns before it is complete
    device_y.download(y, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    return check_product<double>(expected_product<double>(a, 1.0, x, 0.0, {}), y).ok ? 0 : 3;
} catch (const Error& error) {
    std::cerr << "gpu_product: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
