#include "selector/only.hpp"

#include "tile/error.hpp"

namespace tilespmv {

TileChoice OnlyPolicy::choose(const TilePattern& pattern, int value_bytes) const {
    for (const int format : {first_, second_}) {
        if (const auto size = formats::size_in(format, pattern, value_bytes)) return {format, *size};
    }
    throw Error("selector only: the second format cannot hold every tile; take csr", ExitCode::usage);
}

std::string OnlyPolicy::reason(const TilePattern& pattern, int value_bytes) const {
    return choose(pattern, value_bytes).format == first_
               ? "the selector takes this format wherever it can hold the tile"
               : "the format that the selector prefers cannot hold the tile";
}

}  // namespace tilespmv
