#include "bench/harness/cpu_device.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include <unistd.h>

#include "tile/parallel.hpp"

namespace tilespmv::bench {
namespace {

using Words = Buffer<std::uint64_t>;
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kFallbackCacheBytes = 32 * kMiB;

// Sizes in sysfs read "2048K" or "32M".
std::size_t read_cache_size(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::size_t size = 0;
    char unit = 0;
    in >> size >> unit;
    return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

// Integer sums may be reordered by the compiler, so that this is as fast as memory.
std::uint64_t sum(const Words& a) {
    const auto n = static_cast<std::int64_t>(a.size());
    std::uint64_t total = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : total)
    for (std::int64_t i = 0; i < n; ++i) total += a[i];
    return total;
}

void copy(double* a, const double* b, std::int64_t n) {
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) a[i] = b[i];
}

void triad(double* a, const double* b, const double* c, std::int64_t n) {
    constexpr double kFactor = 3;
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) a[i] = b[i] + kFactor * c[i];
}

void fill(Words& a) {
    const auto n = static_cast<std::int64_t>(a.size());
#pragma omp parallel for simd schedule(static)
    for (std::int64_t i = 0; i < n; ++i) a[i] = 0;
}

double best_rate(Stopwatch& stopwatch, double bytes, int passes, const std::function<void()>& pass) {
    double best = 0;
    for (int i = 0; i < passes; ++i) {
        stopwatch.start();
        pass();
        best = std::max(best, bytes / stopwatch.stop());
    }
    return best;
}

// What programs can still have, the page cache included, which sysconf does not count.
std::size_t free_memory_bytes() {
    std::ifstream in("/proc/meminfo");
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(line.find(':') + 1)) << 10;
    }
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::size_t last_level_cache_bytes() {
    std::size_t largest = 0;
    for (int i = 0;; ++i) {
        const std::filesystem::path file = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/size";
        if (!std::filesystem::exists(file)) break;
        largest = std::max(largest, read_cache_size(file));
    }
    return largest > 0 ? largest : kFallbackCacheBytes;
}

std::size_t bandwidth_array_bytes(std::size_t cache_bytes, std::size_t free_memory_bytes) {
    return std::min(std::max(6 * cache_bytes, 192 * kMiB), free_memory_bytes / 4);
}

Bandwidth measure_bandwidth(Stopwatch& stopwatch, std::size_t array_bytes, int passes) {
    const std::size_t third = array_bytes / 3 / sizeof(double);
    Words a(3 * third);
    fill(a);
    auto* x = reinterpret_cast<double*>(a.data());
    const auto n = static_cast<std::int64_t>(third);
    const auto bytes = static_cast<double>(third * sizeof(double));
    std::uint64_t total = 0;
    Bandwidth result;
    result.read = best_rate(stopwatch, 3 * bytes, passes, [&] { total += sum(a); });
    result.copy = best_rate(stopwatch, 2 * bytes, passes, [&] { copy(x, x + n, n); });
    result.triad = best_rate(stopwatch, 3 * bytes, passes, [&] { triad(x, x + n, x + 2 * n, n); });
    volatile std::uint64_t keep = total;  // or the compiler would leave the sums out
    static_cast<void>(keep);
    return result;
}

CpuDevice::CpuDevice() : cache_bytes_(last_level_cache_bytes()) {}

const Bandwidth& CpuDevice::bandwidth() {
    constexpr int kPasses = 5;
    if (bandwidth_.read == 0) {
        const std::size_t bytes = bandwidth_array_bytes(cache_bytes_, free_memory_bytes());
        bandwidth_ = measure_bandwidth(stopwatch_, bytes, kPasses);
    }
    return bandwidth_;
}

void CpuDevice::flush_cache() {
    if (flush_.empty()) flush_ = Words(2 * cache_bytes_ / sizeof(std::uint64_t));
    fill(flush_);
}

}  // namespace tilespmv::bench
