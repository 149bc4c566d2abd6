#include "kernels/cuda/device_diagonals.hpp"

#include <bit>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/tuning.hpp"
#include "kernels/cuda/warp.cuh"

namespace tilespmv::cuda {
namespace {

constexpr int kThreads = kElementwiseThreads;
constexpr offset_t kWordBits = 32;

template <class P>
struct DiagonalsToFind {
    index_t rows = 0;
    const P* row_ptrs = nullptr;
    const index_t* col_idxs = nullptr;
    unsigned* met = nullptr;  ///< a bit for each diagonal, that of the lower left corner first
    unsigned long long* count = nullptr;
};

/// A warp for each row.
template <class P>
__global__ void __launch_bounds__(kThreads) find_diagonals(DiagonalsToFind<P> p) {
    const offset_t row = (offset_t{blockIdx.x} * kThreads + threadIdx.x) / kWarpSize;
    if (row >= p.rows) return;
    const offset_t end = p.row_ptrs[row + 1];
    for (offset_t k = p.row_ptrs[row] + threadIdx.x % kWarpSize; k < end; k += kWarpSize) {
        const offset_t number = p.col_idxs[k] - row + p.rows - 1;
        volatile unsigned* const word = p.met + number / kWordBits;
        const unsigned bit = 1U << (number % kWordBits);
        if ((*word & bit) == 0 && (atomicOr(p.met + number / kWordBits, bit) & bit) == 0) atomicAdd(p.count, 1ULL);
    }
}

struct FoundDiagonals {
    DeviceBuffer<unsigned> met;
    offset_t count = 0;
};

FoundDiagonals find(const DevicePattern& a, const DeviceContext& on) {
    FoundDiagonals found{
        DeviceBuffer<unsigned>(static_cast<std::size_t>((offset_t{a.rows} + a.cols) / kWordBits + 1), on)};
    const DeviceBuffer<unsigned long long> count(1, on);
    TILESPMV_CUDA(cudaMemsetAsync(found.met.data(), 0, found.met.bytes(), on.stream));
    TILESPMV_CUDA(cudaMemsetAsync(count.data(), 0, count.bytes(), on.stream));
    std::visit(
        [&]<class P>(const P* row_ptrs) {
            const DiagonalsToFind<P> p{a.rows, row_ptrs, a.col_idxs, found.met.data(), count.data()};
            launch(find_diagonals<P>, div_up(offset_t{a.rows} * kWarpSize, offset_t{kThreads}), kThreads, p, on.stream);
        },
        a.row_ptrs);
    unsigned long long host = 0;
    count.download({&host, 1}, on.stream);
    TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    found.count = static_cast<offset_t>(host);
    return found;
}

}  // namespace

offset_t count_diagonals(const DevicePattern& a, const DeviceContext& on) { return find(a, on).count; }

std::vector<index_t> diagonals_of(const DevicePattern& a, const DeviceContext& on) {
    const FoundDiagonals found = find(a, on);
    Buffer<unsigned> words(found.met.size());
    copy_to_host(words.data(), found.met.data(), words.bytes(), on.stream);
    std::vector<index_t> diagonals;
    diagonals.reserve(static_cast<std::size_t>(found.count));
    for (std::size_t i = 0; i < words.size(); ++i) {
        for (unsigned left = words[i]; left != 0; left &= left - 1) {
            const offset_t number = static_cast<offset_t>(i) * kWordBits + std::countr_zero(left);
            diagonals.push_back(static_cast<index_t>(number - a.rows + 1));
        }
    }
    return diagonals;
}

}  // namespace tilespmv::cuda
