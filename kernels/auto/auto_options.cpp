#include "kernels/auto/auto_options.hpp"

namespace tilespmv {

AutoOptions read_auto_options(Options& options) {
    constexpr offset_t most = offset_t{1} << 52;
    AutoOptions read;
    read.products = options.whole("products", 0, 0, most);
    read.columns = static_cast<int>(options.whole("columns", 1, 1, 1 << 16));
    options.finish();
    return read;
}

}  // namespace tilespmv
