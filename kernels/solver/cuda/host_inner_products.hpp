#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/solver/cuda/finish.hpp"
#include "kernels/solver/space.hpp"
#include "selector/models/launch_shape.hpp"

namespace tilespmv::solver {

/// The inner products of `VectorLauncher::inner_products`, but what blocks leave is copied to the host and added there,
/// and the sums are copied back. To be compared with those that the GPU finishes: no solver has the host wait.
template <class T>
class HostInnerProducts {
public:
    /// Of vectors of n values, in any shape. Takes page-locked memory of the host for the sums of all blocks.
    HostInnerProducts(std::size_t n, const cuda::DeviceContext& on);
    HostInnerProducts(const HostInnerProducts&) = delete;
    HostInnerProducts& operator=(const HostInnerProducts&) = delete;
    ~HostInnerProducts();

    /// Leaves r'w, s'w, r'r in `finish.sums`, when the stream has passed it. Can be captured into a graph, which this
    /// must outlive.
    void run(const Iterates<T>& v, const Finish& finish, const LaunchShape& shape);
    /// Blocks that a multiprocessor of the current GPU holds at once.
    static int resident_blocks(const LaunchShape& shape);

private:
    struct Host;  ///< page-locked
    struct Addition {
        Host* host = nullptr;
        int blocks = 0;
    };

    std::size_t n_;
    cuda::DeviceContext on_;
    cuda::DeviceBuffer<double> partials_;
    std::unique_ptr<Host> host_;
    std::map<int, Addition> additions_;  ///< by their blocks; graphs point to them
};

}  // namespace tilespmv::solver
