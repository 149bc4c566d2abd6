#include <iostream>
#include <vector>

#include <tilespmv/kernels/registry.hpp>

int main() {
    // CSR: rows, columns, row pointers, column indices (ascending in each row), values.
    const tilespmv::CsrMatrix<double> a{3, 3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2}};
    const auto product = tilespmv::make_operator<double>("auto", a);
    const std::vector<double> x{1, 2, 4};
    std::vector<double> y(3);
    product->apply(1.0, x, 0.0, y);  // y = 1 A x + 0 y, as often as you like
    std::cout << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';
}
