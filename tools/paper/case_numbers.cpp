#include "tools/paper/case_numbers.hpp"

#include <algorithm>

#include "tile/statistics.hpp"

namespace tilespmv::tools {

double over_csr(const PaperMatrix& matrix, offset_t bytes) { return share(bytes, matrix.csr_bytes()); }

offset_t deferred_nonzeros(const bench::Result& r) { return stored_in(r, "deferred").nnz; }

offset_t stored_tiles(const bench::Result& r) {
    offset_t tiles = 0;
    for (const auto& format : r.stored.formats) tiles += format.tiles;
    return tiles;
}

bench::FormatShare stored_in(const bench::Result& r, std::string_view format) {
    const auto found = std::ranges::find(r.stored.formats, format, &bench::FormatShare::name);
    return found == r.stored.formats.end() ? bench::FormatShare{.name = std::string(format)} : *found;
}

}  // namespace tilespmv::tools
