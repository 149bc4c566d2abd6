#include <algorithm>
#include <array>

#include "tile/generate/grid.hpp"

/// Linear elasticity by finite elements.
namespace tilespmv::synthetic {
namespace {

constexpr int kCorners = 8, kAxes = 3;

/// 0 or 1: where a corner of the unit cube is along an axis.
constexpr int coordinate(int corner, int axis) { return corner >> axis & 1; }

/// 216 times the integral over the unit cube of dN_i/dx_a dN_j/dx_b, N the trilinear functions of its corners: a
/// product of integrals along the axes, which 2 Gauss points each give exactly, too.
constexpr int gradients(int i, int a, int j, int b) {
    int product = 1;
    for (int axis = 0; axis < kAxes; ++axis) {
        const bool same = coordinate(i, axis) == coordinate(j, axis);
        if (axis == a && axis == b) {
            product *= same ? 6 : -6;
        } else if (axis == a || axis == b) {
            product *= coordinate(axis == a ? i : j, axis) == 1 ? 3 : -3;
        } else {
            product *= same ? 2 : 1;
        }
    }
    return product;
}

/// The stiffness of a unit cube of Young's modulus 1: component b of corner j acts on component a of corner i.
class ElementMatrix {
public:
    explicit ElementMatrix(double nu) {
        const double lambda = nu / ((1 + nu) * (1 - 2 * nu)), mu = 1 / (2 * (1 + nu));
        for (int i = 0; i < kCorners; ++i) {
            for (int j = 0; j < kCorners; ++j) {
                const int laplacian = gradients(i, 0, j, 0) + gradients(i, 1, j, 1) + gradients(i, 2, j, 2);
                for (int a = 0; a < kAxes; ++a) {
                    for (int b = 0; b < kAxes; ++b) {
                        const int shear = gradients(i, b, j, a) + (a == b ? laplacian : 0);
                        entries_[i][a][j][b] = (lambda * gradients(i, a, j, b) + mu * shear) / 216;
                    }
                }
            }
        }
    }
    [[nodiscard]] double operator()(int i, int a, int j, int b) const { return entries_[i][a][j][b]; }

private:
    double entries_[kCorners][kAxes][kCorners][kAxes];
};

/// The values of rows: unknown 3 i + a is the displacement along axis a of node i. Nodes are numbered x first; those of
/// the clamped face, z = 0, are left out.
class Elasticity {
public:
    Elasticity(const Parameters& p, const Grid& elements)
        : elements_{elements.nx, elements.ny, elements.nz}, modulus_(p), stiffness_(p.real("nu")) {}

    void operator()(index_t row, std::span<double> values) const {
        const std::int64_t node = row / kAxes, nx = elements_[0] + 1, ny = elements_[1] + 1;
        const Cell at{node % nx, node / nx % ny, node / nx / ny + 1};
        Couplings sums{};
        // Elements in the same order for every row, so that sums are symmetric to the last bit.
        for (int corner = kCorners; corner-- > 0;) add_element(at, corner, row % kAxes, sums);
        auto value = values.begin();
        for (int neighbour = 0; neighbour < kNeighbours; ++neighbour) {
            if (is_free(at, neighbour)) value = std::ranges::copy(sums[neighbour], value).out;
        }
    }

private:
    static constexpr int kNeighbours = 27;
    /// Of one unknown to those of the nodes around its own, which lie at -1, 0 or 1 along each axis.
    using Couplings = std::array<std::array<double, kAxes>, kNeighbours>;

    /// Adds what the element gives whose `corner` the node at `at` is, if there is one.
    void add_element(Cell at, int corner, int component, Couplings& sums) const {
        for (int axis = 0; axis < kAxes; ++axis) {
            at[axis] -= coordinate(corner, axis);
            if (at[axis] < 0 || at[axis] >= elements_[axis]) return;
        }
        const double modulus = modulus_(at);
        for (int other = 0; other < kCorners; ++other) {
            auto& sum = sums[neighbour_of(corner, other)];
            for (int b = 0; b < kAxes; ++b) sum[b] += modulus * stiffness_(corner, component, other, b);
        }
    }

    static int neighbour_of(int corner, int other) {
        const auto step = [&](int axis) { return coordinate(other, axis) - coordinate(corner, axis) + 1; };
        return step(0) + 3 * (step(1) + 3 * step(2));
    }

    /// Whether there is such a neighbour and it is not clamped.
    [[nodiscard]] bool is_free(const Cell& at, int neighbour) const {
        const std::int64_t x = at[0] + neighbour % 3 - 1, y = at[1] + neighbour / 3 % 3 - 1,
                           z = at[2] + neighbour / 9 - 1;
        return x >= 0 && x <= elements_[0] && y >= 0 && y <= elements_[1] && z > 0 && z <= elements_[2];
    }

    Cell elements_;
    Checkerboard modulus_;
    ElementMatrix stiffness_;
};

Generated elasticity(const Parameters& p) {
    const Grid elements = grid3d(p), nodes{elements.nx + 1, elements.ny + 1, elements.nz};
    const index_t n = p.dimension({kAxes, nodes.nx, nodes.ny, nodes.nz});
    auto pattern = build_rows(n, n, 81.0 * n, [&](index_t row, std::vector<index_t>& out) {
        append_neighbours(nodes, Stencil::box, row / kAxes, out);
        nodes_to_unknowns(kAxes, out);
    });
    return {std::move(pattern), {}, Elasticity(p, elements)};
}

constexpr std::array kParameters{
    GeneratorParameter{"n", 16, 1, kMaxIndex, true, "elements a side"},
    GeneratorParameter{"nu", 0.3, 0, 0.4999, false, "Poisson's ratio"},
    GeneratorParameter{"jump", 1, 1, 1e12, false, "factor of Young's modulus between blocks, as on a checkerboard"},
    GeneratorParameter{"block", 8, 1, kMaxIndex, true, "elements along an edge of these blocks"},
    GeneratorParameter{"nx", 0, 0, kMaxIndex, true, "elements along x, 0 for n"},
    GeneratorParameter{"ny", 0, 0, kMaxIndex, true, "elements along y, 0 for n"},
    GeneratorParameter{"nz", 0, 0, kMaxIndex, true, "elements along z, 0 for n"},
    kSeed};

}  // namespace

constinit const Generator kElasticity{{"elasticity",
                                       "linear elasticity, n^3 trilinear hexahedra clamped at z = 0: 3 n (n + 1)^2 "
                                       "rows, 9 (3 n + 1)^2 (3 n - 2) nonzeros",
                                       "bone010, boneS10, Flan_1565", kParameters},
                                      elasticity};

}  // namespace tilespmv::synthetic
