#include "tile/csr.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <sys/mman.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"
#include "tile/value_range.hpp"

namespace tilespmv {
namespace {

template <class V>
void validate_row(const CsrMatrix<V>& a, std::int64_t row) {
    const index_t* col = a.col_idxs.data();
    for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
        if (col[p] < 0 || col[p] >= a.cols) {
            throw Error(fmt::format("CSR: row {} has column {}, expected 0 to {}", row, col[p], a.cols - 1));
        }
        if (p > a.row_ptrs[row] && col[p] <= col[p - 1]) {
            throw Error(
                fmt::format("CSR: row {} has column {} after {}, expected ascending columns", row, col[p], col[p - 1]));
        }
    }
}

/// Nobody writes through it.
template <class T>
Buffer<T> borrowed(std::span<const T> array) {
    return Buffer<T>::view(const_cast<T*>(array.data()), array.size(), nullptr);
}

template <Value V>
index_t row_of(const CsrMatrix<V>& a, offset_t p) {
    return static_cast<index_t>(std::ranges::upper_bound(a.row_ptrs, p) - a.row_ptrs.begin() - 1);
}

}  // namespace

std::shared_ptr<void> allocate_bytes(std::size_t bytes) {
    constexpr std::size_t cache_line = 64;
    constexpr std::size_t huge_page = std::size_t{1} << 21;
    const std::size_t alignment = bytes >= 2 * huge_page ? huge_page : cache_line;
    // No padding to the alignment: posix_memalign, unlike aligned_alloc, takes any size.
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, bytes) != 0) {
        throw Error(fmt::format("out of memory: {} bytes are needed", bytes));
    }
    if (alignment == huge_page) {
        madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; fewer page faults and TLB misses where it is taken
    }
    return {memory, std::free};
}

template <Value V>
void validate_sizes(const CsrMatrix<V>& a) {
    if (a.rows < 0 || a.cols < 0) throw Error(fmt::format("CSR: negative size {} x {}", a.rows, a.cols));
    const auto entries = static_cast<std::size_t>(a.rows) + 1;
    if (a.row_ptrs.size() != entries) {
        throw Error(fmt::format("CSR: row_ptrs has {} entries, expected rows + 1 = {}", a.row_ptrs.size(), entries));
    }
    if (a.values.size() != a.col_idxs.size()) {
        throw Error(fmt::format("CSR: {} values for {} columns", a.values.size(), a.col_idxs.size()));
    }
    if (a.row_ptrs[0] != 0 || a.row_ptrs[entries - 1] != a.nnz()) {
        throw Error(fmt::format("CSR: row_ptrs runs from {} to {}, expected 0 to {}", a.row_ptrs[0],
                                a.row_ptrs[entries - 1], a.nnz()));
    }
}

template <Value V>
CsrMatrix<V> borrow_csr(index_t rows, index_t cols, std::span<const std::int64_t> row_ptrs,
                        std::span<const index_t> col_idxs, std::span<const V> values) {
    return {rows, cols, borrowed(row_ptrs), borrowed(col_idxs), borrowed(values)};
}

template <Value V>
CsrMatrix<V> borrow_csr(index_t rows, index_t cols, std::span<const std::int32_t> row_ptrs,
                        std::span<const index_t> col_idxs, std::span<const V> values) {
    Buffer<offset_t> wide(row_ptrs.size());
    parallel_for(0, static_cast<std::int64_t>(wide.size()), kRowGrain,
                 [&](std::int64_t i) { wide[i] = row_ptrs[static_cast<std::size_t>(i)]; });
    return {rows, cols, std::move(wide), borrowed(col_idxs), borrowed(values)};
}

template <Value V>
void validate_row_ptrs(const CsrMatrix<V>& a) {
    validate_sizes(a);
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t row) {
        if (a.row_ptrs[row + 1] < a.row_ptrs[row]) {
            throw Error(fmt::format("CSR: row_ptrs descends from {} to {} at row {}", a.row_ptrs[row],
                                    a.row_ptrs[row + 1], row));
        }
    });
}

template <Value V>
void validate(const CsrMatrix<V>& a) {
    validate_row_ptrs(a);
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t row) { validate_row(a, row); });
}

template <Value To, Value From>
CsrMatrix<To> convert_values(const CsrMatrix<From>& a) {
    validate_row_ptrs(a);
    CsrMatrix<To> out{a.rows, a.cols, a.row_ptrs.clone(), a.col_idxs.clone(), Buffer<To>(a.values.size())};
    parallel_ranges(0, a.nnz(), 1 << 16, [&](std::int64_t first, std::int64_t last) {
        for (auto p = first; p < last; ++p) {
            const auto value = widened(a.values[p]);
            if (leaves_range<To>(value))
                fail_range("", row_of(a, p), a.col_idxs[p], fmt::format("{}", value), value_name<To>());
            out.values[p] = static_cast<To>(value);
        }
    });
    return out;
}

#define TILESPMV_INSTANTIATE(V)                                                                                 \
    template CsrMatrix<V> borrow_csr(index_t, index_t, std::span<const std::int64_t>, std::span<const index_t>, \
                                     std::span<const V>);                                                       \
    template CsrMatrix<V> borrow_csr(index_t, index_t, std::span<const std::int32_t>, std::span<const index_t>, \
                                     std::span<const V>);                                                       \
    template void validate_row_ptrs(const CsrMatrix<V>&);                                                       \
    template void validate_sizes(const CsrMatrix<V>&);                                                          \
    template void validate(const CsrMatrix<V>&);                                                                \
    template CsrMatrix<V> convert_values(const CsrMatrix<double>&);                                             \
    template CsrMatrix<V> convert_values(const CsrMatrix<float>&);                                              \
    template CsrMatrix<V> convert_values(const CsrMatrix<Half>&);                                               \
    template CsrMatrix<V> convert_values(const CsrMatrix<Bfloat16>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
