// Heat in a plate whose conductivity depends on the temperature: every step assembles a matrix on the GPU, gives its
// values to the operator that multiplies by it, and solves for the next temperatures, all in one CUDA graph. Nothing
// but the last temperatures comes to the host.
#include "time_steps.hpp"

#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

#include <tilespmv/kernels/cuda/device.hpp>
#include <tilespmv/kernels/cuda/device_buffer.hpp>
#include <tilespmv/kernels/cuda/device_operator.hpp>
using namespace tilespmv;

namespace {

using Vector = cuda::DeviceBuffer<double>;

/// Solves A x = b by Chebyshev's iteration for eigenvalues from `low` to `high`, which needs no inner products; x holds
/// the first guess, the other vectors are its own.
void solve(const cuda::DeviceOperator<double>& a, const Vector& b, Vector& x, Vector& residual, Vector& direction,
           double low, double high, cudaStream_t stream) {
    const double middle = (high + low) / 2;
    const double half = (high - low) / 2;
    double length = 0;
    for (int i = 0; i < 40; ++i) {
        const double keep = i == 0 ? 0 : half * length * half * length / (i == 1 ? 2 : 4);
        length = i == 0 ? 1 / middle : 1 / (middle - keep / length);
        TILESPMV_CUDA(cudaMemcpyAsync(residual.data(), b.data(), b.bytes(), cudaMemcpyDeviceToDevice, stream));
        a.apply(-1.0, std::as_const(x).span(), 1.0, residual.span(), stream);
        launch_chebyshev(static_cast<int>(x.size()), keep, length, residual.data(), direction.data(), x.data(), stream);
    }
}

double sum_of(const Vector& there, cudaStream_t stream) {
    std::vector<double> host(there.size());
    there.download(host, stream);
    TILESPMV_CUDA(cudaStreamSynchronize(stream));
    double sum = 0;
    for (const double value : host) sum += value;
    return sum;
}

int run() {
    cuda::require_device();  // throws Error, exit code 4, if there is none
    const cudaStream_t on = cudaStreamPerThread;
    const Plate plate{200, 1.0};
    const auto nodes = static_cast<std::size_t>(plate.nodes());
    const auto count = static_cast<std::size_t>(plate.entries());

    // Once: where the entries are, and the operator of the first matrix.
    const cuda::DeviceBuffer<std::int32_t> rows(count, on), cols(count, on);
    launch_places(plate, rows.data(), cols.data(), on);
    const cuda::Assembly assembly(plate.nodes(), plate.nodes(), rows.data(), cols.data(), plate.entries(), on);
    const Vector entries(count, on);
    Vector values(static_cast<std::size_t>(assembly.nnz()), on);
    Vector temperatures(nodes, on), heat(nodes, on), residual(nodes, on), direction(nodes, on);
    const auto assemble = [&] {
        launch_entries(plate, temperatures.data(), entries.data(), on);
        assembly.sum(entries.data(), values.data(), on);
    };
    launch_start(plate, temperatures.data(), on);
    launch_heat(plate, temperatures.data(), heat.data(), on);
    const double before = sum_of(heat, on);
    assemble();
    const auto a = cuda::make_device_operator<double>(assembly.view(values.data()), on);

    // In every step: new values, then the temperatures that they lead to.
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t step = nullptr;
    TILESPMV_CUDA(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    assemble();
    a->update_values(std::as_const(values).span(), on);
    launch_heat(plate, temperatures.data(), heat.data(), on);
    solve(*a, heat, temperatures, residual, direction, 0.25, 1 + 4 * plate.step, on);
    TILESPMV_CUDA(cudaStreamEndCapture(on, &graph));
    TILESPMV_CUDA(cudaGraphInstantiate(&step, graph, 0));
    for (int i = 0; i < 50; ++i) TILESPMV_CUDA(cudaGraphLaunch(step, on));
    launch_heat(plate, temperatures.data(), heat.data(), on);
    const double after = sum_of(heat, on);
    std::cout << a->specification() << ": heat " << before << " at first, " << after << " after 50 steps\n";
    return std::abs(after - before) < 1e-6 * before ? 0 : 3;
}

}  // namespace

int main() try { return run(); } catch (const Error& error) {
    std::cerr << "time_steps: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
