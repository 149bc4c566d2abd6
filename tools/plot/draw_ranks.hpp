#pragma once

#include <string>
#include <vector>

#include "tools/picture/picture.hpp"

namespace tilespmv::tools {

/// A matrix among others: a value for each series, 0 where there is none.
struct RankedMatrix {
    std::string name;
    double nonzeros = 0;
    std::vector<double> values;
};

struct RankText {
    std::string title;
    std::string subtitle;
    std::string y_label;
};

/// Matrices side by side in their order, a point a series each on a logarithmic axis, with their names if there is
/// room, else the nonzeros of some. There must be a positive value, and at most `kMostSeries` series.
Picture draw_ranks(const std::vector<std::string>& series, const std::vector<RankedMatrix>& matrices,
                   const RankText& text);

}  // namespace tilespmv::tools
