#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/stream.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {

/// Skips, visibly, on machines without a GPU that serves.
class OnDevice : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            device_ = cuda::require_device();
        } catch (const Error& error) {
            if (error.code() != ExitCode::unavailable) throw;
            GTEST_SKIP() << error.what();
        }
    }

    cuda::DeviceInfo device_;
};

/// y = alpha * A * x + beta * y on the device, from and to host memory. `y` is what the device finds in y before.
template <class V>
std::vector<V> product(const cuda::DeviceOperator<V>& a, double alpha, const std::vector<V>& x, double beta,
                       std::vector<V> y) {
    const cuda::Stream stream;
    const cuda::DeviceBuffer<V> device_x(std::span<const V>(x), stream.get());
    cuda::DeviceBuffer<V> device_y(std::span<const V>(y), stream.get());
    a.apply(alpha, device_x.data(), beta, device_y.data(), stream.get());
    device_y.download(y, stream.get());
    stream.synchronize();
    return y;
}

}  // namespace tilespmv::testing
