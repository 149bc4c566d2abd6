#pragma once

#include <compare>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/harness/result_file.hpp"
#include "tools/picture/picture.hpp"
#include "tools/plot/plots.hpp"

// What became of an operator with many values of its options, on one matrix (and one value type and device). Only right
// results count; times are warm medians in seconds.
namespace tilespmv::tools {

struct Sweep {
    std::string matrix;  ///< its name, and what else tells it from other sweeps
    double nonzeros_per_row = 0;
    double own_choice = 0;  ///< of the operator without options; 0 if it was not measured
};

/// csr-vector with several numbers of threads a row.
struct ThreadSweep : Sweep {
    std::map<int, double> seconds;  ///< by threads a row
    double scalar = 0;              ///< of csr-scalar, a thread a row; 0 if it was not measured
};

/// Those of matrices with two numbers of threads or more.
std::vector<ThreadSweep> thread_sweeps(const bench::ResultSet& set);

/// The options of csr-multiround.
struct MultiroundOptions {
    int rows = 0;      ///< of a block
    int threads = 0;   ///< of a block
    int products = 0;  ///< of a thread in a round
    int group = 0;     ///< threads that add up a row

    friend auto operator<=>(const MultiroundOptions&, const MultiroundOptions&) = default;
};

/// csr-multiround with all four options given.
struct MultiroundSweep : Sweep {
    std::map<MultiroundOptions, double> seconds;
    std::set<MultiroundOptions> not_right;  ///< wrong or failed
};

/// Those of matrices with two combinations of options or more.
std::vector<MultiroundSweep> multiround_sweeps(const bench::ResultSet& set);

/// "4.2 nonzeros a row", in whole numbers from 100 on.
std::string nonzeros_a_row(const Sweep& sweep);

/// A panel a matrix: time over threads a row.
Picture draw_thread_sweeps(const std::vector<ThreadSweep>& sweeps, const std::string& subtitle);

/// A heat map: time over that of the best combination. Panels are rows of a block, columns groups, lines threads and
/// products; combinations without a right result are hatched, those that were not measured grey, those that no block
/// has room for empty. The operator without options is marked on the colour
/// scale, for results do not say which combination it chose.
Picture draw_multiround_sweep(const MultiroundSweep& sweep, const std::string& subtitle);

/// threads and multiround-<matrix> for each matrix, as far as the results hold what they show.
std::vector<Plot> sweep_plots(const bench::ResultSet& set, const std::string& subtitle);

}  // namespace tilespmv::tools
