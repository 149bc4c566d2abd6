// Multiplies a matrix from a file by a vector on the GPU 100 times and checks the result; x and y stay on the GPU.
#include <iostream>
#include <span>
#include <vector>

#include <tilespmv/kernels/check.hpp>
#include <tilespmv/kernels/cuda/device.hpp>
#include <tilespmv/kernels/cuda/device_buffer.hpp>
#include <tilespmv/kernels/cuda/device_operator.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>

namespace cuda = tilespmv::cuda;

int main(int argc, char** argv) try {
    if (argc != 2) throw tilespmv::Error("usage: gpu_product A.mtx", tilespmv::ExitCode::usage);
    cuda::require_device();  // throws Error, exit code 4, if no GPU can be used
    const auto a = tilespmv::read_matrix_market<double>(argv[1]);
    const cudaStream_t stream = cudaStreamPerThread;
    // Takes the operator that is predicted to be fastest, and uploads the matrix. Any other has its name in place of
    // "auto"; "tile" needs {&tiles} instead of {&a}, with tiles = convert(a, *make_policy("paper-adaptive")).
    const auto product = cuda::make_device_operator<double>("auto", {&a}, tilespmv::Accumulator::float64, stream);

    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    const cuda::DeviceBuffer<double> device_x{std::span(x), stream};
    cuda::DeviceBuffer<double> device_y(y.size(), stream);
    // Arrays of your own are cuda::DeviceSpan<double>(pointer, size). apply returns before the product is complete.
    for (int i = 0; i < 100; ++i) product->apply(1.0, device_x.span(), 0.0, device_y.span(), stream);
    device_y.download(y, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));

    const auto expected = tilespmv::expected_product<double>(a, 1.0, x, 0.0, {});
    const auto check = tilespmv::check_product<double>(expected, y);
    if (!check.ok) throw tilespmv::Error(check.message(), tilespmv::ExitCode::verification);
    std::cout << "right; 2 x " << a.nnz() << " operations a product\n";
} catch (const tilespmv::Error& error) {
    std::cerr << "gpu_product: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
