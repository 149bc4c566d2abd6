#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/picture/picture.hpp"
#include "tools/plot/axis.hpp"
#include "tools/plot/series.hpp"

namespace tilespmv::tools {

/// What a scatter plot says beside its points.
struct ScatterText {
    std::string title;
    std::string subtitle;
    std::string x_label;
    std::string y_label;
    std::string hollow;     ///< what hollow points mean; empty if there are none
    std::string reference;  ///< what the line across the plot is
};

/// How a scatter plot reads its points: the x axis is logarithmic.
struct ScatterAxes {
    std::string x_unit;
    std::string y_unit;
    Scale y_scale = Scale::logarithmic;
    std::optional<double> reference = 1;  ///< y of the line across the plot, always in sight
};

/// At most this many series can be told apart by colour.
inline constexpr std::size_t kMostSeries = 12;

/// A scatter plot, one colour a series; there must be a point. Throws nothing but for lack of memory.
Picture draw_scatter(const std::vector<Series>& series, const ScatterAxes& axes, const ScatterText& text);

/// What stacked bars say beside their parts.
struct MixText {
    std::string title;
    std::string subtitle;
    std::string legend;   ///< what the names of the parts answer, such as "executed as"
    std::string x_label;  ///< what the shares are of
};

/// Stacked bars, one a matrix: its shares by what holds or executed them.
Picture draw_mixes(const std::vector<ExecutedMix>& mixes, const MixText& text);

}  // namespace tilespmv::tools
