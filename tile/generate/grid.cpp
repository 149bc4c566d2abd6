#include <algorithm>
#include <numeric>

#include "tile/generate/grid.hpp"
#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"

/// Discretisations on regular grids, x fastest. All are symmetric positive definite.
namespace tilespmv::synthetic {
namespace {

std::int64_t edge(const Parameters& p, std::string_view name) {
    return p.integer(name) > 0 ? p.integer(name) : p.integer("n");
}

/// Without contrast the diagonal is 26, the rest -1.
Generated stencil27(const Parameters& p) {
    const Grid g = grid3d(p);
    const index_t n = p.dimension({g.nx, g.ny, g.nz});
    auto pattern = build_rows(
        n, n, 27.0 * n, [&](index_t row, std::vector<index_t>& out) { append_neighbours(g, Stencil::box, row, out); });
    return {std::move(pattern), {ValueRule::Kind::dominant, -1, p.real("contrast"), 27, 0}};
}

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
        nodes_to_unknowns(dof, out);
    });
    return {std::move(pattern), {ValueRule::Kind::dominant, 0, 1, full_row, 0}};
}

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

Grid grid2d(const Parameters& p) { return {edge(p, "nx"), edge(p, "ny"), 1}; }
Grid grid3d(const Parameters& p) { return {edge(p, "nx"), edge(p, "ny"), edge(p, "nz")}; }

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

void nodes_to_unknowns(index_t dof, std::vector<index_t>& nodes) {
    nodes.resize(nodes.size() * dof);
    for (std::size_t i = nodes.size(); i-- > 0;) nodes[i] = nodes[i / dof] * dof + static_cast<index_t>(i % dof);
}

constinit const Generator kStencil27{
    {"stencil27", "27-point stencil on a 3D grid, Dirichlet boundary: n^3 rows, (3 n - 2)^3 nonzeros",
     "the HPCG benchmark, the Hessian of nlpkkt80 to nlpkkt240", kParameters27},
    stencil27};
constinit const Generator kFem{
    {"fem", "hexahedral 3D mesh of n^3 nodes with several unknowns each: dof n^3 rows, dof^2 (3 n - 2)^3 nonzeros",
     "Flan_1565, Bump_2911, Queen_4147, audikw_1, cant (dof=3); pwtk, shipsec1 (dof=6)", kFemParameters},
    fem};

}  // namespace tilespmv::synthetic
