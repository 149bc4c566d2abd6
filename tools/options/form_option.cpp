#include "tools/options/form_option.hpp"

#include <fmt/format.h>

#include "kernels/operators/strip/archive.hpp"
#include "tile/archive/archive.hpp"
#include "tile/options/options.hpp"

namespace tilespmv::tools {

WantedForm read_as(const std::string& specification) {
    if (specification.empty()) return {};
    Options options("--as", specification);
    WantedForm wanted;
    if (options.name() == kTileKind) {
        wanted.form = Form::tiles;
    } else if (options.name() == kStripKind) {
        wanted.form = Form::strips;
        const double most_bytes = options.number("bytes", 1, 0, 1e9);
        if (options.has("bytes")) wanted.most_bytes = most_bytes;
    } else {
        options.fail(fmt::format("expected {} or {}", kTileKind, kStripKind));
    }
    options.finish();
    return wanted;
}

}  // namespace tilespmv::tools
