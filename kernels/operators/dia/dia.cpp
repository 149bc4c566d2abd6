#include "kernels/operators/dia/dia.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include <fmt/format.h>

#include "kernels/refusal.hpp"
#include "tile/parallel.hpp"
#include "tile/shifted_rows.hpp"

namespace tilespmv {
namespace {

constexpr std::int64_t kBlockGrain = 64;               // blocks of rows; fewer are not worth waking threads
constexpr std::uint64_t kOneRow = 0x0101010101010101;  // the bits of a row among those of 8

/// Bits of the diagonals on which a matrix has nonzeros.
class DiagonalBits {
public:
    template <Value V>
    explicit DiagonalBits(const CsrMatrix<V>& a)
        : lowest_(1 - std::int64_t{a.rows}),
          words_(static_cast<std::size_t>(div_up(std::int64_t{a.rows} + a.cols, 64))) {
        parallel_ranges(0, a.rows, kBlockGrain * DiaLayout::kRows, [&](std::int64_t first, std::int64_t end) {
            for (std::int64_t r = first; r < end; r += 1 + shifted_rows(a.row_ptrs.data(), a.col_idxs.data(), r, end)) {
                for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) insert(a.col_idxs[k] - r - lowest_);
            }
        });
    }

    /// Ascending.
    [[nodiscard]] std::vector<index_t> offsets() const {
        std::vector<index_t> all;
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
                const auto at = static_cast<std::int64_t>(i) * 64 + std::countr_zero(left);
                all.push_back(static_cast<index_t>(lowest_ + at));
            }
        }
        return all;
    }

private:
    void insert(std::int64_t at) {
        const std::atomic_ref word(words_[static_cast<std::size_t>(at / 64)]);
        const std::uint64_t bit = std::uint64_t{1} << at % 64;
        if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
    }

    std::int64_t lowest_;
    std::vector<std::uint64_t> words_;  // a bit an offset, from the lowest on
};

template <Value V>
std::int64_t blocks_of(const CsrMatrix<V>& a) {
    return div_up(std::int64_t{a.rows}, std::int64_t{DiaLayout::kRows});
}

template <Value V>
std::uint64_t bytes_of(const CsrMatrix<V>& a, DiaLayout layout) {
    const auto places = static_cast<std::uint64_t>(blocks_of(a) * DiaLayout::kRows);
    const auto groups = static_cast<std::uint64_t>(layout.groups());
    return static_cast<std::uint64_t>(layout.diagonals) * places * sizeof(V) + groups * (places + sizeof(DiaOffsets));
}

/// The bits of `rows` rows from `first` on, in a block, of which the first one has its bits.
void hold_alike(DiaPattern& dia, std::int64_t first, std::int64_t rows) {
    for (offset_t g = 0; g < dia.groups(); ++g) {
        const std::uint64_t of_row = dia.held[dia.held_at(g, first)] >> first % 8 & kOneRow;
        for (std::int64_t r = first / 8 * 8; r < first + rows; r += 8) {
            const int from = static_cast<int>(std::max(first - r, std::int64_t{0}));
            const int to = static_cast<int>(std::min(first + rows - r, std::int64_t{8}));
            dia.held[dia.held_at(g, r)] |= of_row * static_cast<std::uint64_t>((1 << to) - (1 << from));
        }
    }
}

/// The bits of a block. Columns of a row ascend, as `offsets` do.
template <Value V>
void hold_block(DiaPattern& dia, std::int64_t block, const CsrMatrix<V>& a, const std::vector<index_t>& offsets) {
    const std::int64_t first = block * dia.kRows;
    const std::int64_t end = std::min<std::int64_t>(first + dia.kRows, a.rows);
    std::fill_n(dia.held.data() + dia.held_at(0, first), dia.groups() * dia.kRows / 8, 0);
    std::int64_t alike = 0;
    for (std::int64_t r = first; r < end; r += alike) {
        auto offset = offsets.begin();
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k, ++offset) {
            while (a.col_idxs[k] - r != *offset) ++offset;
            const offset_t d = offset - offsets.begin();
            dia.held[dia.held_at(d / 8, r)] |= std::uint64_t{1} << (d % 8 * 8 + r % 8);
        }
        alike = 1 + shifted_rows(a.row_ptrs.data(), a.col_idxs.data(), r, end);
        hold_alike(dia, r, alike);
    }
}

