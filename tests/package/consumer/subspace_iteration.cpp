// The largest singular values of a matrix by subspace iteration: a block of 8 vectors is multiplied by A and then by
// its transpose, each of which is read once for all of them.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>

#include <tilespmv/kernels/registry.hpp>
#include <tilespmv/kernels/transpose.hpp>
#include <tilespmv/tile/error.hpp>
#include <tilespmv/tile/generate/generate.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>
using namespace tilespmv;

namespace {

constexpr int kVectors = 8;  // half of which are to converge; the others make them converge faster
constexpr int kWanted = 4;

double dot(const Block<double>& a, int i, const Block<double>& b, int j) {
    double sum = 0;
    for (std::size_t row = 0; row < a.rows; ++row) sum += a.at(row, i) * b.at(row, j);
    return sum;
}

/// Makes the columns orthonormal, one after the other.
void orthonormalise(const Block<double>& x) {
    for (int j = 0; j < x.cols; ++j) {
        for (int pass = 0; pass < 2; ++pass) {
            for (int i = 0; i < j; ++i) {
                const double share = dot(x, i, x, j);
                for (std::size_t row = 0; row < x.rows; ++row) x.at(row, j) -= share * x.at(row, i);
            }
        }
        const double norm = std::sqrt(dot(x, j, x, j));
        for (std::size_t row = 0; row < x.rows; ++row) x.at(row, j) /= norm;
    }
}

}  // namespace

int main(int argc, char** argv) try {
    const auto a = argc > 1 ? read_matrix_market<double>(argv[1]) : generate<double>("rmat:scale=10,degree=8");
    const auto make = [](const Source<double>& m) { return make_operator<double>("auto:columns=8", m); };
    const auto product = with_transpose<double>(make(a), a, make);
    Run transposed;
    transposed.op = Op::transpose;
    const auto rows = static_cast<std::size_t>(a.rows), cols = static_cast<std::size_t>(a.cols);
    std::vector<double> x_values(cols * kVectors), y_values(cols * kVectors), z_values(rows * kVectors);
    // Rows of 8 values one after the other.
    const auto block = [](std::vector<double>& values) {
        return Block<double>(values.data(), values.size() / kVectors, kVectors, kVectors, Layout::row_major,
                             Memory::host);
    };
    Block<double> x = block(x_values), y = block(y_values);
    const Block<double> z = block(z_values);
    for (std::size_t i = 0; i < x_values.size(); ++i) x_values[i] = std::sin(static_cast<double>(i * i + 1));

    double worst = 1;
    double values[kWanted] = {};
    int steps = 0;
    for (; worst > 1e-6 && steps < 2000; ++steps) {
        orthonormalise(x);
        product->apply(1.0, x, 0.0, z);              // Z = A X
        product->apply(1.0, z, 0.0, y, transposed);  // Y = A^T Z
        worst = 0;
        for (int j = 0; j < kWanted; ++j) {  // |A^T A x - s^2 x| / s^2
            const double square = dot(x, j, y, j);
            const double error = std::sqrt(std::max(dot(y, j, y, j) - square * square, 0.0)) / square;
            worst = std::max(worst, error);
            values[j] = std::sqrt(square);
        }
        std::swap(x, y);
    }
    std::cout << "singular values";
    for (const double value : values) std::cout << ' ' << value;
    std::cout << " after " << steps << " steps, residual " << worst << '\n';
    return worst <= 1e-6 ? 0 : 1;
} catch (const Error& error) {
    std::cerr << "subspace_iteration: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
