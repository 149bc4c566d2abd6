#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/result_file.hpp"

namespace tilespmv::tools {

/// One picture to write.
struct Plot {
    std::string file;  ///< its name, without a folder
    std::string svg;   ///< empty if there is nothing to draw
    std::string
        note;  ///< what the picture leaves out, or why there is none; one line, empty if there is nothing to say
};

/// speedup.svg and variation.svg over the baseline (the first one in the results if it is empty), bandwidth.svg, and
/// executed-<operator>_<selector>.svg, what was executed, for each operator that works on tiles with each selector.
std::vector<Plot> make_plots(const bench::ResultSet& set, const std::string& baseline);

/// A text as part of a file's name: what is not a letter, a digit, '.', '-' or '_' becomes '_'.
std::string file_name_of(std::string_view text);

}  // namespace tilespmv::tools
