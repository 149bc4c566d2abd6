#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/harness/contest.hpp"
#include "bench/harness/device.hpp"
#include "bench/harness/result.hpp"

namespace tilespmv::bench {

/// One way to multiply a matrix, on any device.
template <Value V>
struct Candidate {
    std::string operator_name;  ///< with its options
    std::string selector;       ///< the policy of an operator that works on tiles, empty for the others
    Accumulator accumulator = Accumulator::float64;
    /// What makes products of a matrix with a block of that kind; both must outlive it.
    std::function<ProductBuilder(const CsrMatrix<V>& a, std::span<const V> x)> bind;
    ProductKind kind = {};
};

/// The candidate of an operator of the device, by its specification. Throws a usage `Error` for a name or an
/// accumulator that the device does not have. `device` must outlive it.
template <Value V>
Candidate<V> make_candidate(Device& device, const std::string& specification, const std::string& selector,
                            std::optional<Accumulator> accumulator = {}, const ProductKind& kind = {});

/// What is to be measured on one matrix.
template <Value V>
struct Experiment {
    std::string matrix;  ///< as it is called in the results, where it is `escaped`
    std::function<CsrMatrix<V>()> load;
    std::vector<Candidate<V>> candidates;  ///< of products of one kind
};

/// One result for each candidate, in their order. If the matrix cannot be loaded, all of them say so.
template <Value V>
std::vector<Result> measure(const Experiment<V>& experiment, const MeasureOptions& options, Device& device);

/// The case of a candidate on this device, with the number of threads that OpenMP would use now.
template <Value V>
CaseId case_id(const std::string& matrix, const Candidate<V>& candidate, const Device& device);

}  // namespace tilespmv::bench
