#include <algorithm>
#include <array>
#include <numeric>

#include "tile/generate/generator.hpp"
#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"

/// Discretisations on regular grids, x fastest. All are symmetric positive definite.
namespace tilespmv::synthetic {
namespace {

struct Grid {
    std::int64_t nx = 1, ny = 1, nz = 1;
};

std::int64_t edge(const Parameters& p, std::string_view name) {
    return p.integer(name) > 0 ? p.integer(name) : p.integer("n");
}

Grid grid2d(const Parameters& p) { return {edge(p, "nx"), edge(p, "ny"), 1}; }
Grid grid3d(const Parameters& p) { return {edge(p, "nx"), edge(p, "ny"), edge(p, "nz")}; }

enum class Stencil { star, box };

/// Appends a node and its neighbours, ascending: those that share a face (star) or a corner (box) with it.
void append_neighbours(const Grid& g, Stencil stencil, std::int64_t node, std::vector<index_t>& out) {
    const std::int64_t x = node % g.nx, y = node / g.nx % g.ny, z = node / g.nx / g.ny;
    for (int dz = -(z > 0); dz <= (z + 1 < g.nz); ++dz) {
        for (int dy = -(y > 0); dy <= (y + 1 < g.ny); ++dy) {
            for (int dx = -(x > 0); dx <= (x + 1 < g.nx); ++dx) {
                if (stencil == Stencil::star && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1) continue;
                out.push_back(static_cast<index_t>(node + dx + g.nx * (dy + g.ny * dz)));
            }
        }
    }
}

/// A scalar equation; a full row has `points` entries. Without contrast the diagonal is points - 1, the rest -1.
Generated finite_differences(const Parameters& p, const Grid& g, Stencil stencil, double points) {
    const index_t n = p.dimension({g.nx, g.ny, g.nz});
    auto pattern = build_rows(n, n, points * n,
                              [&](index_t row, std::vector<index_t>& out) { append_neighbours(g, stencil, row, out); });
    return {std::move(pattern), {ValueRule::Kind::dominant, -1, p.real("contrast"), points, 0}};
}

Generated laplace2d(const Parameters& p) { return finite_differences(p, grid2d(p), Stencil::star, 5); }
Generated laplace3d(const Parameters& p) { return finite_differences(p, grid3d(p), Stencil::star, 7); }
Generated stencil27(const Parameters& p) { return finite_differences(p, grid3d(p), Stencil::box, 27); }

/// Numbers of the nodes of a mesh and, for each number, its node.
struct Numbering {
    Buffer<index_t> number;
    Buffer<index_t> node;
};

/// Leaves each node its own number but for a share of them, which trade numbers at random within a window of 512.
Numbering jittered(index_t nodes, double share, std::uint64_t seed) {
    constexpr std::int64_t kWindow = 512;
    Numbering result{Buffer<index_t>(nodes), Buffer<index_t>(nodes)};
    std::iota(result.node.begin(), result.node.end(), 0);
    parallel_ranges(0, nodes, kWindow, [&](std::int64_t first, std::int64_t last) {
        Random random(seed, 0, first);
        std::vector<std::int64_t> chosen;
        for (auto i = first; i < last; ++i) {
            if (random.chance(share)) chosen.push_back(i);
        }
        for (auto left = static_cast<std::int64_t>(chosen.size()); left > 1; --left) {
            std::swap(result.node[chosen[left - 1]], result.node[chosen[random.below(left)]]);
        }
        for (auto i = first; i < last; ++i) result.number[result.node[i]] = static_cast<index_t>(i);
    });
    return result;
}

Generated fem(const Parameters& p) {
    const Grid g = grid3d(p);
    const index_t dof = p.index("dof"), nodes = p.dimension({g.nx, g.ny, g.nz}), n = p.dimension({nodes, dof});
    const double full_row = 27.0 * dof;
    const Numbering numbering = jittered(nodes, p.real("jitter"), p.seed());
    auto pattern = build_rows(n, n, full_row * n, [&](index_t row, std::vector<index_t>& out) {
        append_neighbours(g, Stencil::box, numbering.node[row / dof], out);
        for (index_t& neighbour : out) neighbour = numbering.number[neighbour];
        std::ranges::sort(out);
        const std::size_t neighbours = out.size();
        out.resize(neighbours * dof);
        for (std::size_t i = out.size(); i-- > 0;) out[i] = out[i / dof] * dof + static_cast<index_t>(i % dof);
    });
    return {std::move(pattern), {ValueRule::Kind::dominant, 0, 1, full_row, 0}};
}

constexpr GeneratorParameter kNx{"nx", 0, 0, kMaxIndex, true, "grid points along x, 0 for n"};
constexpr GeneratorParameter kNy{"ny", 0, 0, kMaxIndex, true, "grid points along y, 0 for n"};
constexpr GeneratorParameter kNz{"nz", 0, 0, kMaxIndex, true, "grid points along z, 0 for n"};
constexpr GeneratorParameter kContrast{
    "contrast", 0, 0, 0.99, false, "couplings are -1 + contrast * u, u random in [-1, 1); 0 is the textbook matrix"};

constexpr GeneratorParameter edge_parameter(double n) { return {"n", n, 1, kMaxIndex, true, "grid points a side"}; }

constexpr std::array kParameters2d{edge_parameter(450), kNx, kNy, kContrast, kSeed};
constexpr std::array kParameters7{edge_parameter(53), kNx, kNy, kNz, kContrast, kSeed};
constexpr std::array kParameters27{edge_parameter(34), kNx, kNy, kNz, kContrast, kSeed};
constexpr std::array kFemParameters{
    GeneratorParameter{"n", 17, 1, kMaxIndex, true, "nodes a side"},
    GeneratorParameter{"dof", 3, 1, 1024, true, "unknowns a node"},
    GeneratorParameter{"jitter", 0, 0, 1, false, "share of nodes that trade numbers within a window of 512"},
    kNx,
    kNy,
    kNz,
    kSeed};

}  // namespace

constinit const Generator kLaplace2d{
    {"laplace2d", "5-point Laplacian on a 2D grid, Dirichlet boundary: n^2 rows, 5 n^2 - 4 n nonzeros",
     "ecology1, ecology2, mc2depi", kParameters2d},
    laplace2d};
constinit const Generator kLaplace3d{
    {"laplace3d", "7-point Laplacian on a 3D grid, Dirichlet boundary: n^3 rows, 7 n^3 - 6 n^2 nonzeros",
     "apache2, atmosmodd, atmosmodl", kParameters7},
    laplace3d};
constinit const Generator kStencil27{
    {"stencil27", "27-point stencil on a 3D grid, Dirichlet boundary: n^3 rows, (3 n - 2)^3 nonzeros",
     "the HPCG benchmark, the Hessian of nlpkkt80 to nlpkkt240", kParameters27},
    stencil27};
constinit const Generator kFem{
    {"fem", "hexahedral 3D mesh of n^3 nodes with several unknowns each: dof n^3 rows, dof^2 (3 n - 2)^3 nonzeros",
     "Flan_1565, Bump_2911, Queen_4147, audikw_1, cant (dof=3); pwtk, shipsec1 (dof=6)", kFemParameters},
    fem};

}  // namespace tilespmv::synthetic
