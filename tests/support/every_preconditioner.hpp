#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilespmv::testing {

/// Specifications of all preconditioners in all forms, whose products are by `op`; in either type of values where T,
/// that of the matrix, leaves a choice.
template <class T>
std::vector<std::string> all_preconditioners(const std::string& op) {
    std::vector<std::string> all{"none", "jacobi", "block-jacobi:size=3"};
    for (const auto* form : {"order=1,form=factors", "order=1,form=explicit", "order=2,form=factors",
                             "order=2,form=pair", "order=2,form=explicit"}) {
        all.push_back(std::string("ssor-ai:") + form + ",operator=" + op);
    }
    if (sizeof(T) == 4) return all;
    for (std::size_t i = 1, count = all.size(); i < count; ++i)
        all.push_back(all[i] + (all[i].find(':') == std::string::npos ? ":" : ",") + "values=float32");
    return all;
}

}  // namespace tilespmv::testing
