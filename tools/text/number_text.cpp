#include "tools/text/number_text.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace tilespmv::tools {

std::string grouped(std::int64_t n) {
    std::string text = std::to_string(n);
    const std::int64_t first_digit = n < 0;
    for (auto i = static_cast<std::int64_t>(text.size()) - 3; i > first_digit; i -= 3) {
        text.insert(static_cast<std::size_t>(i), 1, ',');
    }
    return text;
}

std::string percent(double share) {
    const double p = 100 * share;
    if (p <= 0 || p >= 0.095) return fmt::format("{:.1f}%", p);
    return p >= 0.0001 ? fmt::format("{:.2g}%", p) : "<0.0001%";
}

std::string byte_size(std::int64_t bytes) {
    constexpr std::array<std::string_view, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (bytes < 1000) return fmt::format("{} B", bytes);
    auto size = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; size >= 999.5 && unit + 1 < units.size(); ++unit) size /= 1000;
    return fmt::format("{:.{}f} {}", size, size < 9.995 ? 2 : size < 99.95 ? 1 : 0, units[unit]);
}

}  // namespace tilespmv::tools
