#pragma once

#include <string>

#include "formats/convert.hpp"

namespace tilespmv {

/// A policy that can say why it decides as it does.
class ReasonedPolicy : public TilePolicy {
public:
    /// Why `choose` gives what it gives, as a clause: "it takes the fewest bytes". It names thresholds, not the numbers
    /// of the tile, so that there are few different ones.
    [[nodiscard]] virtual std::string reason(const TilePattern& pattern, int value_bytes) const = 0;
};

}  // namespace tilespmv
