#pragma once

#include <string>
#include <vector>

namespace tilespmv::testing {

/// Functions of CUDA that allocate, of the GPU's memory or pinned ones of the host's: a program that is built with
/// `counting_cuda.cpp` and linked with `--wrap` of each (`tests/kernels/CMakeLists.txt`) counts its calls.
inline const std::vector<std::string>& counted_functions() {
    static const std::vector<std::string> all{"cudaMalloc",        "cudaMallocAsync", "cudaMallocFromPoolAsync",
                                              "cudaMallocManaged", "cudaMallocHost",  "cudaHostAlloc"};
    return all;
}

/// Calls so far, of all of them, whether they succeeded or not.
long device_allocations_so_far();
/// Of the one of that name.
long calls_so_far(const std::string& function);
/// That cudaMemcpyAsync, which the library copies by, brought from a GPU to the host.
long bytes_to_host_so_far();

}  // namespace tilespmv::testing
