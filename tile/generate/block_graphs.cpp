#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <vector>

#include "tile/generate/delaunay.hpp"
#include "tile/generate/generator.hpp"
#include "tile/generate/random.hpp"
#include "tile/generate/random_points.hpp"

/// Graphs with several unknowns a node: a full block for each node, and for each pair of neighbours.
namespace tilespmv::synthetic {
namespace {

void add_block(std::vector<Entry>& out, std::int64_t i, std::int64_t j, std::int64_t dof) {
    for (auto row = i * dof; row < (i + 1) * dof; ++row) {
        for (auto col = j * dof; col < (j + 1) * dof; ++col)
            out.push_back({static_cast<index_t>(row), static_cast<index_t>(col)});
    }
}
void add_blocks(std::vector<Entry>& out, std::int64_t i, std::int64_t j, std::int64_t dof) {
    add_block(out, i, j, dof);
    if (i != j) add_block(out, j, i, dof);
}

Generated pose_graph(const Parameters& p) {
    const std::int64_t n = p.integer("n"), dof = p.integer("dof"), lap = p.integer("lap");
    const double closures = p.real("closures");
    const auto whole = static_cast<std::int64_t>(closures);
    const index_t size = p.dimension({n, dof});
    const double nnz = p.real("dof") * size * (3 + 2 * closures);
    auto pattern = build_entries(size, size, n, nnz, [&](auto k, std::vector<Entry>& out) {
        Random random(p.seed(), 0, k);
        add_blocks(out, k, k, dof);
        if (k == 0) return;
        add_blocks(out, k - 1, k, dof);
        const auto count = whole + (random.chance(closures - static_cast<double>(whole)) ? 1 : 0);
        for (std::int64_t i = 0; i < count; ++i) {
            const auto back = lap > 0 ? lap * (1 + random.below(2)) + random.below(5) - 2 : 1 + random.below(k);
            if (back > 0 && back <= k) add_blocks(out, k - back, k, dof);
        }
    });
    return {std::move(pattern), {ValueRule::Kind::symmetric}};
}

/// Numbers of points, of which a share has traded places with any others.
Buffer<index_t> renumbered(std::uint64_t seed, index_t n, double share) {
    Buffer<index_t> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), index_t{0});
    std::vector<index_t> movers;
    std::ranges::copy_if(numbers, std::back_inserter(movers),
                         [&](index_t i) { return Random(seed, 1, i).chance(share); });
    std::vector<index_t> shuffled(movers);
    const Shuffle anywhere(seed, static_cast<std::uint64_t>(n));
    std::ranges::sort(shuffled, {}, [&](index_t i) { return anywhere(static_cast<std::uint64_t>(i)); });
    for (std::size_t k = 0; k < movers.size(); ++k) numbers[movers[k]] = shuffled[k];
    return numbers;
}

Generated volumes(const Parameters& p) {
    const index_t n = p.index("n");
    const std::int64_t dof = p.integer("dof");
    Buffer<Point> points = random_points(n, p.seed());
    const Buffer<Entry> edges = triangulate({points.data(), points.size()});
    const Buffer<index_t> numbers = renumbered(p.seed(), n, p.real("jitter"));
    const index_t size = p.dimension({n, dof});
    const auto items = n + static_cast<std::int64_t>(edges.size());
    auto pattern = build_entries(size, size, items, 7.0 * p.real("dof") * size, [&](auto k, std::vector<Entry>& out) {
        if (k < n) return add_block(out, k, k, dof);
        const Entry& edge = edges[k - n];
        add_blocks(out, numbers[edge.row], numbers[edge.col], dof);
    });
    return {std::move(pattern), {}};
}

constexpr std::array kPoseGraphParameters{
    GeneratorParameter{"n", 5000, 1, kMaxIndex, true, "poses, each joined to the one before"},
    GeneratorParameter{"dof", 6, 1, 1000, true, "unknowns a pose"},
    GeneratorParameter{"closures", 1, 0, 1000, false, "mean number of earlier poses that a pose is joined to, too"},
    GeneratorParameter{"lap", 0, 0, kMaxIndex, true,
                       "these lie about one or two laps of so many poses back; 0: anywhere before"},
    kSeed};
constexpr std::array kVolumesParameters{
    GeneratorParameter{"n", 9000, 1, 0x1p28, true, "points, numbered by the cuts of a k-d tree"},
    GeneratorParameter{"dof", 4, 1, 1000, true, "unknowns a point"},
    GeneratorParameter{"jitter", 0, 0, 1, false, "share of points that trade numbers with any others"}, kSeed};

}  // namespace

constinit const Generator kPoseGraph{
    {"pose-graph",
     "Hessian of simultaneous localization and mapping, a chain of poses with loop closures, symmetric: dof n rows, "
     "about dof^2 n (3 + 2 closures) nonzeros",
     "the pose graphs sphere, torus3D, parking-garage (dof=6), city10000 (dof=3)", kPoseGraphParameters},
    pose_graph};
constinit const Generator kVolumes{
    {"volumes",
     "finite volumes on a Delaunay triangulation of random points of a square, symmetric pattern, unsymmetric values: "
     "dof n rows, about 7 dof^2 n nonzeros",
     "RM07R, HV15R, PR02R (dof=4 to 7), poisson3Db (dof=1,jitter=1)", kVolumesParameters},
    volumes};

}  // namespace tilespmv::synthetic
