#pragma once

#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/split_row.hpp"

namespace tilespmv::cuda {

template <class T>
DeviceBuffer<T> upload(const std::vector<T>& host, const DeviceContext& on) {
    return DeviceBuffer<T>(std::span<const T>(host), on);
}

/// Rows that are split, and where their partial sums and the number of those that are there lie in a workspace. 0
/// arrivals before and after a product.
template <class A>
class SplitBuffers {
public:
    SplitBuffers(const std::vector<SplitRow>& splits, std::size_t partials, WorkspaceLayout& layout,
                 const DeviceContext& on)
        : SplitBuffers(upload(splits, on), partials, layout) {}
    SplitBuffers(DeviceBuffer<SplitRow> splits, std::size_t partials, WorkspaceLayout& layout)
        : splits_(std::move(splits)),
          partials_(layout.add<A>(partials, 0)),
          arrivals_(layout.add<unsigned>(splits_.size(), 0)) {}
    /// Sets the members of these names.
    template <class View>
    void put(View& view, std::byte* workspace) const {
        view.splits = splits_.data();
        view.partials = partials_.in(workspace);
        view.arrivals = arrivals_.in(workspace);
    }
    [[nodiscard]] const SplitRow* splits() const { return splits_.data(); }
    [[nodiscard]] std::size_t bytes() const { return splits_.bytes(); }

private:
    DeviceBuffer<SplitRow> splits_;
    WorkspacePart<A> partials_;
    WorkspacePart<unsigned> arrivals_;
};

}  // namespace tilespmv::cuda
