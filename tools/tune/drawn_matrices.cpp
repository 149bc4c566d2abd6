#include "tools/tune/drawn_matrices.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "tile/generate/random.hpp"

namespace tilespmv::tools {
namespace {

/// What is drawn for one matrix.
class Draw {
public:
    Draw(std::size_t kind, int number, double least_nonzeros, double most_nonzeros)
        : random_(kSeed, kind, number), nonzeros_(log_real(least_nonzeros, most_nonzeros)) {}

    /// About so many nonzeros.
    [[nodiscard]] double nonzeros() const { return nonzeros_; }
    double real(double low, double high) { return low + (high - low) * random_.unit(); }
    double log_real(double low, double high) { return low * std::pow(high / low, random_.unit()); }
    std::int64_t log_whole(double low, double high) { return whole(log_real(low, high)); }
    bool chance(double probability) { return random_.chance(probability); }

    static std::int64_t whole(double amount) { return std::llround(amount); }
    /// Points of a grid along each side, for so many points.
    std::string grid3(double points) {
        const double x = log_real(0.5, 2);
        const double y = log_real(0.5, 2);
        const double side = std::cbrt(points);
        return fmt::format("nx={},ny={},nz={}", side_of(side * x), side_of(side * y), side_of(side / (x * y)));
    }

private:
    static constexpr std::uint64_t kSeed = 1;
    static std::int64_t side_of(double length) { return std::max(whole(length), std::int64_t{2}); }

