#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/result_file.hpp"
#include "tools/picture/picture.hpp"

namespace tilespmv::tools {

/// One picture to write.
struct Plot {
    std::string name;                ///< of its file, without a folder and without .svg or .png
    std::optional<Picture> picture;  ///< none if there is nothing to draw
    std::string note;                ///< one line: what the picture leaves out, or why there is none; may be empty
};

/// speedup and variation over the baseline (the first one in the results if it is empty) in a mode; of warm products
/// bandwidth, and
/// executed-<operator>_<selector>, what was executed, for each operator that works on tiles with each selector;
/// where the results hold such sweeps, threads (csr-vector by threads a row).
std::vector<Plot> make_plots(const bench::ResultSet& set, const std::string& baseline,
                             bench::Mode mode = bench::Mode::warm);

/// A text as part of a file's name: what is not a letter, a digit, '.', '-' or '_' becomes '_'.
std::string file_name_of(std::string_view text);

}  // namespace tilespmv::tools
