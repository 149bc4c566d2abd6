#include "bench/harness/chain.hpp"

#include <cmath>
#include <utility>

#include "tile/parallel.hpp"

namespace tilespmv::bench {
namespace {

constexpr std::int64_t kRowGrain = 4096;

template <Value V>
void multiply(const CsrMatrix<V>& a, const Buffer<double>& x, Buffer<double>& y) {
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t row) {
        double sum = 0;
        for (offset_t k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            sum += static_cast<double>(a.values[k]) * x[a.col_idxs[k]];
        }
        y[row] = sum;
    });
}

double scale_of(const Buffer<double>& y) {
    double largest = 0;
    for (const double value : y) {
        if (!std::isfinite(value)) return 1;
        largest = std::max(largest, std::abs(value));
    }
    const double scale = 1 / largest;
    return std::isnormal(scale) ? scale : 1;
}

}  // namespace

template <Value V>
std::vector<double> chain_scales(const CsrMatrix<V>& a, std::span<const V> x) {
    Buffer<double> from(x.size()), to(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) from[i] = static_cast<double>(x[i]);
    std::vector<double> scales;
    for (int i = 0; i < kChainProducts; ++i) {
        multiply(a, from, to);
        scales.push_back(scale_of(to));
        for (double& value : to) value *= scales.back();
        std::swap(from, to);
    }
    return scales;
}

#define TILESPMV_INSTANTIATE(V) template std::vector<double> chain_scales(const CsrMatrix<V>&, std::span<const V>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
