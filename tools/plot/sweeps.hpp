#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/harness/result_file.hpp"
#include "tools/picture/picture.hpp"
#include "tools/plot/plots.hpp"

// What became of csr-vector with several numbers of threads a row, on one matrix (and one value type and device). Only
// right results count; times are warm medians in seconds.
namespace tilespmv::tools {

/// csr-vector with several numbers of threads a row.
struct ThreadSweep {
    std::string matrix;  ///< its name, and what else tells it from other sweeps
    double nonzeros_per_row = 0;
    double own_choice = 0;          ///< of the operator without options; 0 if it was not measured
    std::map<int, double> seconds;  ///< by threads a row
    double scalar = 0;              ///< of csr-scalar, a thread a row; 0 if it was not measured
};

/// Those of matrices with two numbers of threads or more.
std::vector<ThreadSweep> thread_sweeps(const bench::ResultSet& set);

/// "4.2 nonzeros a row", in whole numbers from 100 on.
std::string nonzeros_a_row(const ThreadSweep& sweep);

/// A panel a matrix: time over threads a row.
Picture draw_thread_sweeps(const std::vector<ThreadSweep>& sweeps, const std::string& subtitle);

/// threads, if the results hold sweeps.
std::vector<Plot> sweep_plots(const bench::ResultSet& set, const std::string& subtitle);

}  // namespace tilespmv::tools
