#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilespmv::testing {

/// Specifications of an operator that reach a kernel by several options, which none of its sweeps reaches alone on
/// small matrices.
inline std::vector<std::string> joined_options(std::string_view operator_name) {
    if (operator_name == "strip")
        return {"strip:bytes=1000,resident_blocks=18", "strip:bytes=0,ranks=1000,resident_blocks=12",
                "strip:bytes=0,ranks=1000,resident_blocks=18"};
    return {};
}

}  // namespace tilespmv::testing
