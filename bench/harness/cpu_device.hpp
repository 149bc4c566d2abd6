#pragma once

#include <cstdint>

#include "bench/harness/device.hpp"
#include "tile/csr.hpp"

namespace tilespmv::bench {

/// The processors of this machine, with as many threads as OpenMP has at the time.
class CpuDevice final : public Device {
public:
    CpuDevice();
    [[nodiscard]] Backend backend() const override { return Backend::cpu; }
    [[nodiscard]] std::string_view name() const override { return "cpu"; }
    Stopwatch& stopwatch() override { return stopwatch_; }
    const Bandwidth& bandwidth() override;
    [[nodiscard]] std::size_t cache_bytes() const override { return cache_bytes_; }
    void flush_cache() override;
    [[nodiscard]] std::function<void()> record(const std::function<void()>& work) override;

private:
    SteadyStopwatch stopwatch_;
    Bandwidth bandwidth_;
    std::size_t cache_bytes_;
    Buffer<std::uint64_t> flush_;  // made at the first flush
};

}  // namespace tilespmv::bench
