#include <algorithm>
#include <array>

#include "tile/generate/generator.hpp"
#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"

/// Networks of short rows: roads and circuits.
namespace tilespmv::synthetic {
namespace {

/// Junctions on a square grid, joined to their right and lower neighbours by roads with vertices along them. The
/// vertices of a junction's two roads are numbered after it.
class Roads {
public:
    explicit Roads(const Parameters& p)
        : n_(p.integer("n")),
          chain_(p.integer("chain")),
          seed_(p.seed()),
          base_(static_cast<std::size_t>(p.dimension({n_, n_})) + 1) {
        base_[0] = 0;
        parallel_for(0, junctions(), 4096, [&](std::int64_t k) { base_[k + 1] = 1 + length(k, 0) + length(k, 1); });
        for (std::int64_t k = 0; k < junctions(); ++k) base_[k + 1] += base_[k];
    }

    [[nodiscard]] std::int64_t junctions() const { return n_ * n_; }
    [[nodiscard]] std::int64_t vertices() const { return base_[junctions()]; }

    void emit(std::int64_t k, std::vector<Entry>& out) const {
        if (exists(k, 0)) emit_road(base_[k], base_[k] + 1, length(k, 0), base_[k + 1], out);
        if (exists(k, 1)) emit_road(base_[k], base_[k] + 1 + length(k, 0), length(k, 1), base_[k + n_], out);
    }

private:
    /// Road 0 leads to the right, road 1 down; three of four are there.
    [[nodiscard]] bool exists(std::int64_t k, int road) const {
        const bool inside = road == 0 ? k % n_ + 1 < n_ : k / n_ + 1 < n_;
        return inside && Random(seed_, 0, 2 * k + road).chance(0.75);
    }
    /// Vertices along a road.
    [[nodiscard]] std::int64_t length(std::int64_t k, int road) const {
        return exists(k, road) ? Random(seed_, 1, 2 * k + road).below(2 * chain_ + 1) : 0;
    }
    static void emit_road(std::int64_t from, std::int64_t first, std::int64_t length, std::int64_t to,
                          std::vector<Entry>& out) {
        for (auto vertex = first; vertex < first + length; ++vertex) {
            add_symmetric(out, from, vertex);
            from = vertex;
        }
        add_symmetric(out, from, to);
    }

