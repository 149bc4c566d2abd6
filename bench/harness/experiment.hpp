#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/harness/candidate.hpp"
#include "bench/harness/contest.hpp"
#include "bench/harness/device.hpp"
#include "bench/harness/result.hpp"

namespace tilespmv::bench {

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
