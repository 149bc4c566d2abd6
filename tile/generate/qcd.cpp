#include <array>

#include "tile/generate/generator.hpp"

namespace tilespmv::synthetic {
namespace {

constexpr index_t kColours = 3;
constexpr index_t kSpins = 4;

/// A periodic 4D lattice, three space directions and time, the first fastest.
class Lattice {
public:
    Lattice(index_t space, index_t time) : edge_{space, space, space, time} {
        for (int d = 1; d < 4; ++d) stride_[d] = stride_[d - 1] * edge_[d - 1];
    }
    /// The site one step (+1 or -1) along a direction.
    [[nodiscard]] index_t neighbour(index_t site, int direction, int step) const {
        const index_t edge = edge_[direction], stride = stride_[direction];
        const index_t at = site / stride % edge, next = (at + step + edge) % edge;
        return site + (next - at) * stride;
    }

private:
    std::array<index_t, 4> edge_;
    std::array<index_t, 4> stride_{1, 1, 1, 1};
};

void append_colours(index_t site, index_t spin, std::vector<index_t>& out) {
    for (index_t colour = 0; colour < kColours; ++colour) out.push_back((site * kSpins + spin) * kColours + colour);
}

/// The hopping term of the Wilson fermion matrix. Along x and y, 1 -+ gamma couples a spin to itself and to 3 - spin,
/// along z to itself and to the one two further on; along the time it projects: two spins hop back, two forward.
Generated qcd(const Parameters& p) {
    const index_t space = p.index("n"), time = p.index("nt") > 0 ? p.index("nt") : space;
    const index_t n = p.dimension({space, space, space, time, kSpins * kColours});
    const Lattice lattice(space, time);
    auto pattern = build_rows(n, n, 39.0 * n, [&](index_t row, std::vector<index_t>& out) {
        const index_t site = row / (kSpins * kColours), spin = row / kColours % kSpins;
        for (int direction = 0; direction < 3; ++direction) {
            const index_t partner = direction < 2 ? 3 - spin : (spin + 2) % 4;
            for (const int step : {-1, 1}) {
                append_colours(lattice.neighbour(site, direction, step), spin, out);
                append_colours(lattice.neighbour(site, direction, step), partner, out);
            }
        }
        append_colours(lattice.neighbour(site, 3, spin < 2 ? -1 : 1), spin, out);
    });
    return {std::move(pattern), {}};
}

constexpr std::array kParameters{GeneratorParameter{"n", 8, 3, kMaxIndex, true, "sites along each space direction"},
                                 GeneratorParameter{"nt", 0, 0, kMaxIndex, true, "sites along the time, 0 for n"},
                                 kSeed};

}  // namespace

constinit const Generator kQcd{
    {"qcd", "Wilson hopping matrix on a periodic 4D lattice: 12 n^3 nt rows, 39 nonzeros in each",
     "conf5_4-8x8-05 (n=8), conf5_0-4x4-10 (n=4), conf6_0-8x8-80", kParameters},
    qcd};

}  // namespace tilespmv::synthetic
