#pragma once

#include <string>

#include "tools/paper/results.hpp"

namespace tilespmv::tools {

/// What was executed, on which machine, with which revision, and how it was timed; then the tables, as Markdown.
std::string paper_text(const PaperResults& results);

/// What takes no part, and why, as a part of a sentence on one line; empty if nothing is left out.
std::string left_out_text(const PaperResults& results);

/// A header and a row for each right result that stands for a contestant on a matrix; what is not known is empty.
std::string paper_csv(const PaperResults& results);

}  // namespace tilespmv::tools
