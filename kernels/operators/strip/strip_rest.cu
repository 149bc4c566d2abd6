#include "kernels/operators/strip/strip_rest.hpp"

#include <utility>

#include "kernels/cuda/launch.cuh"
#include "kernels/operators/strip/strip_rest.cuh"

namespace tilespmv::cuda {
namespace {

struct RestColumns {
    DeviceRest<index_t> rest;
    const index_t* col_idxs = nullptr;
};
__global__ void __launch_bounds__(kStripThreads) copy_columns(const __grid_constant__ RestColumns p) {
    copy_rest(p.rest, p.col_idxs, std::int64_t{blockIdx.x});
}

}  // namespace

RestArrays make_rest(const DeviceRows& a, FoundStrips found, const RestBefore& all, const DeviceContext& on) {
    RestArrays made;
    made.tile_rows = std::move(found.rest);
    made.before = std::move(found.before);
    made.all = all;
    const auto count = static_cast<std::int64_t>(made.tile_rows.size());
    if (count == 0) return made;
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
