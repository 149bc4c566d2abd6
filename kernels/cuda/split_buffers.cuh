#pragma once

#include <span>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/split_row.hpp"

namespace tilespmv::cuda {

template <class T>
DeviceBuffer<T> upload(const std::vector<T>& host, cudaStream_t stream) {
    return DeviceBuffer<T>(std::span<const T>(host), stream);
}

/// Partial sums of rows that are split, and how many of each row's are there. 0 arrivals before and after a product.
template <class A>
class SplitBuffers {
public:
    SplitBuffers(const std::vector<SplitRow>& splits, std::size_t partials, cudaStream_t stream)
        : splits_(upload(splits, stream)), partials_(partials), arrivals_(splits.size()) {
        TILESPMV_CUDA(cudaMemsetAsync(arrivals_.data(), 0, arrivals_.bytes(), stream));
    }
    /// Sets the members of these names.
    template <class View>
    void put(View& view) const {
        view.splits = splits_.data();
        view.partials = partials_.data();
        view.arrivals = arrivals_.data();
    }
    [[nodiscard]] std::size_t bytes() const { return splits_.bytes() + partials_.bytes() + arrivals_.bytes(); }

private:
    DeviceBuffer<SplitRow> splits_;
    DeviceBuffer<A> partials_;
    DeviceBuffer<unsigned> arrivals_;
};

}  // namespace tilespmv::cuda
