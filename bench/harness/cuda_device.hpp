#pragma once

#include <memory>
#include <span>
#include <string>

#include "bench/harness/device.hpp"
#include "bench/harness/product.hpp"
#include "kernels/operator.hpp"
#include "tile/csr.hpp"

// The GPU as far as measuring goes, free of CUDA's types. A build without CUDA has it from `no_cuda.cpp`.
namespace tilespmv::bench {

/// The current GPU with a stream of its own. Its stopwatch is two events on that stream, behind a delay that lets the
/// host run ahead, so that what is timed does not wait for its own launch. Caches are flushed by writing twice the
/// size of the L2 cache. Throws `Error`, `unavailable` without an available GPU.
std::unique_ptr<Device> make_cuda_device();

/// Products on the stream of `device`, which `make_cuda_device` made. x and y are brought to the GPU once, by the first
/// product; making a product is the conversion by the policy `selector` if the operator needs tiles, its plan and
/// the upload. `device`, `a` and `x`, a block of that kind, must outlive them.
template <Value V>
ProductBuilder cuda_product_builder(Device& device, const std::string& specification, const std::string& selector,
                                    Accumulator accumulator, const CsrMatrix<V>& a, std::span<const V> x,
                                    const ProductKind& kind = {});

}  // namespace tilespmv::bench
