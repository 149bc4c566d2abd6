#include "bench/harness/cuda_device.hpp"

#include "bench/harness/cuda_stream_device.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/memory_rates.hpp"

namespace tilespmv::bench {
namespace {

// Longer than the host needs to begin a product, even with a library call in it.
constexpr int kHeadStartNanoseconds = 20'000;

std::size_t free_device_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    TILESPMV_CUDA(cudaMemGetInfo(&free, &total));
    return free;
}

}  // namespace

void CudaStopwatch::start() {
    cuda::launch_delay(kHeadStartNanoseconds, stream_);
    start_.record(stream_);
}

double CudaStopwatch::stop() {
    stop_.record(stream_);
    stop_.synchronize();
    return stop_.seconds_since(start_);
}

CudaDevice::CudaDevice() : info_(cuda::require_device()), stopwatch_(stream_.get()) {}

const Bandwidth& CudaDevice::bandwidth() {
    constexpr int kPasses = 10;
    if (bandwidth_.read == 0) {
        const std::size_t bytes = cuda::memory_rates_array_bytes(info_.l2_bytes, free_device_bytes());
        const auto rates = cuda::measure_memory_rates(stream_.get(), bytes, kPasses);
        bandwidth_ = {rates.read, rates.copy};
    }
    return bandwidth_;
}

void CudaDevice::flush_cache() {
    if (flush_.empty()) flush_ = cuda::DeviceBuffer<std::uint8_t>(2 * info_.l2_bytes, stream());
    TILESPMV_CUDA(cudaMemsetAsync(flush_.data(), 0, flush_.bytes(), stream_.get()));
}

std::function<void()> CudaDevice::record(const std::function<void()>& work) {
    work();
    const auto graph = std::make_shared<cuda::Graph>(stream_.get(), work);
    return [graph] { graph->launch(); };
}

std::unique_ptr<Device> make_cuda_device() { return std::make_unique<CudaDevice>(); }

}  // namespace tilespmv::bench
