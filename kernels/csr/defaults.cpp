#include "kernels/csr/defaults.hpp"

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::cuda {
namespace {

constexpr int kMaxGroup = 32;

/// The smallest group of threads for which a round of `products` a thread holds 8/7 of as many mean rows.
int smallest_group(index_t rows, offset_t nnz, int products) {
    int group = 1;
    while (group < kMaxGroup && 8 * nnz > offset_t{7} * products * group * rows) group *= 2;
    return group;
}

}  // namespace

int threads_per_row(index_t rows, offset_t nnz) {
    constexpr offset_t nonzeros_each = 4;
    int threads = 2;
    while (threads < 32 && nnz > rows * nonzeros_each * threads) threads *= 2;
    return threads;
}

MultiroundShape multiround_shape(Options& options, index_t rows, offset_t nnz) {
    MultiroundShape shape;
    shape.rows = static_cast<int>(options.whole("rows", 0, 1, kMultiroundMaxThreads));
    shape.threads = options.one_of("threads", 256, {64, 128, 256, kMultiroundMaxThreads});
    shape.products = options.one_of("products", 8, {1, 2, 4, 8});
    shape.group = options.one_of("group", 0, {1, 2, 4, 8, 16, kMaxGroup});
    options.finish();
    if (shape.group == 0) {
        shape.group = smallest_group(rows, nnz, shape.products);
        while (shape.group > 1 && shape.rows * shape.group > shape.threads) shape.group /= 2;
    }
    if (shape.rows == 0) shape.rows = shape.threads / shape.group;
    if (shape.rows * shape.group > shape.threads) {
        throw Error(fmt::format("csr-multiround: {} rows of a block with {} threads each need {} threads, it has {}",
                                shape.rows, shape.group, shape.rows * shape.group, shape.threads),
                    ExitCode::usage);
    }
    return shape;
}

}  // namespace tilespmv::cuda
