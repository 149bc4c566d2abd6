#pragma once

#include <span>
#include <string_view>

namespace tilespmv {

/// A profile that is part of the library: the models of a machine, without what was measured.
struct CarriedProfile {
    std::string_view machine;  ///< as in the name of its file, see `plain_machine_name`
    std::string_view bytes;    ///< JSON, compressed (Zstandard)
};

/// Those of the folder `selector/models/profiles`.
std::span<const CarriedProfile> carried_profiles();

}  // namespace tilespmv
