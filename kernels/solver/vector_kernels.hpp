#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "selector/models/launch_shape.hpp"
#include "tile/types.hpp"

/// The kernels over vectors that a solver on a GPU consists of, as far as choosing their launch shapes goes; free of
/// CUDA's types.
namespace tilespmv::solver {

struct VectorKernel {
    std::string_view name;  ///< "advance", "inner_products" ...
    bool reduces = false;   ///< leaves sums, finished on the device in a fixed order
    int reads = 0;          ///< vectors of n values
    int writes = 0;
};

/// All of them; the same in a build without CUDA.
std::span<const VectorKernel> vector_kernels();

/// Blocks of a kernel in this shape that a multiprocessor of the current GPU holds at once, by its registers and shared
/// memory. T: float or double. Throws `Error`, also for an unknown name. Only in builds with CUDA.
template <class T>
int resident_blocks(std::string_view kernel, const LaunchShape& shape);

/// Kernels over vectors of n values on the current GPU, with vectors of its own (values in [0.5, 1.5)).
class VectorKernelRunner {
public:
    virtual ~VectorKernelRunner() = default;
    /// Launches the kernel of that name; may go on after the call has returned. `shape.threads` is at most 1,024.
    virtual void run(std::string_view kernel, const LaunchShape& shape) = 0;
    /// s = A w by csr16, A as in a solver (`seven_diagonals`): leaves the caches as an iteration does. The first one
    /// makes A, and may not be captured into a graph.
    virtual void multiply() = 0;
    /// Bytes of all vectors and of A: what an iteration reads.
    [[nodiscard]] virtual double iteration_bytes() const = 0;
};

/// Throws `Error`, `unavailable` without an available GPU. T: float or double; `stream` is a cudaStream_t.
template <class T>
std::unique_ptr<VectorKernelRunner> make_vector_kernel_runner(std::size_t n, void* stream);

}  // namespace tilespmv::solver
