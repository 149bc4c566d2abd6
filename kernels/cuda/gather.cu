#include "kernels/cuda/gather.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;

/// Consecutive elements that a block of threads copies.
template <class T>
struct Part {
    const T* from = nullptr;
    offset_t to = 0;
    offset_t size = 0;
};
constexpr offset_t kMostOfPart = 2048;

template <class T>
struct PartsToGather {
    const Part<T>* parts = nullptr;
    T* gathered = nullptr;
};

template <class T>
__global__ void __launch_bounds__(kThreads) gather_parts(PartsToGather<T> p) {
    const Part<T> part = p.parts[blockIdx.x];
    for (offset_t i = threadIdx.x; i < part.size; i += kThreads) p.gathered[part.to + i] = part.from[i];
}

}  // namespace

template <class T>
Buffer<T> gather(const RangesOf<T>& there, const DeviceContext& on) {
    std::vector<Part<T>> parts;
    offset_t gathered = 0;
    for (const auto& range : there) {
        for (offset_t done = 0; done < std::ssize(range); done += kMostOfPart) {
            const offset_t size = std::min(std::ssize(range) - done, kMostOfPart);
            parts.push_back({range.data() + done, gathered, size});
            gathered += size;
        }
    }
    const DeviceBuffer<Part<T>> parts_there(std::span<const Part<T>>(parts), on);
    const DeviceBuffer<T> gathered_there(static_cast<std::size_t>(gathered), on);
    launch(gather_parts<T>, std::ssize(parts), kThreads, PartsToGather<T>{parts_there.data(), gathered_there.data()},
           on.stream);
    Buffer<T> host(gathered_there.size());
    copy_to_host(host.data(), gathered_there.data(), host.bytes(), on.stream);
    return host;
}

template Buffer<std::int32_t> gather(const RangesOf<std::int32_t>&, const DeviceContext&);
template Buffer<std::int64_t> gather(const RangesOf<std::int64_t>&, const DeviceContext&);

}  // namespace tilespmv::cuda
