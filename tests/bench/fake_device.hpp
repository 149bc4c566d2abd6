#pragma once

#include "bench/harness/device.hpp"
#include "kernels/cpu/host_operator.hpp"

namespace tilespmv::bench {

/// A stopwatch whose time passes only when a test says so.
class FakeStopwatch final : public Stopwatch {
public:
    void start() override { start_ = now_; }
    double stop() override { return now_ - start_; }
    void pass(double seconds) { now_ += seconds; }

private:
    double now_ = 0;
    double start_ = 0;
};

/// y = alpha * A * x + beta * y, row by row, as an operator that others are made of.
class PlainOperator : public cpu::HostOperator<double> {
public:
    explicit PlainOperator(const CsrMatrix<double>& a)
        : HostOperator({.name = "fake", .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}), a_(a) {
        set_parts(120, 0, executed_whole("csr", 1, a.nnz(), 120));
    }
    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        for (index_t i = 0; i < a_.rows; ++i) {
            double sum = 0;
            for (offset_t p = a_.row_ptrs[i]; p < a_.row_ptrs[i + 1]; ++p) sum += a_.values[p] * x[a_.col_idxs[p]];
            y[i] = alpha * sum + (beta == 0 ? 0 : beta * y[i]);
        }
    }

private:
    const CsrMatrix<double>& a_;
};

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
    Bandwidth bandwidth_{.read = 100, .copy = 90};
};

}  // namespace tilespmv::bench
