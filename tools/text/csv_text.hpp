#pragma once

#include <string>

namespace tilespmv::tools {

/// A text as a cell of CSV, in quotes.
inline std::string in_quotes(const std::string& text) {
    std::string escaped = text;
    for (auto at = escaped.find('"'); at != std::string::npos; at = escaped.find('"', at + 2))
        escaped.insert(at, 1, '"');
    return '"' + escaped + '"';
}

}  // namespace tilespmv::tools