    std::int64_t n_;
    std::int64_t chain_;
    std::uint64_t seed_;
    Buffer<offset_t> base_;
};

Generated road_like(const Parameters& p) {
    const Roads roads(p);
    const index_t n = p.dimension({roads.vertices()});
    auto pattern =
        build_entries(n, n, roads.junctions(), 3.0 * n, [&](auto k, std::vector<Entry>& out) { roads.emit(k, out); });
    return {std::move(pattern), {ValueRule::Kind::symmetric}};
}

void add_diagonal(std::vector<Entry>& out, std::int64_t k) {
    out.push_back({static_cast<index_t>(k), static_cast<index_t>(k)});
}

/// Appends entries (k, j) and (j, k) for `count` random j within `reach` after k.
void couple_nearby(std::int64_t k, std::int64_t n, std::int64_t count, std::int64_t reach, Random& random,
                   std::vector<Entry>& out) {
    for (std::int64_t i = 0; i < count; ++i) {
        const auto j = k + 1 + random.below(reach);
        if (j < n) add_symmetric(out, k, j);
    }
}

Generated circuit(const Parameters& p) {
    p.require_at_most("rails", p.real("n"));
    const std::int64_t n = p.integer("n"), near = p.integer("near"), reach = p.integer("reach");
    const std::int64_t rails = p.integer("rails");
    const double far = p.real("far"), fill = p.real("fill");
    const double nnz = static_cast<double>(n) * (1 + 2.0 * (p.real("near") + far + p.real("rails") * fill));
    auto pattern = build_entries(p.index("n"), p.index("n"), n, nnz, [&](auto k, std::vector<Entry>& out) {
        Random random(p.seed(), 0, k);
        add_diagonal(out, k);
        couple_nearby(k, n, near, reach, random, out);
        if (random.chance(far)) add_symmetric(out, k, random.below(n));
        for (std::int64_t rail = 0; rail < rails; ++rail) {
            if (random.chance(fill)) add_symmetric(out, k, (2 * rail + 1) * n / (2 * rails));
        }
    });
    return {std::move(pattern), {}};
}

Generated kkt(const Parameters& p) {
    const std::int64_t n = p.integer("n"), m = p.integer("m") > 0 ? p.integer("m") : n / 2;
    const std::int64_t coupling = p.integer("coupling"), per_row = p.integer("per_row"), reach = p.integer("reach");
    const index_t size = p.dimension({n + m});
    const double nnz = static_cast<double>(n) * (1 + 2.0 * p.real("coupling")) + 2.0 * p.real("per_row") * m;
    auto pattern = build_entries(size, size, size, nnz, [&](auto k, std::vector<Entry>& out) {
        Random random(p.seed(), 0, k);
        if (k < n) {
            add_diagonal(out, k);
            return couple_nearby(k, n, coupling, reach, random, out);
        }
        const std::int64_t middle = (k - n) * n / m;
        for (std::int64_t i = 0; i < per_row; ++i) {
            const auto col = std::clamp<std::int64_t>(middle + random.below(reach) - reach / 2, 0, n - 1);
            add_symmetric(out, k, col);
        }
    });
    return {std::move(pattern), {ValueRule::Kind::dominant, 0, 1, 0, 1}};
}

constexpr std::array kRoadParameters{
    GeneratorParameter{"n", 300, 1, 46340, true, "junctions along each side of the backbone"},
    GeneratorParameter{"chain", 2, 0, 1e6, true, "mean number of vertices along a road"}, kSeed};
constexpr std::array kCircuitParameters{
    GeneratorParameter{"n", 150000, 0, kMaxIndex, true, "nodes"},
    GeneratorParameter{"near", 2, 0, 1e6, true, "couplings drawn from each node to the next ones"},
    GeneratorParameter{"reach", 16, 1, kMaxIndex, true, "how far these go"},
    GeneratorParameter{"far", 0.5, 0, 1, false, "share of nodes with a coupling to anywhere"},
    GeneratorParameter{"rails", 4, 0, 1e6, true, "nodes that very many others are tied to"},
    GeneratorParameter{"fill", 0.02, 0, 1, false, "share of the nodes tied to each rail"},
    kSeed};
constexpr std::array kKktParameters{
    GeneratorParameter{"n", 100000, 1, kMaxIndex, true, "unknowns, the order of H"},
    GeneratorParameter{"m", 0, 0, kMaxIndex, true, "constraints, the rows of A; 0 for n / 2"},
    GeneratorParameter{"coupling", 3, 0, 1e6, true, "couplings drawn from each unknown to the next ones"},
    GeneratorParameter{"per_row", 4, 0, 1e6, true, "columns drawn for a constraint"},
    GeneratorParameter{"reach", 64, 1, kMaxIndex, true, "how far couplings and the columns of a constraint spread"},
    kSeed};

}  // namespace

constinit const Generator kRoadLike{
    {"road-like",
     "planar backbone of n^2 junctions with chains along its roads, undirected: about n^2 (1 + 1.5 chain) rows, "
     "3 n^2 (1 + chain) nonzeros",
     "roadNet-CA, road_usa (chain=1), europe_osm (chain=5)", kRoadParameters},
    road_like};
constinit const Generator kCircuit{
    {"circuit",
     "couplings to near nodes, some to far ones, and a few very long rows and columns; symmetric pattern, unsymmetric "
     "values: n rows, about n (1 + 2 near + 2 far + 2 rails fill) nonzeros",
     "circuit5M, FullChip, ASIC_680k, rajat31, memchip", kCircuitParameters},
    circuit};
constinit const Generator kKkt{
    {"kkt",
     "saddle point [H A^T; A 0], H symmetric positive definite, both sparse and local: n + m rows, about "
     "n (1 + 2 coupling) + 2 m per_row nonzeros",
     "nlpkkt80 to nlpkkt240, kkt_power, boyd2, cvxqp3, stokes128", kKktParameters},
    kkt};

}  // namespace tilespmv::synthetic
