#pragma once

#include <string_view>

namespace tilespmv::tools {

/// One letter of a small proportional font: up to 5 x 9 dots, capitals 7 high, the last two rows below the base line.
struct Glyph {
    static constexpr int kRows = 9;

    std::string_view rows;  ///< a base-32 digit (0-9, a-v) per row, bit c is column c
    int width = 0;

    [[nodiscard]] bool dot(int row, int col) const {
        const char digit = rows[static_cast<std::size_t>(row)];
        return ((digit <= '9' ? digit - '0' : digit - 'a' + 10) >> col & 1) != 0;
    }
};

/// The glyph of a printable ASCII character, that of '?' for any other.
Glyph glyph(char c);

}  // namespace tilespmv::tools
