#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

/// Heat in a plate of n x n square elements, whose conductivity depends on the temperature: what this program does on
/// the GPU beside assembling and multiplying.
struct Plate {
    int n = 0;        ///< elements on each side
    double step = 0;  ///< of the time

    [[nodiscard]] int nodes() const { return (n + 1) * (n + 1); }
    [[nodiscard]] std::int64_t entries() const { return std::int64_t{16} * n * n; }
};

/// Rows and columns of the entries of all elements, 16 of each.
void launch_places(const Plate& plate, std::int32_t* rows, std::int32_t* cols, cudaStream_t stream);
/// Their values: lumped mass + step * stiffness, by the temperatures of the corners.
void launch_entries(const Plate& plate, const double* temperatures, double* entries, cudaStream_t stream);
/// Mass * temperatures, what an implicit step begins with; and a warm corner as the start.
void launch_heat(const Plate& plate, const double* temperatures, double* heat, cudaStream_t stream);
void launch_start(const Plate& plate, double* temperatures, cudaStream_t stream);
/// direction = residual + keep * direction, x = x + length * direction: a step of Chebyshev's iteration.
void launch_chebyshev(int size, double keep, double length, const double* residual, double* direction, double* x,
                      cudaStream_t stream);
