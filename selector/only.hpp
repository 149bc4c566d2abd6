#pragma once

#include "selector/reasoned_policy.hpp"

namespace tilespmv {

/// One format wherever it can hold the tile, and a second one elsewhere.
class OnlyPolicy final : public ReasonedPolicy {
public:
    /// Format ids. `second` must hold any tile.
    OnlyPolicy(int first, int second) : first_(first), second_(second) {}
    [[nodiscard]] TileChoice choose(const TilePattern& pattern, int value_bytes) const override;
    [[nodiscard]] std::string reason(const TilePattern& pattern, int value_bytes) const override;

private:
    int first_;
    int second_;
};

}  // namespace tilespmv
