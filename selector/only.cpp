#include "selector/only.hpp"

#include "formats/list.hpp"
#include "tile/error.hpp"

namespace tilespmv {

TileChoice OnlyPolicy::choose(const TilePattern& pattern, int value_bytes) const {
    for (const int format : {first_, second_}) {
        std::optional<formats::TileSize> size;
        formats::visit_format(format, [&]<class F>() { size = F::size(pattern, value_bytes); });
        if (size) return {format, *size};
    }
    throw Error("selector only: the second format cannot hold every tile; take csr", ExitCode::usage);
}

}  // namespace tilespmv
