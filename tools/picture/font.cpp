#include "tools/picture/font.hpp"

#include <array>

namespace tilespmv::tools {
namespace {

constexpr char kFirst = ' ';
constexpr char kLast = '~';

// clang-format off
constexpr std::array<std::string_view, kLast - kFirst + 1> kGlyphs{
    "000000000", "111110100", "555000000", "aavavaa00", "4u5ekf400", "jb842qp00", "6952l9m00", "111000000",
    "421112400", "124442100", "0level000", "044v44000", "000003321", "000f00000", "000003300", "gg8421100",
    "ehhhhhe00", "232222700", "ehg842v00", "ehgcghe00", "8ca9v8800", "v1fgghe00", "c21fhhe00", "vg8422200",
    "ehhehhe00", "ehhug8600", "003303300", "003303310", "842124800", "00f0f0000", "124842100", "ehg840400",
    "ehtld1u00", "4ahhvhh00", "fhhfhhf00", "eh111he00", "fhhhhhf00", "v11f11v00", "v11f11100", "eh1thhe00",
    "hhhvhhh00", "722222700", "s88889600", "h95359h00", "111111v00", "hrllhhh00", "hjjlpph00", "ehhhhhe00",
    "fhhf11100", "ehhhl9m00", "fhhf59h00", "u11eggf00", "v44444400", "hhhhhhe00", "hhhhaa400", "hhhllrh00",
    "hha4ahh00", "hha444400", "vg8421v00", "711111700", "11248gg00", "744444700", "4ah000000", "0000000v0",
    "120000000", "00eguhu00", "11fhhhf00", "00e111e00", "gguhhhu00", "00ehv1e00", "c27222200", "00uhhhuge",
    "11fhhhh00", "203222700", "406444443", "119535900", "322222700", "00fllll00", "00fhhhh00", "00ehhhe00",
    "00fhhhf11", "00uhhhugg", "00d311100", "00u1egf00", "227222c00", "00hhhhu00", "00hhha400", "00hhlla00",
    "00ha4ah00", "00hhhhuge", "00v842v00", "c22122c00", "111111110", "344844300", "002l80000",
};
// clang-format on

constexpr int kSpaceWidth = 3;

int width_of(std::string_view rows) {
    Glyph g{rows, 5};
    while (g.width > 0) {
        for (int row = 0; row < Glyph::kRows; ++row) {
            if (g.dot(row, g.width - 1)) return g.width;
        }
        --g.width;
    }
    return kSpaceWidth;
}

}  // namespace

Glyph glyph(char c) {
    const char known = c >= kFirst && c <= kLast ? c : '?';
    const auto rows = kGlyphs[static_cast<std::size_t>(known - kFirst)];
    return {rows, width_of(rows)};
}

}  // namespace tilespmv::tools
