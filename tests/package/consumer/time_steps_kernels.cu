#include "time_steps.hpp"

namespace {

constexpr int kThreads = 256;
__device__ int node(const Plate& plate, int element, int corner) {
    constexpr int corners[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    const int y = element / plate.n + corners[corner][0];
    const int x = element % plate.n + corners[corner][1];
    return y * (plate.n + 1) + x;
}

__global__ void places(Plate plate, std::int32_t* rows, std::int32_t* cols) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= 16 * plate.n * plate.n) return;
    rows[i] = node(plate, i / 16, i % 16 / 4);
    cols[i] = node(plate, i / 16, i % 4);
}

__global__ void entries(Plate plate, const double* temperatures, double* values) {
    // Of a square element, in sixths.
    constexpr double stiffness[4][4] = {{4, -1, -2, -1}, {-1, 4, -1, -2}, {-2, -1, 4, -1}, {-1, -2, -1, 4}};
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= 16 * plate.n * plate.n) return;
    double mean = 0;
    for (int corner = 0; corner < 4; ++corner) mean += temperatures[node(plate, i / 16, corner)] / 4;
    const double conductivity = 1 / (1 + mean);
    const double mass = i % 16 / 4 == i % 4 ? 0.25 : 0;
    values[i] = mass + plate.step * conductivity * stiffness[i % 16 / 4][i % 4] / 6;
}

__global__ void heat(Plate plate, const double* temperatures, double* heat) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= (plate.n + 1) * (plate.n + 1)) return;
    const int y = i / (plate.n + 1);
    const int x = i % (plate.n + 1);
    const double width = x == 0 || x == plate.n ? 0.5 : 1;
    const double height = y == 0 || y == plate.n ? 0.5 : 1;
    heat[i] = width * height * temperatures[i];
}

__global__ void start(Plate plate, double* temperatures) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= (plate.n + 1) * (plate.n + 1)) return;
    temperatures[i] = 4 * (i / (plate.n + 1)) < plate.n && 4 * (i % (plate.n + 1)) < plate.n ? 1 : 0;
}

__global__ void chebyshev(int size, double keep, double length, const double* residual, double* direction, double* x) {
    const int i = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
    if (i >= size) return;
    direction[i] = residual[i] + (keep == 0 ? 0 : keep * direction[i]);
    x[i] += length * direction[i];
}

unsigned blocks(std::int64_t size) { return static_cast<unsigned>((size + kThreads - 1) / kThreads); }

}  // namespace

void launch_places(const Plate& plate, std::int32_t* rows, std::int32_t* cols, cudaStream_t stream) {
    places<<<blocks(plate.entries()), kThreads, 0, stream>>>(plate, rows, cols);
}
void launch_entries(const Plate& plate, const double* temperatures, double* values, cudaStream_t stream) {
    entries<<<blocks(plate.entries()), kThreads, 0, stream>>>(plate, temperatures, values);
}
void launch_heat(const Plate& plate, const double* temperatures, double* of_nodes, cudaStream_t stream) {
    heat<<<blocks(plate.nodes()), kThreads, 0, stream>>>(plate, temperatures, of_nodes);
}
void launch_start(const Plate& plate, double* temperatures, cudaStream_t stream) {
    start<<<blocks(plate.nodes()), kThreads, 0, stream>>>(plate, temperatures);
}
void launch_chebyshev(int size, double keep, double length, const double* residual, double* direction, double* x,
                      cudaStream_t stream) {
    chebyshev<<<blocks(size), kThreads, 0, stream>>>(size, keep, length, residual, direction, x);
}
