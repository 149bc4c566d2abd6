#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/result_file.hpp"

// What is drawn: numbers picked from results. Only right results count.
namespace tilespmv::tools {

struct Point {
    double x = 0;
    double y = 0;
    bool hollow = false;
    std::string hint;
};

/// What one operator (with one selector, and on one value type if there are several) does on all matrices.
struct Series {
    std::string name;
    std::vector<Point> points;
};

/// Whether a result is right and of a matrix with nonzeros.
bool is_drawable(const bench::Result& result);

/// The baselines that speed-ups are given over, in the order in which they appear.
std::vector<std::string> baselines_of(const bench::ResultSet& set);

/// Speed-up over a baseline, at the number of nonzeros. What the baseline stands for has no series of its own.
std::vector<Series> speedups_by_nonzeros(const bench::ResultSet& set, const std::string& baseline,
                                         bench::Mode mode = bench::Mode::warm);
/// The same at the variation of the length of rows, at least kLeastVariation.
std::vector<Series> speedups_by_variation(const bench::ResultSet& set, const std::string& baseline,
                                          bench::Mode mode = bench::Mode::warm);
inline constexpr double kLeastVariation = 0.01;

/// Percent of the read bandwidth by the byte model, at the number of nonzeros; hollow where all fits the cache.
std::vector<Series> bandwidth_by_nonzeros(const bench::ResultSet& set);

/// The `count` series of the largest geometric mean, in their old order.
std::vector<Series> largest(std::vector<Series> series, std::size_t count);

/// The share of the nonzeros of one matrix that each representation or format executed.
struct ExecutedMix {
    struct Part {
        std::string name;  ///< `name_of` the part
        double share = 0;
    };
    std::string matrix;
    std::vector<Part> parts;
};

/// The mixes of one operator with one selector (and on one value type and device if there are several), a matrix once.
struct SeriesMixes {
    std::string series;
    std::vector<ExecutedMix> mixes;
};
/// Of operators that work on tiles, those that say what they executed.
std::vector<SeriesMixes> executed_mixes(const bench::ResultSet& set);

}  // namespace tilespmv::tools
