#include "kernels/auto/auto_options.hpp"

#include <fmt/format.h>

namespace tilespmv {

AutoOptions read_auto_options(Options& options) {
    constexpr offset_t most = offset_t{1} << 52;
    AutoOptions read;
    read.products = options.whole("products", 0, 0, most);
    read.columns = static_cast<int>(options.whole("columns", 1, 1, 1 << 16));
    const std::string tune = options.word("tune", "");
    read.cache = options.word("cache", "");
    options.finish();
    if (!tune.empty() && tune != "trial") options.fail(fmt::format("tune={}, expected trial", tune));
    read.is_tried = !tune.empty();
    if (read.is_tried && read.columns > 1) options.fail("tune=trial times products of one column");
    if (!read.is_tried && !read.cache.empty()) options.fail("a cache is for tune=trial");
    return read;
}

}  // namespace tilespmv
