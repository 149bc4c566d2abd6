#pragma once

#include <string>
#include <vector>

#include "selector/models/profile.hpp"

namespace tilespmv::test {

/// How much is in a profile, and names that come from users.
struct SampleSize {
    int kernels = 3;  ///< every third one is a reduction
    int operators = 3;
    int matrices = 8;
    std::vector<std::string> more_operators = {};
    std::string machine = "Test GPU";
};

/// A profile of a GPU whose times follow formulas, with some noise, and the models that were fitted to them. On every
/// seventh matrix the last operator has an error.
Profile sample_profile(const SampleSize& size);

}  // namespace tilespmv::test
