// Multiplies a matrix from a file by a vector on the GPU 100 times and checks the result; x and y stay on the GPU.
#include <iostream>
#include <memory>
#include <vector>

#include <cuda_runtime.h>

#include <tilespmv/kernels/check.hpp>
#include <tilespmv/kernels/cuda/device.hpp>
#include <tilespmv/kernels/cuda/device_operator.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>

static void require(cudaError_t status) {
    if (status != cudaSuccess) throw tilespmv::Error(cudaGetErrorString(status));
}

static std::shared_ptr<double> device_vector(std::size_t size) {
    double* p = nullptr;
    require(cudaMalloc(&p, size * sizeof(double)));
    return {p, cudaFree};
}

int main(int argc, char** argv) try {
    if (argc != 2) throw tilespmv::Error("usage: gpu_product A.mtx", tilespmv::ExitCode::usage);
    tilespmv::cuda::require_device();  // throws Error, exit code 4, if no GPU can be used
    const auto a = tilespmv::read_matrix_market<double>(argv[1]);
    const cudaStream_t stream = cudaStreamPerThread;
    // Uploads the matrix. "tile" needs {&tiles} instead of {&a}, with tiles = convert(a,
    // *make_policy("paper-adaptive")).
    const auto product =
        tilespmv::cuda::make_device_operator<double>("csr16", {&a}, tilespmv::Accumulator::float64, stream);

    const std::vector<double> x(static_cast<std::size_t>(a.cols), 1.0);
    std::vector<double> y(static_cast<std::size_t>(a.rows));
    const auto device_x = device_vector(x.size());
    const auto device_y = device_vector(y.size());
    require(cudaMemcpyAsync(device_x.get(), x.data(), x.size() * sizeof(double), cudaMemcpyHostToDevice, stream));
    for (int i = 0; i < 100; ++i) product->apply(1.0, device_x.get(), 0.0, device_y.get(), stream);  // does not wait
    require(cudaMemcpyAsync(y.data(), device_y.get(), y.size() * sizeof(double), cudaMemcpyDeviceToHost, stream));
    require(cudaStreamSynchronize(stream));

    const auto expected = tilespmv::expected_product<double>(a, 1.0, x, 0.0, {});
    const auto check = tilespmv::check_product<double>(expected, y);
    if (!check.ok) throw tilespmv::Error(check.message(), tilespmv::ExitCode::verification);
    std::cout << "right; 2 x " << a.nnz() << " operations a product\n";
} catch (const tilespmv::Error& error) {
    std::cerr << "gpu_product: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
