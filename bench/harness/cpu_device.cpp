#include "bench/harness/cpu_device.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <unistd.h>

#include "kernels/cpu/cache_size.hpp"
#include "tile/error.hpp"
#include "tile/product_loop.hpp"

namespace tilespmv::bench {
namespace {

// What programs can still have, the page cache included, which sysconf does not count.
std::size_t free_memory_bytes() {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(line.find(':') + 1)) << 10;
    }
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

CpuDevice::CpuDevice() : cache_bytes_(cpu::last_level_cache_bytes()) {}

const Bandwidth& CpuDevice::bandwidth() {
    constexpr int kPasses = 3;
    if (bandwidth_.read == 0) {
        const std::size_t bytes = bandwidth_array_bytes(cache_bytes_, free_memory_bytes());
        bandwidth_ = measure_bandwidth(stopwatch_, bytes, kPasses);
    }
    return bandwidth_;
}

void CpuDevice::flush_cache() {
    constexpr std::int64_t kGrain = 1 << 17;  // words, 1 MiB
    if (flush_.empty()) flush_ = Buffer<std::uint64_t>(2 * cache_bytes_ / sizeof(std::uint64_t));
    product_loop(static_cast<std::int64_t>(flush_.size()), kGrain, [&](std::int64_t first, std::int64_t last) {
        std::fill(flush_.data() + first, flush_.data() + last, 0);
    });
}

std::function<void()> CpuDevice::record(const std::function<void()>&) {
    throw Error("a CPU has no graphs of products");
}

}  // namespace tilespmv::bench
