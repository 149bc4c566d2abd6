#pragma once

#include <string>
#include <vector>

#include "kernels/registry.hpp"

namespace tilespmv {

/// An option of an operator with the values to try.
struct Sweep {
    std::string option;
    std::vector<std::string> values;

    friend bool operator==(const Sweep&, const Sweep&) = default;
};

/// What `sweeps` of the operator says: "alg=1|2,block=4|8" is two.
std::vector<Sweep> sweeps_of(const OperatorEntry& entry);

/// The specification with every `option=all` replaced by each of the values that the operator's `sweeps` name for it:
/// "csr-vector:threads=all" gives five. Throws a usage `Error` for an option without such values.
std::vector<std::string> expand_sweeps(const OperatorEntry& entry, const std::string& specification);

}  // namespace tilespmv
