#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Long strings of a JSON text, which a JSON parser copies twice, a character at a time: they are taken out before.
namespace tilespmv {

struct LiftedTexts {
    std::string rest;                     ///< the JSON text with "#0", "#1", ... in their places
    std::vector<std::string_view> texts;  ///< parts of the whole one

    /// The one that `mark` stands for; nothing if it is no such mark.
    [[nodiscard]] std::optional<std::string_view> find(std::string_view mark) const;
};

/// Takes out the values of this key that are strings without escapes.
LiftedTexts lift_texts(std::string_view json, std::string_view key);

}  // namespace tilespmv
