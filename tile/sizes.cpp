#include "tile/sizes.hpp"

#include <string_view>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

template <class... Args>
[[noreturn]] void refuse_sizes(fmt::format_string<Args...> format, Args&&... args) {
    throw Error(fmt::format(format, std::forward<Args>(args)...));
}

void check_ptrs(std::string_view name, const Buffer<offset_t>& ptrs, std::size_t tile_rows, std::size_t end) {
    if (ptrs.size() != tile_rows + 1) {
        refuse_sizes("{} has {} entries, expected one more than {} tile rows", name, ptrs.size(), tile_rows);
    }
    if (ptrs[0] != 0 || static_cast<std::size_t>(ptrs[tile_rows]) != end) {
        refuse_sizes("{} runs from {} to {}, expected 0 to {}", name, ptrs[0], ptrs[tile_rows], end);
    }
}

template <Value V>
void check_deferred(const TileMatrix<V>& a) {
    const DeferredCsr<V>& d = a.deferred;
    if (d.values.size() != d.col_idxs.size())
        refuse_sizes("deferred part: {} values for {} columns", d.values.size(), d.col_idxs.size());
    if (d.nnz() == 0) {
        if (d.bytes() != 0) refuse_sizes("deferred part: rows are listed but nothing is deferred");
        return;
    }
    if (d.row_ptrs32.empty() == d.row_ptrs64.empty())
        refuse_sizes("deferred part: expected either 32-bit or 64-bit pointers");
    const auto listed = d.row_ids.empty() ? static_cast<offset_t>(a.rows) : static_cast<offset_t>(d.row_ids.size());
    if (d.listed_rows() != listed)
        refuse_sizes("deferred part: pointers for {} rows, expected {}", d.listed_rows(), listed);
    if (d.begin(0) != 0 || d.begin(listed) != d.nnz()) {
        refuse_sizes("deferred part: pointers run from {} to {}, expected 0 to {}", d.begin(0), d.begin(listed),
                     d.nnz());
    }
}

}  // namespace

template <Value V>
void validate_sizes(const TileMatrix<V>& a) {
    if (a.rows < 0 || a.cols < 0) refuse_sizes("negative size {} x {}", a.rows, a.cols);
    const auto tile_rows = a.tile_rows.size();
    check_ptrs("tile_ptrs", a.tile_ptrs, tile_rows, a.tiles.size());
    check_ptrs("value_ptrs", a.value_ptrs, tile_rows, a.values.size());
    check_ptrs("index_ptrs", a.index_ptrs, tile_rows, a.indices.size());
    check_deferred(a);
}

#define TILESPMV_INSTANTIATE(V) template void validate_sizes(const TileMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
