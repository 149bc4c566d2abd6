#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/harness/bandwidth.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "bench/harness/bandwidth.hpp"

#include <algorithm>

#include "tile/csr.hpp"
#include "tile/types.hpp"

// The widest vectors of the machine and independent accumulators: with less, the processor, not the memory, would set
// the pace of one thread.
HWY_BEFORE_NAMESPACE();
namespace tilespmv::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// n: a multiple of kBlock.
std::uint64_t sum_block(const std::uint64_t* a, std::size_t n) {
    const hn::ScalableTag<std::uint64_t> d;
    const std::size_t lanes = hn::Lanes(d);
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (std::size_t i = 0; i < n; i += 4 * lanes) {
        s0 = hn::Add(s0, hn::Load(d, a + i));
        s1 = hn::Add(s1, hn::Load(d, a + i + lanes));
        s2 = hn::Add(s2, hn::Load(d, a + i + 2 * lanes));
        s3 = hn::Add(s3, hn::Load(d, a + i + 3 * lanes));
    }
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

void copy_block(double* a, const double* b, std::size_t n) {
    const hn::ScalableTag<double> d;
    for (std::size_t i = 0; i < n; i += hn::Lanes(d)) hn::Stream(hn::Load(d, b + i), d, a + i);
}

}  // namespace tilespmv::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilespmv::bench {
namespace {

HWY_EXPORT(sum_block);
HWY_EXPORT(copy_block);

constexpr std::int64_t kBlock = kBandwidthBlock;  // words that a thread takes at a time; any vector divides it
constexpr std::size_t kMiB = std::size_t{1} << 20;

template <class F>
void for_each_block(std::int64_t words, F&& f) {
#pragma omp parallel for schedule(static)
    for (std::int64_t first = 0; first < words; first += kBlock) f(first);
}

// Threads place the pages that they will use.
void fill(double* a, std::int64_t words) {
    for_each_block(words, [&](std::int64_t i) { std::fill_n(a + i, kBlock, 1.0); });
}

template <class F>
double best_rate(Stopwatch& stopwatch, double bytes, int passes, F&& pass) {
    double best = 0;
    for (int i = 0; i < passes; ++i) {
        stopwatch.start();
        pass();
        best = std::max(best, bytes / stopwatch.stop());
    }
    return best;
}

}  // namespace

std::uint64_t read_pass(const std::uint64_t* a, std::int64_t words) {
    std::uint64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (std::int64_t i = 0; i < words; i += kBlock) total += HWY_DYNAMIC_DISPATCH(sum_block)(a + i, kBlock);
    return total;
}

void copy_pass(double* a, const double* b, std::int64_t words) {
    for_each_block(words, [&](std::int64_t i) { HWY_DYNAMIC_DISPATCH(copy_block)(a + i, b + i, kBlock); });
}

std::size_t bandwidth_array_bytes(std::size_t cache_bytes, std::size_t free_memory_bytes) {
    return std::min(std::max(4 * cache_bytes, 192 * kMiB), free_memory_bytes / 4);
}

Bandwidth measure_bandwidth(Stopwatch& stopwatch, std::size_t array_bytes, int passes) {
    const std::int64_t words = div_up(static_cast<std::int64_t>(array_bytes / sizeof(double)), 2 * kBlock) * kBlock;
    Buffer<double> memory(2 * words);
    double* const a = memory.data();
    fill(a, 2 * words);
    const double bytes = static_cast<double>(words) * sizeof(double);
    std::uint64_t total = 0;
    Bandwidth result;
    result.read = best_rate(stopwatch, 2 * bytes, passes,
                            [&] { total += read_pass(reinterpret_cast<const std::uint64_t*>(a), 2 * words); });
    result.copy = best_rate(stopwatch, 2 * bytes, passes, [&] { copy_pass(a, a + words, words); });
    [[maybe_unused]] const volatile std::uint64_t keep = total;  // or the sums would be left out
    return result;
}

}  // namespace tilespmv::bench
#endif
