#include "kernels/operators/csr_spmm/csr_pieces.hpp"

#include <algorithm>
#include <limits>

#include "tile/error.hpp"

namespace tilespmv::cuda {

CsrPieces csr_pieces(std::span<const offset_t> row_ptrs, int most_nonzeros) {
    CsrPieces result;
    result.pieces.reserve(row_ptrs.size());
    for (std::size_t row = 0; row + 1 < row_ptrs.size(); ++row) {
        const offset_t first = row_ptrs[row];
        const offset_t all = row_ptrs[row + 1] - first;
        const offset_t count = std::max<offset_t>(1, div_up(all, most_nonzeros));
        if (result.pieces.size() + static_cast<std::size_t>(count) > std::numeric_limits<std::int32_t>::max()) {
            throw Error("csr-spmm: the rows make 2^31 pieces or more");
        }
        const auto first_part = static_cast<std::int32_t>(result.parts.size());
        for (offset_t i = 0; i < count; ++i) {
            const offset_t begin = all * i / count;
            const auto nonzeros = static_cast<std::int32_t>(all * (i + 1) / count - begin);
            const auto target =
                count == 1 ? static_cast<std::int32_t>(row) : -1 - first_part - static_cast<std::int32_t>(i);
            result.pieces.push_back({first + begin, nonzeros, target});
        }
        if (count == 1) continue;
        result.parts.resize(result.parts.size() + static_cast<std::size_t>(count),
                            {static_cast<std::uint32_t>(first_part), static_cast<std::uint32_t>(count),
                             static_cast<std::uint32_t>(row)});
    }
    return result;
}

int lanes_of_csr_spmm(offset_t nonzeros, index_t rows) {
    return nonzeros >= (rows < 24'576 ? 16 : 28) * offset_t{rows} ? 4 : 2;
}

bool suits_csr_spmm(std::span<const offset_t> row_ptrs) {
    const auto rows = static_cast<offset_t>(row_ptrs.size()) - 1;
    const offset_t nonzeros = row_ptrs.back();
    if (rows > 131'072 || (rows > 65'536 && nonzeros < 8 * rows)) return false;
    // Parts of much longer rows than others are too many for one team to add while the others are done.
    const offset_t longest = std::max<offset_t>(4096, rows > 0 ? 32 * (nonzeros / rows) : 0);
    return std::ranges::adjacent_find(row_ptrs, [&](offset_t begin, offset_t end) { return end - begin > longest; }) ==
           row_ptrs.end();
}

}  // namespace tilespmv::cuda
