#include "kernels/operators/csr_inode/inodes.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// Rows that are compared at a time; fewer are not worth waking threads.
std::int64_t grain_of(std::int64_t rows, offset_t nonzeros) {
    constexpr std::int64_t kMostRows = 1 << 14;
    constexpr offset_t kNonzeros = 1 << 18;
    const double share = static_cast<double>(kNonzeros) / static_cast<double>(std::max<offset_t>(nonzeros, 1));
    return std::clamp(static_cast<std::int64_t>(share * static_cast<double>(rows)), std::int64_t{1}, kMostRows);
}

}  // namespace

std::vector<std::uint8_t> rows_alike(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs) {
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    std::vector<std::uint8_t> alike(static_cast<std::size_t>(rows), 0);
    parallel_for(1, rows, grain_of(rows, static_cast<offset_t>(col_idxs.size())), [&](std::int64_t r) {
        const auto* const ends = row_ptrs.data() + r;
        const index_t* const cols = col_idxs.data();
        alike[static_cast<std::size_t>(r)] =
            std::equal(cols + ends[-1], cols + ends[0], cols + ends[0], cols + ends[1]) ? 1 : 0;
    });
    return alike;
}

void require_inode_columns(offset_t columns) {
    if (columns <= std::numeric_limits<std::uint32_t>::max()) return;
    throw Error(fmt::format("csr-inode: the inodes have {} columns, expected at most {}; take another operator",
                            columns, std::numeric_limits<std::uint32_t>::max()));
}

CsrInodes make_inodes(std::span<const offset_t> row_ptrs, std::span<const index_t> col_idxs,
                      const std::vector<std::uint8_t>& alike, int most_rows) {
    CsrInodes a;
    a.most_rows = most_rows;
    std::vector<Inode> inodes;
    offset_t columns = 0;
    for_each_inode(alike, most_rows, [&](index_t row) {
        const offset_t first = row_ptrs[static_cast<std::size_t>(row)];
        inodes.push_back({first, row, static_cast<std::uint32_t>(columns)});
        columns += row_ptrs[static_cast<std::size_t>(row) + 1] - first;
    });
    require_inode_columns(columns);
    inodes.push_back({row_ptrs.back(), static_cast<index_t>(row_ptrs.size() - 1), static_cast<std::uint32_t>(columns)});
    a.inodes = Buffer<Inode>(inodes.size());
    std::ranges::copy(inodes, a.inodes.begin());
    a.col_idxs = Buffer<index_t>(static_cast<std::size_t>(columns));
    parallel_for(0, a.count(), kRowGrain, [&](std::int64_t i) {
        std::copy_n(col_idxs.data() + a.inodes[i].first_value, a.length(i), a.col_idxs.data() + a.inodes[i].first_col);
    });
    return a;
}

}  // namespace tilespmv::cuda
