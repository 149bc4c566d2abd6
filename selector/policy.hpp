#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "formats/convert.hpp"

namespace tilespmv {

/// One way to choose formats, by its name on the command line.
struct SelectorInfo {
    std::string_view name;     ///< on the command line, without options
    std::string_view summary;  ///< a clause for lists, with the options it takes
};

/// Every selector there is, `only:<format>` once per format, in the order in which lists show them.
std::span<const SelectorInfo> selectors();

/// Makes the policy of a specification `name[:option=value[,option=value]...]`, such as `paper`,
/// `paper-deferred:defer=8`, `bytes` or `only:ell`. Throws a usage `Error` that lists what there is for an unknown
/// name, option or value.
std::unique_ptr<TilePolicy> make_policy(std::string_view specification);

/// The selector that commands use when none is named.
inline constexpr std::string_view kDefaultSelector = "bytes";

}  // namespace tilespmv
