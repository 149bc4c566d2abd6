// Multiplies by tiles on the CPU, checks the result row by row, and multiplies again with new values.
#include <cmath>
#include <iostream>
#include <vector>

#include <tilespmv/formats/convert.hpp>
#include <tilespmv/kernels/check.hpp>
#include <tilespmv/kernels/registry.hpp>
#include <tilespmv/selector/policy.hpp>
#include <tilespmv/tile/error.hpp>

/// Every tile is ell: a selector of one's own is a policy that is passed to `convert`.
class OnlyEll final : public tilespmv::TilePolicy {
public:
    [[nodiscard]] tilespmv::TileChoice choose(const tilespmv::TilePattern& tile, int value_bytes) const override {
        return {ell_, tilespmv::formats::size_in(ell_, tile, value_bytes).value()};
    }

private:
    int ell_ = tilespmv::formats::format_id("ell");
};

int main() try {
    // CSR: rows, columns, row pointers, column indices (ascending in each row), values. The same type is returned by
    // read_matrix_market<double>("A.mtx.gz"), declared in <tilespmv/tile/matrix_market/matrix_market.hpp>.
    const tilespmv::CsrMatrix<double> a{3, 3, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {2, -1, -1, 2, -1, -1, 2}};
    auto tiles = tilespmv::convert(a, *tilespmv::make_policy("bytes"));  // throws Error if `a` is not valid CSR
    // The operator on these tiles. "auto" of `a` is the one that is predicted to be fastest, and converts if that
    // pays.
    const auto product = tilespmv::make_operator<double>("tile-omp", tiles);

    const std::vector<double> x{1, 2, 4};
    std::vector<double> y(3, NAN);
    product->apply(1.0, x, 0.0, y);  // y = 1 A x + 0 y; beta = 0 never reads y
    std::cout << "A x = " << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';

    const auto expected = tilespmv::expected_product<double>(a, 1.0, x, 0.0, {});  // in twice the precision
    const auto check = tilespmv::check_product<double>(expected, y);
    std::cout << (check.ok ? "right" : check.message()) << '\n';

    const tilespmv::ValueMap map(a, tiles);                                          // once per sparsity pattern
    map.update<double>(tiles, std::vector<double>{20, -10, -10, 20, -10, -10, 20});  // in CSR order; no conversion
    product->apply(1.0, x, 0.0, y);
    std::cout << "with new values: " << y[0] << ' ' << y[1] << ' ' << y[2] << '\n';

    const auto all_ell = tilespmv::convert(a, OnlyEll());
    if (all_ell.tiles[0].format() != tilespmv::formats::format_id("ell")) return 1;
    return check.ok && y == std::vector<double>{0, -10, 60} ? 0 : 1;
} catch (const tilespmv::Error& error) {
    std::cerr << "tile_product: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
