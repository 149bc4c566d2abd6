#pragma once

#include "bench/harness/device.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/stream.hpp"

namespace tilespmv::bench {

/// Two events on a stream.
class CudaStopwatch final : public Stopwatch {
public:
    explicit CudaStopwatch(cudaStream_t stream) : stream_(stream) {}
    void start() override;
    double stop() override;

private:
    cudaStream_t stream_;
    cuda::Event start_;
    cuda::Event stop_;
};

/// What `make_cuda_device` makes.
class CudaDevice final : public Device {
public:
    CudaDevice();
    [[nodiscard]] Backend backend() const override { return Backend::cuda; }
    [[nodiscard]] std::string_view name() const override { return info_.name; }
    Stopwatch& stopwatch() override { return stopwatch_; }
    const Bandwidth& bandwidth() override;
    [[nodiscard]] std::size_t cache_bytes() const override { return info_.l2_bytes; }
    void flush_cache() override;
    [[nodiscard]] std::function<void()> record(const std::function<void()>& work) override;

    [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

private:
    cuda::DeviceInfo info_;
    cuda::Stream stream_;
    CudaStopwatch stopwatch_;
    Bandwidth bandwidth_;
    cuda::DeviceBuffer<std::uint8_t> flush_;  // made at the first flush
};

}  // namespace tilespmv::bench
