#include "kernels/dia/dia.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "kernels/refusal.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

constexpr std::int64_t kGrain = 4096;
constexpr std::int64_t kFillGrain = 512;  // rows, whole words of bits; their places of a diagonal are filled together
constexpr std::uint64_t kOneRow = 0x0101010101010101;  // the bits of a row among those of 8

/// The diagonals on which a matrix has nonzeros, by their offsets.
class Diagonals {
public:
    template <Value V>
    explicit Diagonals(const CsrMatrix<V>& a)
        : lowest_(1 - std::int64_t{a.rows}),
          words_(static_cast<std::size_t>(div_up(std::int64_t{a.rows} + a.cols, 64)), 0),
          before_(words_.size() + 1, 0) {
        parallel_for(0, a.rows, kGrain, [&](std::int64_t r) {
            for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) insert(a.col_idxs[k] - r - lowest_);
        });
        for (std::size_t i = 0; i < words_.size(); ++i) before_[i + 1] = before_[i] + std::popcount(words_[i]);
    }

    [[nodiscard]] offset_t count() const { return before_.back(); }
    /// How many come before the one of this offset.
    [[nodiscard]] offset_t place_of(std::int64_t offset) const {
        const auto at = static_cast<std::size_t>(offset - lowest_);
        return before_[at / 64] + std::popcount(words_[at / 64] & ((std::uint64_t{1} << at % 64) - 1));
    }
    /// Calls f(offset) in ascending order.
    template <class F>
    void for_each(F&& f) const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
                f(static_cast<index_t>(lowest_ + static_cast<std::int64_t>(i) * 64 + std::countr_zero(left)));
            }
        }
    }

private:
    void insert(std::int64_t at) {
        const std::atomic_ref word(words_[static_cast<std::size_t>(at / 64)]);
        const std::uint64_t bit = std::uint64_t{1} << at % 64;
        if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
    }

    std::int64_t lowest_;
    std::vector<std::uint64_t> words_;  // a bit an offset, from the lowest on
    std::vector<offset_t> before_;      // bits in the words before
};

template <Value V>
offset_t stride_of(const CsrMatrix<V>& a) {
    return div_up(offset_t{a.rows}, Dia<V>::kRowsTo) * Dia<V>::kRowsTo;
}

template <Value V>
std::uint64_t bytes_of(const CsrMatrix<V>& a, offset_t diagonals) {
    const auto places = static_cast<std::uint64_t>(stride_of(a));
    const auto groups = static_cast<std::uint64_t>(div_up(diagonals, Dia<V>::kGroup));
    return static_cast<std::uint64_t>(diagonals) * places * sizeof(V) + groups * (places + sizeof(DiaOffsets));
}

/// Puts what `a` has in rows [first, end) into its places and leaves none of these rows' places unwritten.
template <class T, Value V>
void fill_rows(Dia<T>& dia, const Diagonals& diagonals, const CsrMatrix<V>& a, const Buffer<T>& values,
               std::int64_t first, std::int64_t end) {
    for (offset_t d = 0; d < dia.diagonals; ++d) {
        std::fill(dia.values.data() + d * dia.stride + first, dia.values.data() + d * dia.stride + end, T{});
    }
    std::uint64_t* const held = dia.held.data();
    const offset_t words = dia.stride / 8;  // of a group
    for (offset_t g = 0; g < dia.groups(); ++g) std::fill(held + g * words + first / 8, held + g * words + end / 8, 0);
    for (std::int64_t r = first; r < std::min<std::int64_t>(end, a.rows); ++r) {
        for (offset_t k = a.row_ptrs[r]; k < a.row_ptrs[r + 1]; ++k) {
            const offset_t d = diagonals.place_of(a.col_idxs[k] - r);
            dia.values[d * dia.stride + r] = values[k];
            held[d / 8 * words + r / 8] |= std::uint64_t{1} << (d % 8 * 8 + r % 8);
        }
    }
}

/// Calls f(diagonal, column) for the nonzeros of row `r`, in their order.
template <class T, class F>
void for_each_in_row(const Dia<T>& a, std::int64_t r, F&& f) {
    for (offset_t g = 0; g < a.groups(); ++g) {
        std::uint64_t left = a.held[g * (a.stride / 8) + r / 8] >> r % 8 & kOneRow;
        for (; left != 0; left &= left - 1) {
            const int i = std::countr_zero(left) / 8;
            f(g * 8 + i, static_cast<index_t>(r + a.offsets[g].of[static_cast<std::size_t>(i)]));
        }
    }
}

}  // namespace

template <Value V>
std::uint64_t dia_bytes(const CsrMatrix<V>& a) {
    return bytes_of(a, Diagonals(a).count());
}

template <class T, Value V>
Dia<T> make_dia(const CsrMatrix<V>& a, const Buffer<T>& values) {
    const Diagonals diagonals(a);
    const offset_t count = diagonals.count();
    refuse_if_large({"DIA", bytes_of(a, count), kDiaAlwaysFine, fmt::format("it has {} diagonals", count)}, a);
    Dia<T> dia{a.rows, a.cols, count, stride_of(a), {}, {}, {}};
    dia.offsets = Buffer<DiaOffsets>(static_cast<std::size_t>(div_up(count, Dia<T>::kGroup)), DiaOffsets{});
    dia.held = Buffer<std::uint64_t>(dia.offsets.size() * static_cast<std::size_t>(dia.stride / 8));
    dia.values = Buffer<T>(static_cast<std::size_t>(count * dia.stride));
    std::size_t d = 0;
    diagonals.for_each([&](index_t offset) {
        dia.offsets[d / 8].of[d % 8] = offset;
        ++d;
    });
    parallel_ranges(0, dia.stride, kFillGrain,
                    [&](std::int64_t first, std::int64_t end) { fill_rows(dia, diagonals, a, values, first, end); });
    return dia;
}

template <Value V>
CsrMatrix<V> to_csr(const Dia<V>& a) {
    CsrMatrix<V> csr;
    csr.rows = a.rows;
    csr.cols = a.cols;
    csr.row_ptrs = Buffer<offset_t>(static_cast<std::size_t>(a.rows) + 1, 0);
    parallel_for(0, a.rows, kGrain,
                 [&](std::int64_t r) { for_each_in_row(a, r, [&](offset_t, index_t) { ++csr.row_ptrs[r + 1]; }); });
    std::partial_sum(csr.row_ptrs.begin(), csr.row_ptrs.end(), csr.row_ptrs.begin());
    const auto nnz = static_cast<std::size_t>(csr.row_ptrs[a.rows]);
    csr.col_idxs = Buffer<index_t>(nnz);
    csr.values = Buffer<V>(nnz);
    parallel_for(0, a.rows, kGrain, [&](std::int64_t r) {
        offset_t k = csr.row_ptrs[r];
        for_each_in_row(a, r, [&](offset_t d, index_t column) {
            csr.col_idxs[k] = column;
            csr.values[k++] = a.values[d * a.stride + r];
        });
    });
    return csr;
}

#define TILESPMV_INSTANTIATE(V)                                                              \
    template std::uint64_t dia_bytes(const CsrMatrix<V>&);                                   \
    template Dia<V> make_dia(const CsrMatrix<V>&, const Buffer<V>&);                         \
    template Dia<std::uint32_t> make_dia(const CsrMatrix<V>&, const Buffer<std::uint32_t>&); \
    template Dia<std::uint64_t> make_dia(const CsrMatrix<V>&, const Buffer<std::uint64_t>&); \
    template CsrMatrix<V> to_csr(const Dia<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
