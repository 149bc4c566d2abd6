#include "kernels/cuda/gather.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {

/// Consecutive words that a warp copies.
struct alignas(16) PartToGather {
    const std::uint32_t* from;
    std::uint32_t to;
    std::uint32_t size;
};

namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr int kPartsOfBlock = kThreads / kWarpSize;
constexpr int kWordsOfLane = 4;
constexpr std::size_t kMostOfPart = kWarpSize * kWordsOfLane;

struct PartsToGather {
    const PartToGather* parts = nullptr;
    int count = 0;
    std::uint32_t* gathered = nullptr;
};

__global__ void __launch_bounds__(kThreads) gather_parts(PartsToGather p) {
    // The parts come from the host: one request of a block.
    __shared__ PartToGather parts[kPartsOfBlock];
    const int first = static_cast<int>(blockIdx.x) * kPartsOfBlock;
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < kPartsOfBlock && first + thread < p.count) parts[thread] = p.parts[first + thread];
    __syncthreads();
    const int warp = thread / kWarpSize;
    if (first + warp >= p.count) return;
    const PartToGather part = parts[warp];
    std::uint32_t words[kWordsOfLane] = {};
#pragma unroll
    for (int i = 0; i < kWordsOfLane; ++i) {
        const unsigned at = static_cast<unsigned>(thread % kWarpSize + i * kWarpSize);
        if (at < part.size) words[i] = part.from[at];
    }
#pragma unroll
    for (int i = 0; i < kWordsOfLane; ++i) {
        const unsigned at = static_cast<unsigned>(thread % kWarpSize + i * kWarpSize);
        if (at < part.size) p.gathered[part.to + at] = words[i];
    }
}

/// Ranges that follow each other are one, and long ones several parts.
std::vector<PartToGather> parts_of(const std::vector<WordsThere>& ranges) {
    std::vector<PartToGather> parts;
    parts.reserve(ranges.size());
    std::uint32_t to = 0;
    for (auto [from, left] : ranges) {
        while (left > 0) {
            const bool goes_on = !parts.empty() && parts.back().from + parts.back().size == from;
            if (!goes_on || parts.back().size == kMostOfPart) parts.push_back({from, to, 0});
            const std::size_t some = std::min(left, kMostOfPart - parts.back().size);
            parts.back().size += static_cast<std::uint32_t>(some);
            to += static_cast<std::uint32_t>(some);
            from += some;
            left -= some;
        }
    }
    return parts;
}

}  // namespace

Gather::Gather(const std::vector<WordsThere>& ranges, cudaStream_t stream) : Gather(parts_of(ranges), stream) {}

Gather::Gather(const std::vector<PartToGather>& parts, cudaStream_t stream)
    : memory_(parts.size() * sizeof(PartToGather) +
              (parts.empty() ? 0 : std::size_t{parts.back().to} + parts.back().size) * sizeof(std::uint32_t)),
      words_at_(parts.size() * sizeof(PartToGather)),
      stream_(stream) {
    auto* const listed = reinterpret_cast<PartToGather*>(memory_.data());
    std::ranges::copy(parts, listed);
    const PartsToGather p{listed, static_cast<int>(parts.size()),
                          reinterpret_cast<std::uint32_t*>(memory_.data() + words_at_)};
    launch(gather_parts, div_up(std::ssize(parts), std::ptrdiff_t{kPartsOfBlock}), kThreads, p, stream);
}

Gather::~Gather() {
    if (is_running_) static_cast<void>(cudaStreamSynchronize(stream_));
}

const std::uint32_t* Gather::wait() {
    TILESPMV_CUDA(cudaStreamSynchronize(stream_));
    is_running_ = false;
    return reinterpret_cast<const std::uint32_t*>(memory_.data() + words_at_);
}

}  // namespace tilespmv::cuda
