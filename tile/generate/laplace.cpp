#include <algorithm>
#include <array>
#include <cmath>

#include "tile/generate/grid.hpp"
#include "tile/generate/random.hpp"

namespace tilespmv::synthetic {
namespace {

/// Finite volumes for -div(k grad u) = f, one unknown a cell of size 1, u = 0 in cells around the domain. k is that of
/// a checkerboard; a face takes the harmonic mean of both sides, as in Alcouffe, Brandt, Dendy and Painter, "The
/// multi-grid method for the diffusion equation with strongly discontinuous coefficients" (SIAM J. Sci. Stat. Comput.,
/// 1981). `aniso` multiplies the faces across x: the model problem -eps u_xx - u_yy of Trottenberg, Oosterlee and
/// Schueller, "Multigrid" (2001). A symmetric M-matrix, whatever the parameters.
class Diffusion {
public:
    /// The first `dimensions` of x, y, z take part.
    Diffusion(const Parameters& p, const Grid& g, int dimensions)
        : edge_{g.nx, g.ny, g.nz},
          stride_{1, g.nx, g.nx * g.ny},
          dimensions_(dimensions),
          k_(p),
          aniso_(p.real("aniso")),
          contrast_(p.real("contrast")),
          seed_(p.seed()) {}

    /// The values of a row, ascending by column.
    void operator()(index_t row, std::span<double> values) const {
        const Cell cell{row % edge_[0], row / stride_[1] % edge_[1], row / stride_[2]};
        double sum = across_boundary(cell);
        auto value = values.begin();
        const auto couple = [&](int axis, int step) {
            if (is_boundary(cell, axis, step)) return;
            *value = coupling(row, cell, axis, step);
            sum += std::abs(*value++);
        };
        for (int axis = dimensions_ - 1; axis >= 0; --axis) couple(axis, -1);
        double& diagonal = *value++;
        for (int axis = 0; axis < dimensions_; ++axis) couple(axis, 1);
        diagonal = sum;
    }

private:
    [[nodiscard]] bool is_boundary(const Cell& cell, int axis, int step) const {
        return cell[axis] + step < 0 || cell[axis] + step >= edge_[axis];
    }
    [[nodiscard]] double along(int axis) const { return axis == 0 ? aniso_ : 1; }
    [[nodiscard]] double across_boundary(const Cell& cell) const {
        double sum = 0;
        for (int axis = 0; axis < dimensions_; ++axis) {
            for (const int step : {-1, 1}) {
                if (is_boundary(cell, axis, step)) sum += along(axis) * k_(cell);
            }
        }
        return sum;
    }
    [[nodiscard]] double coupling(index_t row, Cell cell, int axis, int step) const {
        const double here = k_(cell);
        cell[axis] += step;
        const double there = k_(cell), mean = here == there ? here : 2 * here * there / (here + there);
        const auto col = static_cast<index_t>(row + step * stride_[axis]);
        const double random = contrast_ * value_at(seed_, std::min(row, col), std::max(row, col));
        return along(axis) * mean * (-1 + random);
    }

    Cell edge_, stride_;
    int dimensions_;
    Checkerboard k_;
    double aniso_, contrast_;
    std::uint64_t seed_;
};

Generated laplace(const Parameters& p, const Grid& g, int dimensions) {
    const index_t n = p.dimension({g.nx, g.ny, g.nz});
    auto pattern = build_rows(n, n, (2.0 * dimensions + 1) * n, [&](index_t row, std::vector<index_t>& out) {
        append_neighbours(g, Stencil::star, row, out);
    });
    return {std::move(pattern), {}, Diffusion(p, g, dimensions)};
}

Generated laplace2d(const Parameters& p) { return laplace(p, grid2d(p), 2); }
Generated laplace3d(const Parameters& p) { return laplace(p, grid3d(p), 3); }

constexpr GeneratorParameter kJump{
    "jump", 1, 1, 1e12, false, "factor between the coefficients of blocks of cells, as on a checkerboard"};
constexpr GeneratorParameter kBlock{"block", 8, 1, kMaxIndex, true, "cells along an edge of these blocks"};
constexpr GeneratorParameter kAniso{"aniso", 1, 1e-12, 1e12, false, "factor of the couplings along x"};

constexpr std::array kParameters2d{edge_parameter(450), kNx, kNy, kContrast, kJump, kBlock, kAniso, kSeed};
constexpr std::array kParameters7{edge_parameter(53), kNx, kNy, kNz, kContrast, kJump, kBlock, kAniso, kSeed};

}  // namespace

constinit const Generator kLaplace2d{
    {"laplace2d", "5-point Laplacian on a 2D grid, Dirichlet boundary: n^2 rows, 5 n^2 - 4 n nonzeros",
     "ecology1, ecology2, mc2depi", kParameters2d},
    laplace2d};
constinit const Generator kLaplace3d{
    {"laplace3d", "7-point Laplacian on a 3D grid, Dirichlet boundary: n^3 rows, 7 n^3 - 6 n^2 nonzeros",
     "apache2, atmosmodd, atmosmodl", kParameters7},
    laplace3d};
}  // namespace tilespmv::synthetic
