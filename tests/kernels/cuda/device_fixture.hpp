#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/stream.hpp"
#include "tile/error.hpp"

namespace tilespmv::testing {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// Skips, visibly, on machines without an available GPU.
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

/// Numbers between -1 and 1 that depend on the seed.
template <class V>
std::vector<V> numbers(index_t size, int seed) {
    std::vector<V> v(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<V>(std::sin(static_cast<double>(i) * 7 + seed));
    return v;
}

template <class T>
cuda::DeviceBuffer<T> on_gpu(const std::vector<T>& host) {
    cuda::DeviceBuffer<T> buffer(std::span<const T>(host), nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return buffer;
}

template <class T>
std::vector<T> on_host(const cuda::DeviceBuffer<T>& there) {
    std::vector<T> host(there.size());
    cuda::copy_to_host(host.data(), there.data(), there.bytes(), nullptr);
    return host;
}

/// A CSR matrix in device memory, with row pointers of type P.
template <class P, class V = double>
struct MatrixOnGpu {
    explicit MatrixOnGpu(const CsrMatrix<V>& a)
        : row_ptrs(on_gpu(std::vector<P>(a.row_ptrs.begin(), a.row_ptrs.end()))),
          col_idxs(on_gpu(std::vector<index_t>(a.col_idxs.begin(), a.col_idxs.end()))),
          values(on_gpu(std::vector<V>(a.values.begin(), a.values.end()))),
          view{a.rows, a.cols, a.nnz(), row_ptrs.data(), col_idxs.data(), values.data()} {}

    cuda::DeviceBuffer<P> row_ptrs;
    cuda::DeviceBuffer<index_t> col_idxs;
    cuda::DeviceBuffer<V> values;
    cuda::DeviceCsrView<V> view;
};

/// x and y in device memory and what to do with them.
template <class V>
class DeviceVectors {
public:
    DeviceVectors(const std::vector<V>& x, const std::vector<V>& y)
        : x_(std::span<const V>(x), stream_.get()), y_(std::span<const V>(y), stream_.get()) {
        stream_.synchronize();
    }

    void fill(const std::vector<V>& y) { y_.upload(std::span<const V>(y), stream_.get()); }
    void apply(const cuda::DeviceOperator<V>& a, double alpha, double beta) {
        a.apply(alpha, x_.span(), beta, y_.span(), stream_.get());
    }
    [[nodiscard]] std::vector<V> y() const {
        std::vector<V> host(y_.size());
        y_.download(host, stream_.get());
        stream_.synchronize();
        return host;
    }
    /// What `a` makes of x and this y.
    std::vector<V> product(const cuda::DeviceOperator<V>& a, double alpha, double beta, const std::vector<V>& y) {
        fill(y);
        apply(a, alpha, beta);
        return this->y();
    }
    [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

private:
    cuda::Stream stream_;
    cuda::DeviceBuffer<V> x_;
    cuda::DeviceBuffer<V> y_;
};

/// y = alpha * A * x + beta * y on the device, from and to host memory. `y` is what the device finds in y before.
template <class V>
std::vector<V> product(const cuda::DeviceOperator<V>& a, double alpha, const std::vector<V>& x, double beta,
                       const std::vector<V>& y) {
    DeviceVectors<V> vectors(x, y);
    vectors.apply(a, alpha, beta);
    return vectors.y();
}

/// The operator gives back the matrix that it was made of.
template <class V>
void expect_csr_back(const cuda::DeviceOperator<V>& a, const CsrMatrix<V>& csr) {
    const cuda::DeviceBuffer<offset_t> row_ptrs(csr.row_ptrs.size(), nullptr);
    const cuda::DeviceBuffer<index_t> col_idxs(csr.col_idxs.size(), nullptr);
    const cuda::DeviceBuffer<V> values(csr.values.size(), nullptr);
    a.to_csr({row_ptrs.data(), col_idxs.data(), values.data()}, nullptr);
    const Source<V> back(
        cuda::DeviceCsrView<V>{csr.rows, csr.cols, csr.nnz(), row_ptrs.data(), col_idxs.data(), values.data()});
    EXPECT_TRUE(back.csr().row_ptrs == csr.row_ptrs);
    EXPECT_TRUE(back.csr().col_idxs == csr.col_idxs);
    if (csr.nnz() > 0) {
        EXPECT_EQ(std::memcmp(back.csr().values.data(), csr.values.data(), csr.values.bytes()), 0);
    }
}

}  // namespace tilespmv::testing
