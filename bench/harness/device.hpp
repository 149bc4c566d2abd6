#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "bench/harness/bandwidth.hpp"
#include "bench/harness/timer.hpp"
#include "kernels/choose_operator.hpp"

namespace tilespmv::bench {

/// Where operators run, as far as measuring them goes.
class Device {
public:
    virtual ~Device() = default;
    /// Whose operators run on it.
    [[nodiscard]] virtual Backend backend() const = 0;
    /// "cpu", or what tells one device of the machine from another.
    [[nodiscard]] virtual std::string_view name() const = 0;
    virtual Stopwatch& stopwatch() = 0;
    /// Measured at the first call.
    virtual const Bandwidth& bandwidth() = 0;
    /// Size of the last-level cache.
    [[nodiscard]] virtual std::size_t cache_bytes() const = 0;
    /// Leaves nothing of earlier work in the caches.
    virtual void flush_cache() = 0;
    /// What begins all that `work` launches at once, as often as it is called: a CUDA graph. `work` runs before, so
    /// that it has what memory it needs. Throws an `Error` where there are no graphs.
    [[nodiscard]] virtual std::function<void()> record(const std::function<void()>& work) = 0;
};

}  // namespace tilespmv::bench
