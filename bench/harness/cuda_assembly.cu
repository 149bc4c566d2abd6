#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/harness/assembly.hpp"
#include "bench/harness/statistics.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_csr_copy.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/cuda/stream.hpp"

namespace tilespmv::bench {
namespace {

constexpr int kThreads = 256;
constexpr int kSamples = 9;

/// Median of the seconds of f(), after one call that warms up.
template <class F>
double seconds_of(cudaStream_t stream, F&& f) {
    cuda::Event start;
    cuda::Event end;
    std::vector<double> seconds;
    f();
    for (int i = 0; i < kSamples; ++i) {
        start.record(stream);
        f();
        end.record(stream);
        end.synchronize();
        seconds.push_back(end.seconds_since(start));
    }
    return summarize(seconds).median;
}

template <class T>
double seconds_of_copy(const cuda::DeviceBuffer<T>& from, cudaStream_t stream) {
    const cuda::DeviceBuffer<T> to(from.size(), stream);
    return seconds_of(stream, [&] {
        TILESPMV_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream));
    });
}

struct Entries {
    offset_t count = 0;
    offset_t places = 0;  ///< four fifths of them
    index_t size = 0;     ///< rows, and columns
    index_t* rows = nullptr;
    index_t* cols = nullptr;
    std::uint64_t* keys = nullptr;
    double* values = nullptr;
    int bits = 0;  ///< of a column
};

/// Eight places a row, in eighths of the columns, in an order that is mixed.
__global__ void __launch_bounds__(kThreads) make_entries(Entries p) {
    constexpr std::uint64_t kPrime = 1'000'000'007;
    const offset_t i = offset_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i >= p.count) return;
    const auto mixed =
        static_cast<offset_t>(static_cast<std::uint64_t>(i) * kPrime % static_cast<std::uint64_t>(p.count));
    const offset_t place = mixed % p.places;
    const offset_t row = place / 8;
    const index_t eighth = p.size / 8;
    const offset_t col = place % 8 * eighth + (row * 7919 + place % 8 * 104729) % eighth;
    p.rows[i] = static_cast<index_t>(row);
    p.cols[i] = static_cast<index_t>(col);
    p.keys[i] = static_cast<std::uint64_t>(row) << p.bits | static_cast<std::uint64_t>(col);
    p.values[i] = static_cast<double>(mixed % 1000) / 1000;
}

cudaMemPool_t pool_of_this_gpu() {
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    return cuda::pool_of(device);
}

/// As in a program that assembles again and again, whose memory the pool keeps.
void keep_memory() {
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    const cudaMemPool_t pool = pool_of_this_gpu();
    if (pool != nullptr) TILESPMV_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
}

/// Bytes of the GPU that f() takes at most beside those that were taken before; 0 on a GPU without pools.
template <class F>
std::size_t peak_of(F&& f) {
    const cudaMemPool_t pool = pool_of_this_gpu();
    std::uint64_t before = 0, most = 0;
    TILESPMV_CUDA(cudaDeviceSynchronize());  // what was given back before
    if (pool != nullptr) {
        TILESPMV_CUDA(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
        TILESPMV_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &before));
    }
    f();
    if (pool != nullptr) TILESPMV_CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
    return most > before ? static_cast<std::size_t>(most - before) : 0;
}

}  // namespace

AssemblyTimes time_assembly(offset_t entries) {
    static_cast<void>(cuda::require_device());
    keep_memory();
    const cuda::Stream stream;
    const cuda::DeviceContext on(stream.get());
    const auto count = static_cast<std::size_t>(entries);
    const cuda::DeviceBuffer<index_t> rows(count, on);
    const cuda::DeviceBuffer<index_t> cols(count, on);
    const cuda::DeviceBuffer<std::uint64_t> keys(count, on);
    const cuda::DeviceBuffer<double> values(count, on);
    const offset_t places = entries - entries / 5;
    const auto size = static_cast<index_t>(div_up(places, offset_t{8}) + 7) / 8 * 8;
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(size - 1)));
    const Entries made{entries, places, size, rows.data(), cols.data(), keys.data(), values.data(), bits};
    cuda::launch(make_entries, div_up(entries, offset_t{kThreads}), kThreads, made, stream.get());

    AssemblyTimes times;
    {
        const cuda::DeviceBuffer<std::uint64_t> sorted_keys(count, on);
        const cuda::DeviceBuffer<double> sorted(count, on);
        times.sort = seconds_of(stream.get(), [&] {
            cub::DoubleBuffer<std::uint64_t> both_keys(keys.data(), sorted_keys.data());
            cub::DoubleBuffer<double> both(values.data(), sorted.data());
            cuda::sort_pairs(both_keys, both, entries, 2 * bits, on);
            // The next one is to find them unsorted.
            cuda::launch(make_entries, div_up(entries, offset_t{kThreads}), kThreads, made, stream.get());
        });
        times.sort -= seconds_of(stream.get(), [&] {
            cuda::launch(make_entries, div_up(entries, offset_t{kThreads}), kThreads, made, stream.get());
        });
    }
    const auto assemble = [&] { return cuda::Assembly(size, size, rows.data(), cols.data(), entries, on); };
    times.pattern = seconds_of(stream.get(), assemble);
    const cuda::Assembly assembly = assemble();
    times.nnz = assembly.nnz();
    times.bytes = assembly.bytes();
    times.peak_bytes = peak_of(assemble);
    const cuda::DeviceBuffer<double> sums(static_cast<std::size_t>(assembly.nnz()), on);
    times.sum = seconds_of(stream.get(), [&] { assembly.sum(values.data(), sums.data(), stream.get()); });
    times.copy = seconds_of_copy(values, stream.get());
    return times;
}

NewValueTimes time_new_values(const std::string& specification, const CsrMatrix<double>& a) {
    static_cast<void>(cuda::require_device());
    const cuda::Stream stream;
    const cuda::DeviceCsrCopy<double> there(a);
    auto view = there.view();
    view.arrays = cuda::DeviceArrays::copied;
    std::unique_ptr<cuda::DeviceOperator<double>> made;
    const std::size_t most = peak_of([&] {
        made = cuda::make_device_operator<double>(specification, view, default_accumulator<double>(), stream.get());
    });
    const cuda::DeviceBuffer<double> values(a.values, stream.get());
    NewValueTimes times{.takes = std::string(made->specification())};
    const auto csr = static_cast<double>((a.row_ptrs.size() + a.col_idxs.size()) * sizeof(index_t) + a.values.bytes());
    times.peak = (csr + static_cast<double>(most)) / (csr + static_cast<double>(made->device_bytes()));
    times.update = seconds_of(stream.get(), [&] { made->update_values(values.span(), stream.get()); });
    times.copy = seconds_of_copy(values, stream.get());
    return times;
}

}  // namespace tilespmv::bench
