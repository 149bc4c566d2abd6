#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilespmv::testing {

/// Specifications of all preconditioners, whose products are by `op`; in either type of values where T,
/// that of the matrix, leaves a choice.
template <class T>
std::vector<std::string> all_preconditioners(const std::string& op) {
    std::vector<std::string> all{"none", "jacobi", "block-jacobi:size=3", "ssor-ai:operator=" + op};
    if (sizeof(T) == 4) return all;
    for (std::size_t i = 1, count = all.size(); i < count; ++i)
        all.push_back(all[i] + (all[i].find(':') == std::string::npos ? ":" : ",") + "values=float32");
    return all;
}

}  // namespace tilespmv::testing
