#pragma once

#include "bench/harness/device.hpp"

namespace tilespmv::bench {

/// A device of known bandwidth, with a stopwatch of the test's choice, that counts how often its caches were flushed
/// and work was recorded.
class FakeDevice final : public Device {
public:
    explicit FakeDevice(Stopwatch& stopwatch) : stopwatch_(stopwatch) {}
    [[nodiscard]] Backend backend() const override { return Backend::cpu; }
    [[nodiscard]] std::string_view name() const override { return "fake"; }
    Stopwatch& stopwatch() override { return stopwatch_; }
    const Bandwidth& bandwidth() override { return bandwidth_; }
    [[nodiscard]] std::size_t cache_bytes() const override { return 1000; }
    void flush_cache() override { ++flushes; }
    [[nodiscard]] std::function<void()> record(const std::function<void()>& work) override {
        before_record();
        work();
        after_record();
        ++records;
        return work;
    }

    int flushes = 0;
    int records = 0;
    std::function<void()> before_record = [] {};
    std::function<void()> after_record = [] {};

private:
    Stopwatch& stopwatch_;
    Bandwidth bandwidth_{.read = 100, .copy = 90, .triad = 95};
};

}  // namespace tilespmv::bench
