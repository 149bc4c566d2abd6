#include "kernels/operators/csr_spmm/csr_pieces.hpp"

#include <algorithm>
#include <limits>

#include "kernels/operators/sell_spmm/piece_slices.hpp"
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
    return nonzeros >= (rows < 24'576 ? 16 : 40) * offset_t{rows} ? 4 : 2;
}

// In steps of a piece of `sell-spmm`, 0.2 us each, what one takes that the other does not ("Several columns" in
// `bench/NOTES.md`).
bool suits_csr_spmm(std::span<const offset_t> row_ptrs, offset_t shared, int row_bytes) {
    constexpr int kSecondKernel = 10;
    const auto rows = static_cast<offset_t>(row_ptrs.size()) - 1;
    const offset_t nonzeros = row_ptrs.back();
    // Several lanes have a piece and wait for each other, and a row of X is loaded for each row of the matrix. What a
    // row of X has beyond 64 bytes counts a quarter.
    const offset_t bytes = std::min(row_bytes, 48 + row_bytes / 4);
    const offset_t of_csr = (nonzeros + 12 * rows + 3 * shared) * bytes / 5'000'000;
    const offset_t most_steps = piece_steps(nonzeros, static_cast<index_t>(rows));
    if (of_csr > most_steps + kSecondKernel) return false;
    offset_t longest = 0;
    for (std::size_t row = 1; row < row_ptrs.size(); ++row) {
        longest = std::max(longest, row_ptrs[row] - row_ptrs[row - 1]);
    }
    // One team adds the sums of the parts of a row.
    const offset_t lanes = lanes_of_csr_spmm(nonzeros, static_cast<index_t>(rows));
    const offset_t of_parts = longest / (kMostOfLane * lanes) / (5 * lanes);
    // One lane has a piece of a row; a second kernel adds the sums of the pieces of rows.
    const offset_t of_sell = longest > most_steps ? most_steps + kSecondKernel : longest;
    return of_csr + of_parts <= of_sell;
}

}  // namespace tilespmv::cuda
