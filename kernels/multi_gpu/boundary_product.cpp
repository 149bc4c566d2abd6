#include "kernels/multi_gpu/boundary_product.hpp"

#include "tile/parallel.hpp"
#include "tile/product_loop.hpp"

namespace tilespmv::multi_gpu {

template <CpuValue V>
void pack(const HaloPlan& plan, std::span<const V> x, std::span<V> sent) {
    product_loop(std::ssize(plan.sent), kRowGrain, [&](std::int64_t first, std::int64_t last) {
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
            sent[i] = x[static_cast<std::size_t>(plan.sent[i])];
    });
}

template <CpuValue V>
void add_boundary(const RankMatrix<V>& m, V alpha, std::span<const V> halo, std::span<V> y) {
    const auto add_row = [&](std::int64_t i) {
        double sum = 0;
        for (offset_t p = m.boundary.row_ptrs[i]; p < m.boundary.row_ptrs[i + 1]; ++p) {
            const auto place = static_cast<std::size_t>(m.boundary.col_idxs[p]);
            sum += static_cast<double>(m.boundary.values[p]) * static_cast<double>(halo[place]);
        }
        V& own = y[static_cast<std::size_t>(m.boundary_rows[i])];
        own = static_cast<V>(static_cast<double>(own) + static_cast<double>(alpha) * sum);
    };
    product_loop(m.boundary.rows, kRowGrain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) add_row(i);
    });
}

#define TILESPMV_INSTANTIATE(V)                                            \
    template void pack(const HaloPlan&, std::span<const V>, std::span<V>); \
    template void add_boundary(const RankMatrix<V>&, V, std::span<const V>, std::span<V>);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::multi_gpu
