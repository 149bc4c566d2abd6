#include "kernels/cuda/gather_columns.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;

/// Consecutive columns that a block of threads copies.
struct ColumnPart {
    const index_t* from = nullptr;
    offset_t to = 0;
    offset_t size = 0;
};
constexpr offset_t kMostOfPart = 2048;

struct PartsToGather {
    const ColumnPart* parts = nullptr;
    index_t* gathered = nullptr;
};

__global__ void __launch_bounds__(kThreads) gather_parts(PartsToGather p) {
    const ColumnPart part = p.parts[blockIdx.x];
    for (offset_t i = threadIdx.x; i < part.size; i += kThreads) p.gathered[part.to + i] = part.from[i];
}

}  // namespace

Buffer<index_t> gather_columns(const ColumnRanges& there, const DeviceContext& on) {
    std::vector<ColumnPart> parts;
    offset_t gathered = 0;
    for (const auto& range : there) {
        for (offset_t done = 0; done < std::ssize(range); done += kMostOfPart) {
            const offset_t size = std::min(std::ssize(range) - done, kMostOfPart);
            parts.push_back({range.data() + done, gathered, size});
            gathered += size;
        }
    }
    const DeviceBuffer<ColumnPart> parts_there(std::span<const ColumnPart>(parts), on);
    const DeviceBuffer<index_t> columns(static_cast<std::size_t>(gathered), on);
    launch(gather_parts, std::ssize(parts), kThreads, PartsToGather{parts_there.data(), columns.data()}, on.stream);
    Buffer<index_t> host(columns.size());
    copy_to_host(host.data(), columns.data(), columns.bytes(), on.stream);
    return host;
}

ColumnRanges ranges_in(const Buffer<index_t>& gathered, const ColumnRanges& there) {
    ColumnRanges ranges;
    std::size_t first = 0;
    for (const auto& range : there) {
        ranges.push_back(std::span<const index_t>(gathered.data(), gathered.size()).subspan(first, range.size()));
        first += range.size();
    }
    return ranges;
}

}  // namespace tilespmv::cuda
