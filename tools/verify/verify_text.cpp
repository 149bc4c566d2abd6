#include <string_view>

#include <fmt/format.h>

#include "tile/io/printable.hpp"
#include "tools/verify/verify.hpp"

namespace tilespmv::tools {
namespace {

std::string_view word(VerifyCase::Outcome outcome) {
    switch (outcome) {
        case VerifyCase::Outcome::ok:
            return "ok";
        case VerifyCase::Outcome::wrong:
            return "WRONG";
        case VerifyCase::Outcome::failed:
            return "FAILED";
    }
    return "";
}

}  // namespace

std::string verify_header(VerifyWidths widths) {
    return fmt::format("{:<{}} {:<{}} {:<6} {:>11}\n", "operator", widths.name, "tiles", widths.tiles, "result",
                       "error/bound");
}

std::string verify_line(const VerifyCase& result, VerifyWidths widths) {
    return fmt::format("{:<{}} {:<{}} {:<6} {:>11.2g}{}{}\n", result.name, widths.name,
                       result.tiles.empty() ? "-" : result.tiles, widths.tiles, word(result.outcome), result.worst,
                       result.problem.empty() ? "" : "  ", printable(result.problem));
}

}  // namespace tilespmv::tools
