#include "kernels/multi_gpu/boundary_product.hpp"

#include "tile/parallel.hpp"

namespace tilespmv::multi_gpu {
template <CpuValue V>
void pack(const HaloPlan& plan, std::span<const V> x, std::span<V> sent) {
    parallel_for(0, static_cast<std::int64_t>(plan.sent.size()), kRowGrain, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        sent[at] = x[static_cast<std::size_t>(plan.sent[at])];
    });
}

template <CpuValue V>
void add_boundary(const RankMatrix<V>& m, V alpha, std::span<const V> halo, std::span<V> y) {
    parallel_for(0, m.boundary.rows, kRowGrain, [&](std::int64_t i) {
        double sum = 0;
        for (offset_t p = m.boundary.row_ptrs[i]; p < m.boundary.row_ptrs[i + 1]; ++p) {
            const auto place = static_cast<std::size_t>(m.boundary.col_idxs[p]);
            sum += static_cast<double>(m.boundary.values[p]) * static_cast<double>(halo[place]);
        }
        V& own = y[static_cast<std::size_t>(m.boundary_rows[i])];
        own = static_cast<V>(static_cast<double>(own) + static_cast<double>(alpha) * sum);
    });
}

#define TILESPMV_INSTANTIATE(V)                                            \
    template void pack(const HaloPlan&, std::span<const V>, std::span<V>); \
    template void add_boundary(const RankMatrix<V>&, V, std::span<const V>, std::span<V>);
TILESPMV_INSTANTIATE(double)
TILESPMV_INSTANTIATE(float)

}  // namespace tilespmv::multi_gpu
