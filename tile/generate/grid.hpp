#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tile/generate/generator.hpp"

/// What discretisations on regular grids share. x is the fastest.
namespace tilespmv::synthetic {

struct Grid {
    std::int64_t nx = 1, ny = 1, nz = 1;
};

/// The grids that the parameters n, nx, ny (and nz) name; 0 stands for n.
Grid grid2d(const Parameters& p);
Grid grid3d(const Parameters& p);

enum class Stencil { star, box };

/// Appends a node and its neighbours, ascending: those that share a face (star) or a corner (box) with it.
void append_neighbours(const Grid& g, Stencil stencil, std::int64_t node, std::vector<index_t>& out);

/// Replaces each node by its `dof` unknowns, which are consecutive.
void nodes_to_unknowns(index_t dof, std::vector<index_t>& nodes);

/// A cell by its position, or sizes along x, y, z.
using Cell = std::array<std::int64_t, 3>;

/// A coefficient that jumps (the parameters jump and block): 1 in cubes of `block` cells a side and `jump` in those
/// that share a face with them.
class Checkerboard {
public:
    explicit Checkerboard(const Parameters& p) : jump_(p.real("jump")), block_(p.integer("block")) {}

    double operator()(const Cell& cell) const {
        if (jump_ == 1) return 1;  // saves the divisions
        return (cell[0] / block_ + cell[1] / block_ + cell[2] / block_) % 2 == 0 ? 1 : jump_;
    }

private:
    double jump_;
    std::int64_t block_;
};

inline constexpr GeneratorParameter kNx{"nx", 0, 0, kMaxIndex, true, "grid points along x, 0 for n"};
inline constexpr GeneratorParameter kNy{"ny", 0, 0, kMaxIndex, true, "grid points along y, 0 for n"};
inline constexpr GeneratorParameter kNz{"nz", 0, 0, kMaxIndex, true, "grid points along z, 0 for n"};
inline constexpr GeneratorParameter kContrast{
    "contrast", 0, 0, 0.99, false, "couplings are -1 + contrast * u, u random in [-1, 1); 0 is the textbook matrix"};
constexpr GeneratorParameter edge_parameter(double n) { return {"n", n, 1, kMaxIndex, true, "grid points a side"}; }

}  // namespace tilespmv::synthetic
