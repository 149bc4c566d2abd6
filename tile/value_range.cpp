#include "tile/value_range.hpp"

#include <cstdint>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {

std::string expected_range(std::string_view type) {
    const auto widest = value_name<double>();
    const auto advice = type == widest ? "" : fmt::format(" (--values {} has a larger one)", widest);
    return fmt::format("a number in the range of {}{}", type, advice);
}

void fail_range(std::string_view name, index_t row, index_t col, std::string_view found, std::string_view type) {
    throw Error(fmt::format("{}{}row {}, column {}: found {}, expected {}", name, name.empty() ? "" : ": ",
                            std::int64_t{row} + 1, std::int64_t{col} + 1, found, expected_range(type)));
}

}  // namespace tilespmv
