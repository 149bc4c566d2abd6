#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bench/harness/device.hpp"

namespace tilespmv::bench {

/// Arrays of the host, as bytes.
using HostArrays = std::vector<std::span<const std::byte>>;

/// Memory of a device for arrays of the host, taken from the device itself rather than from a pool when it is made.
class Upload {
public:
    virtual ~Upload() = default;
    /// Copies the arrays there, one after the other; they are complete when it returns.
    virtual void copy() = 0;
};

/// What preparations are compared with: for a GPU by the CUDA driver, on a CPU by one thread. The arrays and `device`
/// must outlive it. Throws `Error` if memory is short.
std::unique_ptr<Upload> make_upload(Device& device, HostArrays arrays);

}  // namespace tilespmv::bench
