#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "selector/models/anchors.hpp"

/// Anchors in a profile: most of its numbers, which a text of their own makes half as long and reads several times as
/// fast as arrays of JSON.
namespace tilespmv {

/// Of each its weight and its coordinates in units of 1e-4, to which places are rounded; all with a blank between.
std::string anchors_text(const Anchors& anchors);

/// Nothing if `text` is not of that form.
std::optional<Anchors> parse_anchors(std::string_view text);

}  // namespace tilespmv
