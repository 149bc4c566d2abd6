#pragma once

#include <string>
#include <vector>

namespace tilespmv::testing {

/// Specifications of all preconditioners, whose products are by `op`.
inline std::vector<std::string> all_preconditioners(const std::string& op) {
    return {"none", "jacobi", "ssor-ai:operator=" + op};
}

}  // namespace tilespmv::testing
