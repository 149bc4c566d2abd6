#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "selector/models/similarity.hpp"

/// Anchors in a profile: most of its numbers, which a text of their own makes half as long and reads several times as
/// fast as arrays of JSON.
namespace tilespmv {

/// Of each its weight and its coordinates in units of 1e-4, to which places are rounded; all with a blank between.
std::string anchors_text(std::span<const Anchor> anchors);

/// Nothing if `text` is not of that form.
std::optional<std::vector<Anchor>> parse_anchors(std::string_view text);

}  // namespace tilespmv
