// A program of somebody else's: tiles a 20 x 20 tridiagonal matrix, multiplies it by a vector of ones, prints y.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <tilespmv/formats/convert.hpp>
#include <tilespmv/kernels/registry.hpp>
#include <tilespmv/selector/policy.hpp>
#include <tilespmv/tile/csr.hpp>
#include <vector>

namespace {

tilespmv::CsrMatrix<double> tridiagonal(tilespmv::index_t n) {
    tilespmv::CsrMatrix<double> a{n, n, tilespmv::Buffer<tilespmv::offset_t>(n + 1),
                                  tilespmv::Buffer<tilespmv::index_t>(3 * n - 2), tilespmv::Buffer<double>(3 * n - 2)};
    tilespmv::offset_t k = 0;
    for (tilespmv::index_t i = 0; i < n; ++i) {
        a.row_ptrs[i] = k;
        for (tilespmv::index_t j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j, ++k) {
            a.col_idxs[k] = j;
            a.values[k] = i == j ? 2.0 : -1.0;
        }
    }
    a.row_ptrs[n] = k;
    return a;
}

}  // namespace

int main() {
    const auto a = tridiagonal(20);
    const auto tiles = tilespmv::convert(a, *tilespmv::make_policy(tilespmv::kDefaultSelector));
    const auto product = tilespmv::find_operator<double>(tilespmv::Backend::cpu, "tile-omp").make({&tiles});
    const std::vector<double> x(20, 1.0);
    std::vector<double> y(20, NAN);
    product->apply(1.0, x, 0.0, y);

    bool right = true;
    for (std::size_t i = 0; i < y.size(); ++i) {
        std::cout << y[i] << '\n';
        right = right && y[i] == (i == 0 || i == 19 ? 1.0 : 0.0);
    }
    return right ? 0 : 1;
}
