#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

#include "tile/generate/generate.hpp"

/// Systems of equations from the literature: what they discretise, with Eigen as the oracle.
namespace tilespmv::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::SparseMatrix<double> system_of(const std::string& specification) {
    const auto a = generate<double>(specification);
    std::vector<Eigen::Triplet<double>> entries;
    for (index_t row = 0; row < a.rows; ++row) {
        for (auto p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            entries.emplace_back(row, a.col_idxs[p], a.values[p]);
        }
    }
    Eigen::SparseMatrix<double> result(a.rows, a.cols);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

TEST(GeneratedSystems, ArePositiveDefinite) {
    for (const std::string specification :
         {"laplace2d:n=40", "laplace2d:n=40,jump=1e6,block=5", "laplace2d:n=30,contrast=0.9,jump=100,aniso=1e-4",
          "laplace3d:n=12,jump=1e4,block=3,aniso=1e3", "laplace3d:nx=1,ny=30,nz=20,jump=10"}) {
        const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factors(system_of(specification));
        EXPECT_EQ(factors.info(), Eigen::Success) << specification;
    }
}

TEST(Laplace, WithJumpsIsAnMMatrix) {
    for (const std::string specification :
         {"laplace2d:n=20,jump=1e6,block=3", "laplace3d:n=8,contrast=0.5,jump=50,block=2,aniso=0.01"}) {
        const MatrixXd a = system_of(specification);
        const VectorXd diagonal = a.diagonal(), rest = a.rowwise().sum() - diagonal;
        EXPECT_LE((a - MatrixXd(diagonal.asDiagonal())).maxCoeff(), 0) << specification;
        EXPECT_GE(((diagonal + rest).array() / diagonal.array()).minCoeff(), -1e-14) << "no row sum is negative";
        EXPECT_GT(((diagonal + rest).array() / diagonal.array()).maxCoeff(), 0.1) << "the boundary";
    }
}

TEST(Laplace, TakesHarmonicMeansBetweenBlocks) {
    const MatrixXd a = system_of("laplace2d:nx=4,ny=3,jump=9,block=2,aniso=0.5");
    const double between = 2.0 * 9 / (1 + 9);
    EXPECT_EQ(a(0, 1), -0.5) << "in a block of coefficient 1";
    EXPECT_EQ(a(1, 2), -0.5 * between);
    EXPECT_EQ(a(2, 3), -0.5 * 9) << "in a block of coefficient 9";
    EXPECT_EQ(a(0, 4), -1);
    EXPECT_EQ(a(4, 8), -between);
    EXPECT_EQ(a(3, 3), 9 * (0.5 + 0.5 + 1 + 1)) << "at a corner, half of it across the boundary";
    const MatrixXd cubes = system_of("laplace3d:n=2,jump=4,block=1");
    EXPECT_DOUBLE_EQ(cubes(0, 0), 3 * 1.6 + 3 * 1);
    EXPECT_DOUBLE_EQ(cubes(4, 4), 3 * 1.6 + 3 * 4);
}

// A flux through layers of different coefficients is the same everywhere, and the solution has kinks.
TEST(Laplace, KeepsTheFluxAcrossJumps) {
    const int nx = 24, ny = 6;
    const auto a = system_of("laplace2d:nx=24,ny=6,jump=1000,block=6");
    VectorXd u(nx * ny);
    for (int y = 0; y < ny; ++y) {
        double height = 1;
        for (int x = 0; x < nx; ++x) {
            const double half = (x / 6 % 2 == 0 ? 1 : 1e-3) / 2;
            height += half;
            u[x + nx * y] = height;
            height += half;
        }
    }
    const VectorXd f = a * u;
    for (int y = 1; y + 1 < ny; ++y) {
        for (int x = 1; x + 1 < nx; ++x) EXPECT_NEAR(f[x + nx * y], 0, 1e-10) << x << ' ' << y;
    }
}

}  // namespace
}  // namespace tilespmv::testing
