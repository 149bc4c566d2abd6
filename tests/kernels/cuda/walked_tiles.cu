#include "tests/kernels/cuda/walked_tiles.hpp"

#include <span>

#include "kernels/cuda/cache_policy.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/published/tile_warp/warp_routines.cuh"

namespace tilespmv::testing {
namespace {

/// A format that no routine knows by its own type.
template <class F>
struct Unknown : F {};

struct Tiles {
    const TileEntry* entries;
    const offset_t* ptrs;
    const double* values;
    const std::uint8_t* indices;
    const double* x;
    double* y;
    index_t rows;
    index_t cols;
    index_t tile_rows;  ///< all of them have tiles
    std::uint64_t cache_policy;
};

template <class F>
__global__ void multiply_all(Tiles a) {
    __shared__ double products[cuda::kWarpSize];
    const cuda::Lane lane;
    for (index_t k = 0; k < a.tile_rows; ++k) {
        const int rows = min(a.rows - k * kTileSize, kTileSize);
        double sum = 0;
        for (offset_t t = a.ptrs[k]; t < a.ptrs[k + 1]; ++t) {
            const TileEntry entry = a.entries[t];
            const index_t column = entry.column() * kTileSize;
            const cuda::WarpTile<double, double> tile{
                {rows, min(a.cols - column, kTileSize), entry, a.values, a.indices},
                a.x + column,
                products,
                lane,
                min(lane.row, rows - 1),
                a.cache_policy};
            sum += cuda::multiply(F{}, tile);
            __syncwarp();
            a.values += entry.values();
            a.indices += entry.index_bytes();
        }
        sum += __shfl_xor_sync(cuda::kAllLanes, sum, kTileSize);
        if (lane.id < rows) a.y[k * kTileSize + lane.id] = sum;
        __syncwarp();
    }
}

}  // namespace

std::vector<double> multiply_tiles_by_warp(const TileMatrix<double>& a, const std::vector<double>& x, bool is_walked) {
    const cuda::DeviceBuffer<TileEntry> entries(a.tiles, nullptr);
    const cuda::DeviceBuffer<offset_t> ptrs(a.tile_ptrs, nullptr);
    const cuda::DeviceBuffer<double> values(a.values, nullptr);
    const cuda::DeviceBuffer<std::uint8_t> indices(a.indices, nullptr);
    const cuda::DeviceBuffer<double> on_device(std::span<const double>(x), nullptr);
    cuda::DeviceBuffer<double> y(static_cast<std::size_t>(a.rows), nullptr);
    const Tiles tiles{entries.data(),
                      ptrs.data(),
                      values.data(),
                      indices.data(),
                      on_device.data(),
                      y.data(),
                      a.rows,
                      a.cols,
                      static_cast<index_t>(a.tile_rows.size()),
                      cuda::make_cache_policy(0, nullptr)};
    formats::visit_format(a.tiles[0].format(), [&]<class F>() {
        if (is_walked) {
            multiply_all<Unknown<F>><<<1, cuda::kWarpSize>>>(tiles);
        } else {
            multiply_all<F><<<1, cuda::kWarpSize>>>(tiles);
        }
    });
    TILESPMV_CUDA(cudaGetLastError());
    std::vector<double> host(y.size());
    y.download(host, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return host;
}

}  // namespace tilespmv::testing
