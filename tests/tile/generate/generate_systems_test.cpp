#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>

#include "tile/generate/generate.hpp"

/// Systems of equations from the literature: what they discretise, with Eigen as the oracle.
namespace tilespmv::testing {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector3i;
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
          "laplace3d:n=12,jump=1e4,block=3,aniso=1e3", "laplace3d:nx=1,ny=30,nz=20,jump=10", "elasticity:n=5",
          "elasticity:n=6,jump=1e4,block=2", "elasticity:nx=2,ny=1,nz=12,nu=0.49", "elasticity:n=1,nu=0"}) {
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

/// Displacements of the nodes of a mesh that is clamped at z = 0; `elements` a side.
VectorXd displacements(const Vector3i& elements, const std::function<Vector3d(const Vector3d&)>& u) {
    VectorXd result(3 * (elements[0] + 1) * (elements[1] + 1) * elements[2]);
    int at = 0;
    for (int z = 1; z <= elements[2]; ++z) {
        for (int y = 0; y <= elements[1]; ++y) {
            for (int x = 0; x <= elements[0]; ++x, at += 3) result.segment<3>(at) = u({1. * x, 1. * y, 1. * z});
        }
    }
    return result;
}

/// The stiffness of a unit cube of Young's modulus 1 with 2 x 2 x 2 Gauss points, by strains and stresses.
MatrixXd element_by_gauss(double nu) {
    Eigen::Matrix<double, 6, 6> stress = Eigen::Matrix<double, 6, 6>::Zero();
    stress.topLeftCorner<3, 3>().setConstant(nu);
    stress.topLeftCorner<3, 3>().diagonal().setConstant(1 - nu);
    stress.bottomRightCorner<3, 3>().diagonal().setConstant((1 - 2 * nu) / 2);
    stress /= (1 + nu) * (1 - 2 * nu);
    MatrixXd stiffness = MatrixXd::Zero(24, 24);
    for (int point = 0; point < 8; ++point) {
        Eigen::Matrix<double, 6, 24> strain = Eigen::Matrix<double, 6, 24>::Zero();
        for (int corner = 0; corner < 8; ++corner) {
            Vector3d shape, slope;
            for (int axis = 0; axis < 3; ++axis) {
                const double at = 0.5 + ((point >> axis & 1) == 0 ? -0.5 : 0.5) / std::sqrt(3.0);
                shape[axis] = (corner >> axis & 1) == 0 ? 1 - at : at;
                slope[axis] = (corner >> axis & 1) == 0 ? -1 : 1;
            }
            const double dx = slope[0] * shape[1] * shape[2], dy = shape[0] * slope[1] * shape[2],
                         dz = shape[0] * shape[1] * slope[2];
            strain.block<6, 3>(0, 3 * corner) << dx, 0, 0, 0, dy, 0, 0, 0, dz, dy, dx, 0, 0, dz, dy, dz, 0, dx;
        }
        stiffness += strain.transpose() * stress * strain / 8;
    }
    return stiffness;
}

TEST(Elasticity, IsWhatGaussPointsAssemble) {
    const Vector3i elements(4, 3, 5);
    const MatrixXd element = element_by_gauss(0.4);
    const int nodes = 5 * 4 * 6, clamped = 5 * 4;
    MatrixXd expected = MatrixXd::Zero(3 * nodes, 3 * nodes);
    for (int e = 0; e < elements.prod(); ++e) {
        const int x = e % 4, y = e / 4 % 3, z = e / 12;
        const double modulus = (x / 2 + y / 2 + z / 2) % 2 == 0 ? 1 : 50;
        const auto node = [&](int corner) {
            return x + (corner & 1) + 5 * (y + (corner >> 1 & 1) + 4 * (z + (corner >> 2)));
        };
        for (int i = 0; i < 8; ++i) {
            for (int j = 0; j < 8; ++j) {
                expected.block<3, 3>(3 * node(i), 3 * node(j)) += modulus * element.block<3, 3>(3 * i, 3 * j);
            }
        }
    }
    const int unknowns = 3 * (nodes - clamped);
    const MatrixXd a = system_of("elasticity:nx=4,ny=3,nz=5,nu=0.4,jump=50,block=2");
    ASSERT_EQ(a.rows(), unknowns);
    EXPECT_LE((a - expected.bottomRightCorner(unknowns, unknowns)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Elasticity, HasFullRowsInside) {
    const auto a = generate<double>("elasticity:n=4");
    const index_t node = 2 + 5 * (2 + 5 * 1);
    for (index_t row = 3 * node; row < 3 * node + 3; ++row) EXPECT_EQ(a.row_ptrs[row + 1] - a.row_ptrs[row], 81);
}

TEST(Elasticity, RigidMotionsCostNothingAwayFromTheClampedFace) {
    const Vector3i elements(5, 4, 6);
    const auto a = system_of("elasticity:nx=5,ny=4,nz=6,jump=1000,block=2");
    for (int mode = 0; mode < 6; ++mode) {
        const Vector3d axis = Vector3d::Unit(mode % 3);
        const VectorXd u = displacements(
            elements, [&](const Vector3d& at) -> Vector3d { return mode < 3 ? axis : axis.cross(at).eval(); });
        const VectorXd force = a * u;
        const int near_clamped = 3 * 6 * 5;
        EXPECT_LE(force.tail(force.size() - near_clamped).cwiseAbs().maxCoeff(), 1e-10) << mode;
        EXPECT_GT(force.head(near_clamped).cwiseAbs().maxCoeff(), 0.1) << "held there " << mode;
    }
}

// A bar without lateral contraction, pulled by a traction of 1: u = z, wherever nodes are.
TEST(Elasticity, SolvesTheBarUnderTension) {
    const Vector3i elements(2, 3, 7);
    const VectorXd u = displacements(elements, [](const Vector3d& at) -> Vector3d { return {0, 0, at[2]}; });
    const VectorXd force = system_of("elasticity:nx=2,ny=3,nz=7,nu=0") * u;
    const int top = 3 * 3 * 4;
    EXPECT_LE(force.head(force.size() - top).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_NEAR(force.tail(top).sum(), 2 * 3, 1e-12) << "traction times area";
}

// The patch test: a constant strain, whatever it is, leaves nodes inside in balance.
TEST(Elasticity, PassesThePatchTest) {
    const Vector3i elements(4, 4, 4);
    Eigen::Matrix3d gradient;
    gradient << 1, -2, 0.5, 3, 0.25, -1, 2, 1, -3;
    const VectorXd u = displacements(elements, [&](const Vector3d& at) -> Vector3d { return gradient * at; });
    const VectorXd force = system_of("elasticity:n=4,nu=0.45") * u;
    for (int z = 2; z < 4; ++z) {
        for (int y = 1; y < 4; ++y) {
            for (int x = 1; x < 4; ++x) {
                const int node = x + 5 * (y + 5 * (z - 1));
                EXPECT_LE(force.segment<3>(3 * node).cwiseAbs().maxCoeff(), 1e-12) << x << ' ' << y << ' ' << z;
            }
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
