#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "selector/models/decision_tree.hpp"
#include "selector/models/domains.hpp"
#include "selector/models/launch_shape.hpp"

/// The model of a kernel over vectors: in each domain of n a line for each launch shape, and the tree of the lowest.
namespace tilespmv {

/// How many blocks of a kernel a multiprocessor holds at once.
struct Residency {
    int threads = 0;   ///< of a block
    int elements = 0;  ///< of a thread: kernels that take packs are other code
    int blocks = 0;

    friend bool operator==(const Residency&, const Residency&) = default;
};

/// A kernel over vectors of n values, as far as its model goes.
struct VectorWork {
    std::string kernel = {};
    bool reduces = false;  ///< leaves sums, whose number is that of its blocks
    int reads = 0;         ///< vectors
    int writes = 0;
    std::size_t value_bytes = 8;
    std::vector<Residency> residency = {};  ///< by the occupancy calculator; empty in a profile of before

    [[nodiscard]] double bytes_per_element() const { return double((reads + writes)) * double(value_bytes); }
    friend bool operator==(const VectorWork&, const VectorWork&) = default;
};

/// What was measured.
struct VectorPoint {
    std::size_t n = 0;
    LaunchShape shape = {};
    double seconds = 0;  ///< of a launch among others like it

    friend bool operator==(const VectorPoint&, const VectorPoint&) = default;
};

/// The line of a launch shape in a domain.
struct ShapeLine {
    LaunchShape shape = {};
    Line line = {};
    double accuracy = 0;  ///< mean of 1 - |line - measured| / measured, of the points of the domain

    friend bool operator==(const ShapeLine&, const ShapeLine&) = default;
};

/// A leaf of a tree: the shape for from <= n < to.
struct ShapeLeaf {
    double from = 0;
    double to = kEndless;
    LaunchShape shape = {};

    friend bool operator==(const ShapeLeaf&, const ShapeLeaf&) = default;
};

struct VectorDomain {
    Domain domain = {};
    std::vector<ShapeLine> lines = {};
    std::vector<ShapeLeaf> leaves = {};  ///< of the lowest of `lines`

    friend bool operator==(const VectorDomain&, const VectorDomain&) = default;
};

struct VectorModel {
    std::vector<VectorDomain> domains = {};
    std::vector<ShapeLeaf> tree = {};  ///< the leaves of all domains, equal neighbours merged

    friend bool operator==(const VectorModel&, const VectorModel&) = default;
};

/// Blocks of a shape that are resident on the whole GPU at once: by the kernel's residency, and where that is not known
/// what multiprocessors have room for by threads, blocks, and registers, of which a thread is taken to have 40.
int resident_blocks(const VectorWork& work, const Probe& probe, const LaunchShape& shape);

/// The candidates without their caps: 128 to 1,024 threads with each number of elements.
std::vector<LaunchShape> uncapped_shapes(bool reduces);

/// The launch shapes that a model chooses from, at any n. Elementwise: 128 to 1,024 threads, 1 to 8 elements of a
/// thread, blocks uncapped or capped to 1 or 4 times the resident ones. Of reductions: 1 or 4 elements of a thread, one
/// block, or blocks capped to 1/16, 1/8, 1/4, 1/2, 1, 2, 3, ... 20 times the resident ones.
std::vector<LaunchShape> candidate_shapes(const VectorWork& work, const Probe& probe);

/// The shape without a cap that n does not reach: what runs is the same.
LaunchShape effective_shape(const LaunchShape& shape, std::size_t n);

/// The different effective shapes of the candidates at n: what is to be measured there.
std::vector<LaunchShape> shapes_to_measure(const VectorWork& work, const Probe& probe, std::size_t n);

struct ShapesAt {
    std::size_t n = 0;
    std::vector<LaunchShape> shapes = {};
};

/// All that is to be measured of a kernel, by ascending n: all shapes at `sizes_to_measure`.
std::vector<ShapesAt> plan_of_measurements(const VectorWork& work, const Probe& probe);

/// Fits in each domain a line to what was measured of each candidate there, which joins the times at both ends where no
/// size lies between, and makes the tree. Candidates that were not measured at both ends have no line. Domains without
/// lines take the leaf of the one before. Without points the model is empty.
VectorModel fit_vector_model(const VectorWork& work, const Probe& probe, std::span<const VectorPoint> points);

/// The shape of the leaf for n; throws `Error` for an empty model.
LaunchShape choose_shape(const VectorModel& model, std::size_t n);

}  // namespace tilespmv