/// Calls f(diagonal, column) for the nonzeros of row `r`, in their order.
template <class F>
void for_each_in_row(const DiaPattern& a, std::int64_t r, F&& f) {
    for (offset_t g = 0; g < a.groups(); ++g) {
        std::uint64_t left = a.held[a.held_at(g, r)] >> r % 8 & kOneRow;
        for (; left != 0; left &= left - 1) {
            const int i = std::countr_zero(left) / 8;
            f(g * 8 + i, static_cast<index_t>(r + a.offsets[g].of[static_cast<std::size_t>(i)]));
        }
    }
}

/// Of the rows of a block.
template <Value V>
void put_block(const CsrMatrix<V>& a, std::int64_t block, Dia<V>& dia) {
    const std::int64_t first = block * dia.kRows;
    for (std::int64_t r = first; r < std::min<std::int64_t>(first + dia.kRows, a.rows); ++r) {
        offset_t k = a.row_ptrs[r];
        for_each_in_row(dia, r, [&](offset_t d, index_t) { dia.values[dia.value_at(d, r)] = a.values[k++]; });
    }
}

}  // namespace

template <Value V>
std::uint64_t dia_bytes(const CsrMatrix<V>& a) {
    return bytes_of(a, {static_cast<offset_t>(dia_offsets(a).size())});
}

template <Value V>
std::vector<index_t> dia_offsets(const CsrMatrix<V>& a) {
    return DiagonalBits(a).offsets();
}

Buffer<DiaOffsets> grouped(const std::vector<index_t>& offsets) {
    Buffer<DiaOffsets> groups(div_up(offsets.size(), std::size_t{DiaLayout::kGroup}), DiaOffsets{});
    for (std::size_t d = 0; d < offsets.size(); ++d) groups[d / 8].of[d % 8] = offsets[d];
    return groups;
}

template <Value V>
void refuse_dia_if_large(const CsrMatrix<V>& a, DiaLayout layout) {
    const auto why = fmt::format("it has {} diagonals", layout.diagonals);
    refuse_if_large({"DIA", bytes_of(a, layout), kDiaAlwaysFine, why}, a);
}

template <Value V>
DiaPattern make_dia_pattern(const CsrMatrix<V>& a, const std::vector<index_t>& offsets) {
    DiaPattern dia{{static_cast<offset_t>(offsets.size())}, a.rows, a.cols, {}, {}};
    refuse_dia_if_large(a, dia);
    dia.offsets = grouped(offsets);
    const std::int64_t blocks = blocks_of(a);
    dia.held = Buffer<std::uint64_t>(dia.held_words(a.rows));
    parallel_for(0, blocks, kBlockGrain, [&](std::int64_t block) { hold_block(dia, block, a, offsets); });
    return dia;
}

template <Value V>
Dia<V> make_dia(const CsrMatrix<V>& a) {
    Dia<V> dia{make_dia_pattern(a, dia_offsets(a)), {}};
    dia.values = Buffer<V>(dia.places());
    parallel_for(0, blocks_of(a), kBlockGrain, [&](std::int64_t block) {
        std::fill_n(dia.values.data() + dia.value_at(0, block * dia.kRows), dia.diagonals * dia.kRows, V{});
        put_block(a, block, dia);
    });
    return dia;
}

template <Value V>
void put_values(const CsrMatrix<V>& a, Dia<V>& dia) {
    parallel_for(0, blocks_of(a), kBlockGrain, [&](std::int64_t block) { put_block(a, block, dia); });
}

#define TILESPMV_INSTANTIATE(V)                                                             \
    template std::uint64_t dia_bytes(const CsrMatrix<V>&);                                  \
    template std::vector<index_t> dia_offsets(const CsrMatrix<V>&);                         \
    template void refuse_dia_if_large(const CsrMatrix<V>&, DiaLayout);                      \
    template DiaPattern make_dia_pattern(const CsrMatrix<V>&, const std::vector<index_t>&); \
    template Dia<V> make_dia(const CsrMatrix<V>&);                                          \
    template void put_values(const CsrMatrix<V>&, Dia<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
