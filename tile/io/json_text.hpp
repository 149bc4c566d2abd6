#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tile/io/text_file.hpp"

/// JSON files that others may have written, such as results. What they hold is read in bounded time and memory, since
/// no parser limits how deep values are nested and how many there are.
namespace tilespmv {

// Files of this project's stay far below.
inline constexpr std::uint64_t kMostJsonBytes = std::uint64_t{256} << 20;
inline constexpr std::size_t kMostJsonValues = 10'000'000;
inline constexpr std::size_t kDeepestJson = 32;

/// The text of a file, plain or compressed. Throws `Error` if it is longer than `kMostJsonBytes`.
TextFile json_text(const Input& input);

/// Whether a JSON text has at most `kMostJsonValues` values, none of them deeper than `kDeepestJson`. Of what is no
/// JSON this holds for as much as a parser reads of it.
bool is_bounded_json(std::string_view text);

/// The value of a text; discarded (`is_discarded`) if it is no JSON or not `is_bounded_json`.
template <class Json>
Json parse_json(std::string_view text) {
    if (!is_bounded_json(text)) return Json(Json::value_t::discarded);
    return Json::parse(text, nullptr, false);
}

}  // namespace tilespmv
