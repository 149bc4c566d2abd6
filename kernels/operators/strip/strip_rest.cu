#include "kernels/operators/strip/strip_rest.hpp"

#include <utility>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/sort_pairs.cuh"
#include "kernels/operators/strip/strip_rest.cuh"

namespace tilespmv::cuda {
namespace {

/// Of the i-th tile row; behind the last one nothing.
struct RestOfTileRow {
    DeviceRows a;
    const std::uint32_t* tile_rows = nullptr;
    std::int64_t count = 0;

    __device__ RestBefore operator()(std::int64_t i) const {
        if (i == count) return {};
        const std::int64_t row0 = std::int64_t{tile_rows[i]} * kTileSize;
        const offset_t nonzeros = a.row_ptrs[min(row0 + kTileSize, std::int64_t{a.rows})] - a.row_ptrs[row0];
        return {nonzeros, nonzeros > 0 ? 1 : 0};
    }
};
struct AddRest {
    __device__ RestBefore operator()(const RestBefore& a, const RestBefore& b) const { return a + b; }
};

struct RestColumns {
    DeviceRest<index_t> rest;
    const index_t* col_idxs = nullptr;
};
__global__ void __launch_bounds__(kStripThreads) copy_columns(const __grid_constant__ RestColumns p) {
    copy_rest(p.rest, p.col_idxs, std::int64_t{blockIdx.x});
}

}  // namespace

RestArrays make_rest(const DeviceRows& a, DeviceBuffer<std::uint32_t> tile_rows, const RestBefore& all,
                     const DeviceContext& on) {
    RestArrays made;
    made.tile_rows = std::move(tile_rows);
    made.all = all;
    const auto count = static_cast<std::int64_t>(made.tile_rows.size());
    if (count == 0) return made;
    made.before = DeviceBuffer<RestBefore>(made.tile_rows.size() + 1, on);
    const auto each = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0),
                                                      RestOfTileRow{a, made.tile_rows.data(), count});
    with_cub_workspace(
        [&](void* workspace, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveScan(workspace, bytes, each, made.before.data(), AddRest{}, RestBefore{},
                                                  count + 1, on.stream);
        },
        on);
    made.cols = DeviceBuffer<index_t>(static_cast<std::size_t>(made.all.nonzeros), on);
    const DeviceRest<index_t> rest{.tile_rows = made.tile_rows.data(),
                                   .before = made.before.data(),
                                   .count = count,
                                   .row_ptrs = a.row_ptrs,
                                   .rows = a.rows,
                                   .values = made.cols.data()};
    launch(copy_columns, count, kStripThreads, RestColumns{rest, a.col_idxs}, on.stream);
    return made;
}

}  // namespace tilespmv::cuda
