#include "tile/generate/delaunay.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::synthetic {

std::int64_t orientation(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

bool in_circle(Point a, Point b, Point c, Point d) {
    const auto lift = [&](Point p) { return (p.x - d.x) * (p.x - d.x) + (p.y - d.y) * (p.y - d.y); };
    return int128{lift(a)} * orientation(d, b, c) + int128{lift(b)} * orientation(d, c, a) +
               int128{lift(c)} * orientation(d, a, b) >
           0;
}

namespace {

using EdgeId = std::uint32_t;  ///< a directed edge; the lowest bit is its direction
constexpr EdgeId kNone = std::numeric_limits<EdgeId>::max();
constexpr EdgeId sym(EdgeId e) { return e ^ 1; }

struct DirectedEdge {
    EdgeId next;      ///< the next edge out of `origin`, counter-clockwise; in a free edge, the next free one
    EdgeId previous;  ///< the next one clockwise
    index_t origin;   ///< -1 in a free edge
};

/// The edges of one triangulation and the pool that it takes new ones from.
struct Part {
    EdgeId hull;  ///< an edge of the convex hull, which lies on its left
    EdgeId free_first, free_last;
};

class Delaunay {
public:
    /// A planar graph has fewer than 3 edges a vertex, so each part of the points brings all the edges it will need.
    explicit Delaunay(std::span<Point> points) : points_(points), edges_(6 * points.size()) {}

    void run();
    Buffer<Entry> undirected_edges() const;

private:
    [[nodiscard]] EdgeId next(EdgeId e) const { return edges_[e].next; }
    [[nodiscard]] EdgeId previous(EdgeId e) const { return edges_[e].previous; }
    [[nodiscard]] EdgeId left_next(EdgeId e) const { return previous(sym(e)); }
    [[nodiscard]] EdgeId right_previous(EdgeId e) const { return next(sym(e)); }
    [[nodiscard]] index_t origin(EdgeId e) const { return edges_[e].origin; }
    [[nodiscard]] Point from(EdgeId e) const { return points_[origin(e)]; }
    [[nodiscard]] Point to(EdgeId e) const { return from(sym(e)); }
    [[nodiscard]] bool right_of(Point p, EdgeId e) const { return orientation(p, to(e), from(e)) > 0; }
    [[nodiscard]] bool left_of(Point p, EdgeId e) const { return orientation(p, from(e), to(e)) > 0; }

    EdgeId make(index_t origin, index_t destination, Part& part);
    EdgeId connect(EdgeId a, EdgeId b, Part& part);
    void remove(EdgeId e, Part& part);
    void splice(EdgeId a, EdgeId b);

    index_t halve(index_t first, index_t last, int axis);
    std::vector<index_t> halve_all(const std::vector<index_t>& bounds, int axis);
    Part leaf(index_t first, index_t last);
    Part build(index_t first, index_t last, int axis);
    Part merge(const Part& left, const Part& right, int axis);
    EdgeId extreme(EdgeId hull, int axis, bool largest) const;
    EdgeId lower_tangent(EdgeId left, EdgeId right, Part& part);
    EdgeId candidate(EdgeId first, EdgeId base, EdgeId (Delaunay::*following)(EdgeId) const, Part& part);
    void zip(EdgeId base, Part& part);

    std::span<Point> points_;
    Buffer<DirectedEdge> edges_;
};

/// The order along x, or along y after a quarter turn, which maps (x, y) to (y, -x).
bool before(int axis, Point a, Point b) {
    if (axis == 0) return a.x != b.x ? a.x < b.x : a.y < b.y;
    return a.y != b.y ? a.y < b.y : a.x > b.x;
}

void Delaunay::splice(EdgeId a, EdgeId b) {
    std::swap(edges_[edges_[a].next].previous, edges_[edges_[b].next].previous);
    std::swap(edges_[a].next, edges_[b].next);
}

EdgeId Delaunay::make(index_t origin, index_t destination, Part& part) {
    const EdgeId e = part.free_first;
    part.free_first = edges_[e].next;
    edges_[e] = {e, e, origin};
    edges_[sym(e)] = {sym(e), sym(e), destination};
    return e;
}

/// A new edge from the end of a to the start of b, in the face to the left of both.
EdgeId Delaunay::connect(EdgeId a, EdgeId b, Part& part) {
    const EdgeId e = make(origin(sym(a)), origin(b), part);
    splice(e, left_next(a));
    splice(sym(e), b);
    return e;
}

void Delaunay::remove(EdgeId e, Part& part) {
    splice(e, previous(e));
    splice(sym(e), previous(sym(e)));
    e &= ~EdgeId{1};
    edges_[e] = {part.free_first, kNone, -1};
    part.free_first = e;
}

Part Delaunay::leaf(index_t first, index_t last) {
    std::sort(points_.begin() + first, points_.begin() + last, [](Point a, Point b) { return before(0, a, b); });
    const EdgeId begin = 6 * static_cast<EdgeId>(first), end = 6 * static_cast<EdgeId>(last);
    for (EdgeId e = begin; e < end; e += 2) edges_[e] = {e + 2 < end ? e + 2 : kNone, kNone, -1};
    Part part{kNone, begin, end - 2};
    if (last - first < 2) return part;
    const EdgeId a = make(first, first + 1, part);
    part.hull = a;
    if (last - first == 2) return part;
    const EdgeId b = make(first + 1, first + 2, part);
    splice(sym(a), b);
    const std::int64_t turn = orientation(from(a), to(a), to(b));
    if (turn == 0) return part;
    const EdgeId c = connect(b, a, part);
    if (turn < 0) part.hull = sym(c);
    return part;
}

/// The edge of the hull that starts at its first or ends at its last point along an axis.
EdgeId Delaunay::extreme(EdgeId hull, int axis, bool largest) const {
    EdgeId best = hull;
    for (EdgeId e = right_previous(hull); e != hull; e = right_previous(e)) {
        if (largest ? before(axis, to(best), to(e)) : before(axis, from(e), from(best))) best = e;
    }
    return best;
}

EdgeId Delaunay::lower_tangent(EdgeId left, EdgeId right, Part& part) {
    while (true) {
        if (left_of(from(right), left)) {
            left = left_next(left);
        } else if (right_of(from(left), right)) {
            right = right_previous(right);
        } else {
            return connect(sym(right), left, part);
        }
    }
}

/// The edge of a half that bounds the next triangle over the base, from the first one on; what it hides is removed.
EdgeId Delaunay::candidate(EdgeId first, EdgeId base, EdgeId (Delaunay::*following)(EdgeId) const, Part& part) {
    if (!right_of(to(first), base)) return kNone;
    EdgeId result = first;
    for (EdgeId other = (this->*following)(result); in_circle(to(base), from(base), to(result), to(other));
         other = (this->*following)(result)) {
        remove(result, part);
        result = other;
    }
    return result;
}

/// Joins the halves upwards from their lower tangent.
void Delaunay::zip(EdgeId base, Part& part) {
    while (true) {
        const EdgeId left = candidate(next(sym(base)), base, &Delaunay::next, part);
        const EdgeId right = candidate(previous(base), base, &Delaunay::previous, part);
        if (left == kNone && right == kNone) return;
        const bool take_right =
            left == kNone || (right != kNone && in_circle(to(left), from(left), from(right), to(right)));
        base = take_right ? connect(right, sym(base), part) : connect(sym(base), sym(left), part);
    }
}

Part Delaunay::merge(const Part& left, const Part& right, int axis) {
    Part part{kNone, left.free_first, right.free_last};
    edges_[left.free_last].next = right.free_first;
    const EdgeId base = lower_tangent(sym(extreme(left.hull, axis, true)), extreme(right.hull, axis, false), part);
    part.hull = sym(base);
    zip(base, part);
    return part;
}

/// Moves the points before the middle one along an axis in front of it; returns its place.
index_t Delaunay::halve(index_t first, index_t last, int axis) {
    const index_t middle = first + (last - first) / 2;
    std::nth_element(points_.begin() + first, points_.begin() + middle, points_.begin() + last,
                     [axis](Point a, Point b) { return before(axis, a, b); });
    return middle;
}

/// Halves each of the parts that lie between `bounds`; returns the bounds of the halves.
std::vector<index_t> Delaunay::halve_all(const std::vector<index_t>& bounds, int axis) {
    std::vector<index_t> halves(2 * bounds.size() - 1, bounds.back());
    parallel_for(0, std::ssize(bounds) - 1, 1, [&](std::int64_t i) {
        halves[2 * i] = bounds[i];
        halves[2 * i + 1] = halve(bounds[i], bounds[i + 1], axis);
    });
    return halves;
}

Part Delaunay::build(index_t first, index_t last, int axis) {
    if (last - first <= 3) return leaf(first, last);
    const index_t middle = halve(first, last, axis);
    const Part left = build(first, middle, 1 - axis);
    return merge(left, build(middle, last, 1 - axis), axis);
}

/// In parallel: parts of a few thousand points, and then their unions, two by two.
void Delaunay::run() {
    constexpr std::size_t kPartSize = 20000;
    std::vector<index_t> bounds{0, static_cast<index_t>(points_.size())};
    int depth = 0;
    for (; points_.size() >> depth >= kPartSize; ++depth) bounds = halve_all(bounds, depth % 2);
    std::vector<Part> parts(bounds.size() - 1);
    parallel_for(0, std::ssize(parts), 1,
                 [&](std::int64_t i) { parts[i] = build(bounds[i], bounds[i + 1], depth % 2); });
    while (depth-- > 0) {
        parallel_for(0, std::ssize(parts) / 2, 1,
                     [&](std::int64_t i) { parts[2 * i] = merge(parts[2 * i], parts[2 * i + 1], depth % 2); });
        for (std::size_t i = 1; i < parts.size() / 2; ++i) parts[i] = parts[2 * i];
        parts.resize(parts.size() / 2);
    }
}

Buffer<Entry> Delaunay::undirected_edges() const {
    Buffer<Entry> result(edges_.size() / 2);
    std::size_t count = 0;
    for (EdgeId e = 0; e < edges_.size(); e += 2) {
        if (origin(e) >= 0) result[count++] = {origin(e), origin(sym(e))};
    }
    result.truncate(count);
    return result;
}

}  // namespace

Buffer<Entry> triangulate(std::span<Point> points) {
    if (points.empty()) return {};
    Delaunay delaunay(points);
    delaunay.run();
    return delaunay.undirected_edges();
}

}  // namespace tilespmv::synthetic
