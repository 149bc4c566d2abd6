#include "tile/generate/delaunay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include "tile/generate/generate.hpp"

namespace tilespmv::synthetic {
namespace {

using Points = std::vector<Point>;

/// Points of the hull, those on its edges included: some line through them has all points on one side.
std::int64_t count_hull_points(const Points& points) {
    return std::ranges::count_if(points, [&](Point p) {
        return std::ranges::any_of(points, [&](Point q) {
            return q != p && std::ranges::all_of(points, [&](Point r) { return orientation(p, q, r) >= 0; });
        });
    });
}

/// The determinant that decides whether d lies in the circle of a, b, c; exact for coordinates below 4096.
double circle_determinant(Point a, Point b, Point c, Point d) {
    const auto row = [&](Point p) {
        const auto x = static_cast<double>(p.x - d.x), y = static_cast<double>(p.y - d.y);
        return std::array{x, y, x * x + y * y};
    };
    const auto u = row(a), v = row(b), w = row(c);
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

class Graph {
public:
    Graph(const Points& points, std::span<const Entry> edges) : points_(points) {
        for (const auto& [i, j] : edges) edges_.insert({std::min(i, j), std::max(i, j)});
    }
    [[nodiscard]] std::size_t size() const { return edges_.size(); }

    /// Checks every triangle of three edges with no point inside, and returns how many there are.
    [[nodiscard]] std::int64_t check_triangles() const {
        std::int64_t triangles = 0;
        const auto n = static_cast<index_t>(points_.size());
        for (const auto& [i, j] : edges_) {
            for (index_t k = j + 1; k < n; ++k) {
                if (edges_.contains({i, k}) && edges_.contains({j, k})) triangles += check_triangle(i, j, k);
            }
        }
        return triangles;
    }

private:
    [[nodiscard]] bool check_triangle(index_t i, index_t j, index_t k) const {
        Point a = points_[i], b = points_[j], c = points_[k];
        EXPECT_NE(orientation(a, b, c), 0) << "a triangle without area";
        if (orientation(a, b, c) < 0) std::swap(b, c);
        const bool is_face = std::ranges::none_of(points_, [&](Point p) {
            return orientation(a, b, p) > 0 && orientation(b, c, p) > 0 && orientation(c, a, p) > 0;
        });
        const bool is_empty =
            std::ranges::none_of(points_, [&](Point p) { return circle_determinant(a, b, c, p) > 0; });
        EXPECT_TRUE(!is_face || is_empty) << "a point lies in the circle of " << i << ", " << j << ", " << k;
        return is_face;
    }

    const Points& points_;
    std::set<std::pair<index_t, index_t>> edges_;
};

/// A triangulation of n points of which h lie on the hull has 3 n - 3 - h edges and 2 n - 2 - h triangles.
void expect_delaunay(Points points) {
    const auto before = points;
    const Buffer<Entry> edges = triangulate(points);
    EXPECT_TRUE(std::ranges::is_permutation(points, before));
    const Graph graph(points, {edges.data(), edges.size()});
    EXPECT_EQ(graph.size(), edges.size()) << "an edge is listed twice";
    const auto n = static_cast<std::int64_t>(points.size()), hull = count_hull_points(points);
    EXPECT_EQ(static_cast<std::int64_t>(graph.size()), 3 * n - 3 - hull);
    EXPECT_EQ(graph.check_triangles(), 2 * n - 2 - hull);
}

Points distinct(const std::set<std::pair<int, int>>& positions) {
    Points points;
    for (const auto& [x, y] : positions) points.push_back({x, y});
    std::shuffle(points.begin(), points.end(), std::mt19937(7));
    return points;
}

Points random_points(std::size_t n, int width, int height, unsigned seed) {
    std::mt19937 random(seed);
    std::set<std::pair<int, int>> positions;
    while (positions.size() < n) positions.emplace(random() % width, random() % height);
    return distinct(positions);
}

TEST(Delaunay, OfRandomPoints) {
    for (unsigned n = 3; n < 60; ++n) expect_delaunay(random_points(n, 1000, 1000, n));
    expect_delaunay(random_points(250, 4000, 4000, 1));
}

TEST(Delaunay, OfCrowdedPoints) {
    for (unsigned seed = 0; seed < 20; ++seed) expect_delaunay(random_points(40, 8, 8, seed));
    expect_delaunay(random_points(150, 2, 100, 3));
    expect_delaunay(random_points(150, 1000, 2, 4));
}

TEST(Delaunay, OfAGrid) {
    for (const auto& [width, height] : {std::pair{12, 12}, {2, 30}, {31, 3}}) {
        expect_delaunay(random_points(static_cast<std::size_t>(width) * height, width, height, 5));
    }
}

TEST(Delaunay, OfACircle) {
    std::set<std::pair<int, int>> positions;
    for (int x = -1105; x <= 1105; ++x) {
        for (int y = -1105; y <= 1105; ++y) {
            if (x * x + y * y == 1105 * 1105) positions.emplace(x + 1105, y + 1105);
        }
    }
    ASSERT_GT(positions.size(), 50u);
    expect_delaunay(distinct(positions));
}

TEST(Delaunay, OfALineIsAPath) {
    for (const auto& [dx, dy] : {std::pair{1, 0}, {0, 1}, {3, 5}, {5, -3}}) {
        Points points;
        for (int i = 0; i < 77; ++i) points.push_back({1000 + dx * (i * 37 % 77), 1000 + dy * (i * 37 % 77)});
        const Buffer<Entry> edges = triangulate(points);
        ASSERT_EQ(edges.size(), 76u);
        for (const auto& [i, j] : edges) {
            EXPECT_EQ(std::abs(points[i].x - points[j].x), std::abs(dx));
            EXPECT_EQ(std::abs(points[i].y - points[j].y), std::abs(dy));
        }
    }
}

TEST(Delaunay, PredicatesAreExactInTheCorners) {
    constexpr std::int64_t kLast = (std::int64_t{1} << kCoordinateBits) - 1;
    const Point a{0, 0}, b{kLast, 0}, c{kLast, kLast};
    EXPECT_FALSE(in_circle(a, b, c, {0, kLast}));
    EXPECT_TRUE(in_circle(a, b, c, {1, kLast}));
    EXPECT_TRUE(in_circle(a, b, c, {0, kLast - 1}));
    EXPECT_FALSE(in_circle({1, 0}, b, {kLast, kLast - 1}, {0, kLast}));
    EXPECT_EQ(orientation(a, c, {kLast - 1, kLast - 1}), 0);
    EXPECT_GT(orientation(a, c, {kLast - 1, kLast}), 0);
    EXPECT_LT(orientation(a, c, {kLast, kLast - 1}), 0);
}

TEST(Delaunay, NumbersNeighboursCloseToEachOther) {
    const auto a = generate<double>("delaunay:n=30000");
    EXPECT_GE(a.nnz(), 2 * (3 * 30000 - 3 - 60));
    EXPECT_LE(a.nnz(), 2 * (3 * 30000 - 6));
    offset_t close = 0;
    for (index_t row = 0; row < a.rows; ++row) {
        for (auto p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) close += std::abs(a.col_idxs[p] - row) < 100;
    }
    EXPECT_GT(close, a.nnz() * 6 / 10);
}

}  // namespace
}  // namespace tilespmv::synthetic
