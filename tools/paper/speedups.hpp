#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/paper/results.hpp"

namespace tilespmv::tools {

/// How much faster contestant `of` is than contestant `over`, numbers in `PaperResults::contestants()`. Over a
/// competitor that is the median over the rounds of both, where `bench` recorded it; else the ratio of the medians.
std::optional<double> speedup(const PaperResults& results, const PaperMatrix& matrix, std::size_t of, std::size_t over);

/// The speed-ups of one contestant over another on all matrices that both have a right result of.
struct PairSpeedup {
    std::size_t of = 0;
    std::size_t over = 0;
    int matrices = 0;
    double mean = 0;  ///< geometric
    double least = 0;
    double most = 0;
    int wins = 0;  ///< matrices on which `of` is faster
};

/// None if they share no matrix.
std::optional<PairSpeedup> pair_speedup(const PaperResults& results, std::size_t of, std::size_t over);

/// What the paper compares: the configurations with each competitor, with each other, and the adaptive one with every
/// single format.
std::vector<PairSpeedup> pair_speedups(const PaperResults& results);

}  // namespace tilespmv::tools