    synthetic::Random random_;
    double nonzeros_;
};

std::string laplace2d(Draw& d) {
    const double aspect = d.log_real(0.05, 20);
    const double points = d.nonzeros() / 5;
    return fmt::format("nx={},ny={}", Draw::whole(std::sqrt(points * aspect)), Draw::whole(std::sqrt(points / aspect)));
}
std::string laplace3d(Draw& d) { return d.grid3(d.nonzeros() / 7); }
std::string stencil27(Draw& d) { return d.grid3(d.nonzeros() / 27); }
std::string fem(Draw& d) {
    const auto dof = d.log_whole(1, 6);
    return fmt::format("dof={},{}", dof, d.grid3(d.nonzeros() / static_cast<double>(27 * dof * dof)));
}
std::string renumbered_fem(Draw& d) {
    const double jitter = d.log_real(0.02, 1);
    return fmt::format("jitter={:.2g},{}", jitter, fem(d));
}
std::string elasticity(Draw& d) { return d.grid3(d.nonzeros() / 243); }
std::string banded(Draw& d) {
    const auto half = d.log_whole(1, 250);
    return fmt::format("n={},half={}",
                       std::max(Draw::whole(d.nonzeros() / static_cast<double>(2 * half + 1)), 3 * half), half);
}
std::string block_dense(Draw& d) {
    const auto block = d.log_whole(2, 24);
    const auto blocks = d.log_whole(1, 20);
    const auto in_row = block * blocks;
    return fmt::format("n={},block={},blocks_per_row={}",
                       std::max(Draw::whole(d.nonzeros() / static_cast<double>(in_row)), 2 * in_row), block, blocks);
}
std::string qcd(Draw& d) {
    const auto n = d.log_whole(3, std::clamp(std::cbrt(d.nonzeros() / (4 * 468)), 3.0, 16.0));
    return fmt::format("n={},nt={}", n,
                       std::max(Draw::whole(d.nonzeros() / static_cast<double>(468 * n * n * n)), std::int64_t{2}));
}
std::string dense(Draw& d) {
    const double aspect = d.log_real(0.003, 100);
    return fmt::format("rows={},cols={}", Draw::whole(std::sqrt(d.nonzeros() * aspect)),
                       Draw::whole(std::sqrt(d.nonzeros() / aspect)));
}
std::string uniform(Draw& d) {
    const auto per_row = d.log_whole(1, 1500);
    const auto rows = Draw::whole(d.nonzeros() / static_cast<double>(per_row));
    const bool is_square = d.chance(0.4) && rows > 2 * per_row;
    return fmt::format("n={},cols={},per_row={}", rows,
                       is_square ? rows : d.log_whole(2 * static_cast<double>(per_row), 1e6), per_row);
}
std::string rmat(Draw& d) {
    const double degree = d.log_real(2, 60);
    const double a = d.real(0.3, 0.6);
    return fmt::format("scale={},degree={},a={:.3f},b={:.3f},c={:.3f}", Draw::whole(std::log2(d.nonzeros() / degree)),
                       Draw::whole(degree), a, 0.44 * (1 - a), 0.44 * (1 - a));
}
std::string kronecker(Draw& d) {
    const double degree = d.log_real(3, 40);
    return fmt::format("scale={},degree={}", Draw::whole(std::log2(d.nonzeros() / (2 * degree))), Draw::whole(degree));
}
std::string powerlaw(Draw& d) {
    const double degree = d.log_real(2, 60);
    return fmt::format("n={},degree={},exponent={:.2f}", Draw::whole(d.nonzeros() / degree), Draw::whole(degree),
                       d.real(0.2, 0.9));
}
std::string circuit(Draw& d) {
    const auto near = d.log_whole(1, 5);
    const auto rails = d.log_whole(1, 12) - 1;
    const double far = d.real(0, 1);
    const double fill = d.log_real(0.001, 0.05);
    const double in_row = 1 + 2 * (static_cast<double>(near) + far + static_cast<double>(rails) * fill);
    return fmt::format("n={},near={},far={:.2f},rails={},fill={:.4f},reach={}", Draw::whole(d.nonzeros() / in_row),
                       near, far, rails, fill, d.log_whole(4, 2000));
}
std::string road_like(Draw& d) {
    const auto chain = d.log_whole(1, 8);
    return fmt::format("n={},chain={}", Draw::whole(std::sqrt(d.nonzeros() / (3.0 * static_cast<double>(1 + chain)))),
                       chain);
}
std::string delaunay(Draw& d) { return fmt::format("n={}", Draw::whole(d.nonzeros() / 6)); }
std::string rgg(Draw& d) {
    const double degree = d.log_real(3, 80);
    return fmt::format("n={},degree={}", Draw::whole(d.nonzeros() / degree), Draw::whole(degree));
}
std::string kkt(Draw& d) {
    const auto coupling = d.log_whole(1, 10);
    const auto per_row = d.log_whole(2, 16);
    const double constraints = d.real(0.1, 1);  // for each unknown
    const double n =
        d.nonzeros() / (1 + 2 * static_cast<double>(coupling) + 2 * constraints * static_cast<double>(per_row));
    return fmt::format("n={},m={},coupling={},per_row={},reach={}", Draw::whole(n), Draw::whole(n * constraints),
                       coupling, per_row, d.log_whole(16, std::min(n / 2, 20'000.0)));
}
std::string arrow(Draw& d) {
    const auto width = d.log_whole(1, 20);
    const auto half = d.log_whole(1, 8);
    return fmt::format("n={},width={},half={}", Draw::whole(d.nonzeros() / static_cast<double>(2 * (width + half) + 1)),
                       width, half);
}
std::string hypersparse(Draw& d) {
    const double nonzeros = std::min(d.nonzeros(), 3e6);
    return fmt::format("n={},nnz={}", Draw::whole(nonzeros * d.log_real(1.5, 20)), Draw::whole(nonzeros));
}

/// Of pruned neural networks and tables of features: few columns, none of them rare, and rows of many lengths.
std::string pruned(Draw& d) {
    const auto cols = d.log_whole(250, 40'000);
    const auto per_row = std::max(Draw::whole(static_cast<double>(cols) * d.log_real(0.005, 0.6)), std::int64_t{2});
    return fmt::format("n={},cols={},per_row={},spread={:.2f}",
                       Draw::whole(d.nonzeros() / static_cast<double>(per_row)), cols, per_row, d.real(0.05, 0.95));
}
std::string web(Draw& d) {
    const double degree = d.log_real(3, 60);
    return fmt::format("n={},degree={},exponent={:.2f},site={},near={:.2f},run={}", Draw::whole(d.nonzeros() / degree),
                       Draw::whole(degree), d.real(0.25, 0.85), d.log_whole(20, 3000), d.real(0.4, 1),
                       d.log_whole(1, 12));
}
std::string pose_graph(Draw& d) {
    const auto dof = d.log_whole(2, 7);
    const double closures = d.real(0, 3);
    const double in_block_row = static_cast<double>(dof * dof) * (3 + 2 * closures);
    return fmt::format("n={},dof={},closures={:.2f},lap={}", Draw::whole(d.nonzeros() / in_block_row), dof, closures,
                       d.chance(0.5) ? 0 : d.log_whole(20, 3000));
}
std::string volumes(Draw& d) {
    const auto dof = d.log_whole(1, 8);
    return fmt::format("n={},dof={},jitter={:.2g}", Draw::whole(d.nonzeros() / static_cast<double>(7 * dof * dof)), dof,
                       d.chance(0.5) ? 0 : d.log_real(0.02, 1));
}
/// Of layers that are not pruned: sides of about the same length, which are multiples of powers of 2.
std::string layer(Draw& d) {
    const double aspect = d.log_real(0.1, 10);
    const auto unit = std::int64_t{1} << Draw::whole(d.real(0, 7));
    const auto multiple = [unit](double length) {
        return unit * std::max(Draw::whole(length / static_cast<double>(unit)), std::int64_t{1});
    };
    return fmt::format("rows={},cols={}", multiple(std::sqrt(d.nonzeros() * aspect)),
                       multiple(std::sqrt(d.nonzeros() / aspect)));
}
/// Of incidences and features that are hashed: many times as many columns as rows, an x that few rows share.
std::string wide(Draw& d) {
    const auto per_row = d.log_whole(4, 120);
    const double rows = d.nonzeros() / static_cast<double>(per_row);
    return fmt::format("n={},cols={},per_row={}", Draw::whole(rows),
                       Draw::whole(std::min(rows * d.log_real(2, 60), 3e6)), per_row);
}

/// A kind of matrices, and how many of it are drawn. New ones are put at the end, so that the others stay as they are.
struct DrawnKind {
    std::string_view kind;
    std::string (*draw)(Draw&);
    int count;
    double least_nonzeros = 2e4;
    double most_nonzeros = 1.5e7;
};

/// Nonzeros of most matrices for which one model of all operators chooses (`SmallModel`): of such there are more.
constexpr double kSmallFrom = 6e4;
constexpr double kSmallTo = 1.2e6;

constexpr DrawnKind kKinds[] = {
    {"laplace2d", laplace2d, 20},
    {"laplace3d", laplace3d, 20},
    {"stencil27", stencil27, 16},
    {"fem", fem, 30},
    {"fem", renumbered_fem, 24},
    {"elasticity", elasticity, 10},
    {"banded", banded, 24},
    {"block-dense", block_dense, 30},
    {"qcd", qcd, 10},
    {"dense", dense, 16},
    {"uniform", uniform, 40},
    {"rmat", rmat, 36},
    {"kronecker", kronecker, 14},
    {"powerlaw", powerlaw, 36},
    {"circuit", circuit, 40},
    {"road-like", road_like, 20},
    {"delaunay", delaunay, 16},
    {"rgg", rgg, 26},
    {"kkt", kkt, 36},
    {"arrow", arrow, 14},
    {"hypersparse", hypersparse, 12},
    {"uniform", pruned, 28},
    {"web", web, 40},
    {"pose-graph", pose_graph, 20},
    {"volumes", volumes, 28},
    {"dense", layer, 24},
    {"uniform", wide, 20},
    {"block-dense", block_dense, 24},
    {"fem", fem, 20},
    {"banded", banded, 20},
    {"fem", renumbered_fem, 14},
    {"laplace2d", laplace2d, 6, kSmallFrom, kSmallTo},
    {"laplace3d", laplace3d, 6, kSmallFrom, kSmallTo},
    {"stencil27", stencil27, 5, kSmallFrom, kSmallTo},
    {"fem", fem, 6, kSmallFrom, kSmallTo},
    {"fem", renumbered_fem, 10, kSmallFrom, kSmallTo},
    {"banded", banded, 6, kSmallFrom, kSmallTo},
    {"block-dense", block_dense, 8, kSmallFrom, kSmallTo},
    {"qcd", qcd, 2, kSmallFrom, kSmallTo},
    {"dense", dense, 8, kSmallFrom, kSmallTo},
    {"dense", layer, 6, kSmallFrom, kSmallTo},
    {"uniform", uniform, 30, kSmallFrom, kSmallTo},
    {"uniform", pruned, 12, kSmallFrom, kSmallTo},
    {"uniform", wide, 8, kSmallFrom, kSmallTo},
    {"rmat", rmat, 16, kSmallFrom, kSmallTo},
    {"kronecker", kronecker, 6, kSmallFrom, kSmallTo},
    {"powerlaw", powerlaw, 18, kSmallFrom, kSmallTo},
    {"circuit", circuit, 16, kSmallFrom, kSmallTo},
    {"road-like", road_like, 6, kSmallFrom, kSmallTo},
    {"delaunay", delaunay, 8, kSmallFrom, kSmallTo},
    {"rgg", rgg, 12, kSmallFrom, kSmallTo},
    {"kkt", kkt, 16, kSmallFrom, kSmallTo},
    {"arrow", arrow, 12, kSmallFrom, kSmallTo},
    {"hypersparse", hypersparse, 6, kSmallFrom, kSmallTo},
    {"web", web, 14, kSmallFrom, kSmallTo},
    {"pose-graph", pose_graph, 8, kSmallFrom, kSmallTo},
    {"volumes", volumes, 8, kSmallFrom, kSmallTo},
};

}  // namespace

std::vector<std::string> drawn_matrices() {
    std::vector<std::string> all;
    for (std::size_t kind = 0; kind < std::size(kKinds); ++kind) {
        const DrawnKind& one = kKinds[kind];
        for (int i = 0; i < one.count; ++i) {
            Draw draw(kind, i, one.least_nonzeros, one.most_nonzeros);
            all.push_back(fmt::format("gen:{}:{}", one.kind, one.draw(draw)));
        }
    }
    return all;
}

}  // namespace tilespmv::tools
