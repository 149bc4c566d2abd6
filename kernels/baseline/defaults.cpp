#include "kernels/baseline/defaults.hpp"

namespace tilespmv::baseline {

int threads_per_row(index_t rows, offset_t nnz) {
    constexpr offset_t nonzeros_each = 4;
    int threads = 2;
    while (threads < 32 && nnz > rows * nonzeros_each * threads) threads *= 2;
    return threads;
}

}  // namespace tilespmv::baseline
