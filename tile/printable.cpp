#include "tile/printable.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tilespmv {
namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

}  // namespace

std::string escaped(std::string_view text) {
    const std::string quoted = fmt::format("{:?}", text);
    return quoted.substr(1, quoted.size() - 2);
}

std::string printable(std::string_view text) {
    std::string shown;
    while (!text.empty()) {
        const auto special = std::find_if_not(text.begin(), text.end(), is_plain);
        shown.append(text.begin(), special);
        const auto next = std::find_if(special, text.end(), is_plain);
        shown += escaped({special, next});
        text = {next, text.end()};
    }
    return shown;
}

}  // namespace tilespmv
