#include <algorithm>
#include <array>

#include "tile/generate/delaunay.hpp"
#include "tile/generate/generator.hpp"
#include "tile/generate/random_points.hpp"

/// Graphs on random points of the unit square.
namespace tilespmv::synthetic {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Spreads the low 30 bits to the even positions.
std::uint64_t spread(std::uint64_t x) {
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
}

/// Position on the Morton (Z) curve.
std::uint64_t morton(std::uint64_t x, std::uint64_t y) { return spread(x) | spread(y) << 1; }

Generated delaunay(const Parameters& p) {
    const index_t n = p.index("n");
    Buffer<Point> points = random_points(n, p.seed());
    const Buffer<Entry> edges = triangulate({points.data(), points.size()});
    auto pattern =
        build_entries(n, n, static_cast<std::int64_t>(edges.size()), 6.0 * n,
                      [&](auto k, std::vector<Entry>& out) { add_symmetric(out, edges[k].row, edges[k].col); });
    return {std::move(pattern), {ValueRule::Kind::symmetric}};
}

/// Points on the Morton curve, and a grid of cells, also on it, to look for neighbours in.
class CellGrid {
public:
    /// Cells are no smaller than the radius, whose square is given in units of 2^-60.
    CellGrid(Buffer<Point> points, double radius2) : points_(std::move(points)), radius2_(radius2) {
        while (bits_ < 15 && cell_edge2(bits_ + 1) >= radius2) ++bits_;
        std::sort(points_.begin(), points_.end(), [](Point a, Point b) { return morton(a.x, a.y) < morton(b.x, b.y); });
        const auto cells = std::size_t{1} << (2 * bits_);
        start_ = Buffer<index_t>(cells + 1, 0);
        for (const Point& point : points_) ++start_[cell(coordinate(point.x), coordinate(point.y)) + 1];
        for (std::size_t c = 0; c < cells; ++c) start_[c + 1] += start_[c];
    }

    /// Appends the points within the radius of point i.
    void append_neighbours(index_t i, std::vector<index_t>& out) const {
        const std::int64_t x = coordinate(points_[i].x), y = coordinate(points_[i].y), last = (1 << bits_) - 1;
        for (auto cy = std::max<std::int64_t>(y - 1, 0); cy <= std::min(y + 1, last); ++cy) {
            for (auto cx = std::max<std::int64_t>(x - 1, 0); cx <= std::min(x + 1, last); ++cx) {
                append_close(i, cell(cx, cy), out);
            }
        }
    }

private:
    [[nodiscard]] static double cell_edge2(int bits) {
        return static_cast<double>(std::int64_t{1} << (2 * (kCoordinateBits - bits)));
    }
    [[nodiscard]] std::int64_t coordinate(std::int64_t x) const { return x >> (kCoordinateBits - bits_); }
    [[nodiscard]] static std::uint64_t cell(std::int64_t x, std::int64_t y) {
        return morton(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
    }
    void append_close(index_t i, std::uint64_t cell, std::vector<index_t>& out) const {
        for (index_t j = start_[cell]; j < start_[cell + 1]; ++j) {
            const std::int64_t dx = points_[i].x - points_[j].x, dy = points_[i].y - points_[j].y;
            if (j != i && static_cast<double>(dx * dx + dy * dy) <= radius2_) out.push_back(j);
        }
    }

    Buffer<Point> points_;
    double radius2_;
    int bits_ = 0;
    Buffer<index_t> start_;
};

Generated rgg(const Parameters& p) {
    const index_t n = p.index("n");
    const double radius2 = p.real("degree") / (kPi * std::max(n, 1)) * 0x1p60;
    const CellGrid grid(random_points(n, p.seed()), radius2);
    auto pattern = build_rows(n, n, std::min<double>(p.real("degree"), n) * n,
                              [&](index_t row, std::vector<index_t>& out) { grid.append_neighbours(row, out); });
    return {std::move(pattern), {ValueRule::Kind::symmetric}};
}

constexpr std::array kDelaunayParameters{
    GeneratorParameter{"n", 170000, 0, 0x1p28, true, "points, numbered by the cuts of a k-d tree"}, kSeed};
constexpr std::array kRggParameters{
    GeneratorParameter{"n", 65536, 0, 0x1p30, true, "points, numbered along a Z curve"},
    GeneratorParameter{"degree", 16, 0, kMaxIndex, false, "mean neighbours of a point far from the boundary"}, kSeed};

}  // namespace

constinit const Generator kDelaunay{
    {"delaunay", "Delaunay triangulation of random points of a square, undirected: n rows, about 6 n nonzeros",
     "delaunay_n10 to delaunay_n24, AS365, M6, NLR", kDelaunayParameters},
    delaunay};
constinit const Generator kRgg{
    {"rgg", "random geometric graph, points of a square joined within a radius: n rows, about degree n nonzeros",
     "rgg_n_2_15_s0 to rgg_n_2_24_s0", kRggParameters},
    rgg};

}  // namespace tilespmv::synthetic
