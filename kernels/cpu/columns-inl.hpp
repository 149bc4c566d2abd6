// Products of CSR rows with several columns, a vector lane a column. Included once per instruction set.

#if defined(TILESPMV_KERNELS_CPU_COLUMNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESPMV_KERNELS_CPU_COLUMNS_INL_HPP
#undef TILESPMV_KERNELS_CPU_COLUMNS_INL_HPP
#else
#define TILESPMV_KERNELS_CPU_COLUMNS_INL_HPP
#endif

#include <algorithm>
#include <type_traits>

#include "kernels/block.hpp"
#include "kernels/cpu/csr_rows.hpp"
#include "kernels/cpu/lanes-inl.hpp"
#include "kernels/cpu/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// Columns that are multiplied at a time: sums of even and of odd nonzeros of a row stay in registers.
inline constexpr int kColumnVectors = 4;
inline constexpr int kPanelColumns = kColumnVectors * kLanes;

/// Rows of X: `kVectors` vectors of each, of which the last has lanes for the columns that there are.
template <Value V, int kVectors>
class XRows {
public:
    XRows(const Block<const V>& x, index_t row_bits)
        : x_(x.data), ld_(x.ld), last_(static_cast<std::size_t>(x.cols) - 1), row_bits_(row_bits) {
        const int left = x.cols - (kVectors - 1) * kLanes;
        last_lanes_ = (1U << left) - 1;
    }
    HWY_INLINE const V* row(index_t r) const { return x_ + static_cast<std::size_t>(r & row_bits_) * ld_; }
    HWY_INLINE void add(const V* row, double value, Vec* sums) const {
        const Vec factor = hn::Set(D(), value);
        for (int v = 0; v + 1 < kVectors; ++v) sums[v] = hn::MulAdd(factor, load(row + v * kLanes), sums[v]);
        constexpr int last = kVectors - 1;
        sums[last] = hn::MulAdd(factor, load_some(last_lanes_, row + last * kLanes), sums[last]);
    }
    HWY_INLINE void prefetch(index_t r) const {
        const V* const first = row(r);
        for (std::size_t at = 0; at < last_; at += 64 / sizeof(V)) __builtin_prefetch(first + at, 0, 2);
        __builtin_prefetch(first + last_, 0, 2);  // on a line of its own where rows do not begin at lines
    }

private:
    const V* x_;
    std::size_t ld_;
    std::size_t last_;  // column
    index_t row_bits_;
    unsigned last_lanes_;
};

/// Doubles from the sums of a row to those of the next one, of a panel with so many columns.
HWY_INLINE int row_of_sums(int columns) { return (columns + kLanes - 1) / kLanes * kLanes; }

/// The sums of nonzeros [p, end) of a row.
template <int kVectors, Value V>
HWY_INLINE void sum_row_of_columns(const CsrRows<V>& a, offset_t p, offset_t end, const XRows<V, kVectors>& x,
                                   double* sums) {
    Vec even[kVectors];
    Vec odd[kVectors];
    for (int v = 0; v < kVectors; ++v) even[v] = odd[v] = hn::Zero(D());
    const V* const values = a.values.data();
    const index_t* const cols = a.col_idxs.data();
    for (; p + 2 <= end; p += 2) {
        x.add(x.row(cols[p]), static_cast<double>(values[p]), even);
        x.add(x.row(cols[p + 1]), static_cast<double>(values[p + 1]), odd);
    }
    if (p < end) x.add(x.row(cols[p]), static_cast<double>(values[p]), even);
    for (int v = 0; v < kVectors; ++v) hn::StoreU(even[v] + odd[v], D(), sums + v * kLanes);
}

template <int kVectors, Value V>
void sum_rows_of_columns(const CsrRows<V>& a, Span rows, Span nonzeros, const Block<const V>& block, index_t row_bits,
                         double* sums) {
    const XRows<V, kVectors> x(block, row_bits);
    const offset_t distance = a.prefetch_distance;
    offset_t p = nonzeros.begin;
    offset_t prefetched = p;
    for (offset_t k = rows.begin; k < rows.end; ++k, sums += kVectors * kLanes) {
        const offset_t end = std::clamp(a.begin(k + 1), p, nonzeros.end);
        if (distance > 0) {
            const offset_t until = std::min(end + distance, nonzeros.end);
            for (; prefetched < until; ++prefetched) x.prefetch(a.col_idxs[prefetched]);
        }
        sum_row_of_columns(a, p, end, x, sums);
        p = end;
    }
}

template <Value V>
void sum_csr_columns(const CsrRows<V>& a, Span rows, Span nonzeros, const Block<const V>& x, index_t row_bits,
                     double* sums) {
    if (x.cols <= kLanes) return sum_rows_of_columns<1>(a, rows, nonzeros, x, row_bits, sums);
    if (x.cols <= 2 * kLanes) return sum_rows_of_columns<2>(a, rows, nonzeros, x, row_bits, sums);
    if (x.cols <= 3 * kLanes) return sum_rows_of_columns<3>(a, rows, nonzeros, x, row_bits, sums);
    sum_rows_of_columns<4>(a, rows, nonzeros, x, row_bits, sums);
}

HWY_INLINE void store(double* p, Vec v) { hn::StoreU(v, D(), p); }
HWY_INLINE void store(float* p, Vec v) { hn::StoreU(hn::DemoteTo(Like<float>(), v), Like<float>(), p); }

/// Past the caches, at a multiple of the bytes of a vector.
HWY_INLINE void stream(double* p, Vec v) { hn::Stream(v, D(), p); }
HWY_INLINE void stream(float* p, Vec v) {
    if constexpr (kLanes * sizeof(float) < 16) return store(p, v);  // Highway streams 16 bytes at least
    hn::Stream(hn::DemoteTo(Like<float>(), v), Like<float>(), p);
}

/// The first n lanes; nothing behind them is written.
template <Value V>
HWY_INLINE void store_first(V* p, Vec v, int n) {
    if (n >= kLanes) return store(p, v);
#if HWY_TARGET <= HWY_AVX3
    const unsigned lanes = (1U << n) - 1;
    if constexpr (std::is_same_v<V, double>) hn::BlendedStore(v, mask_of<D>(lanes), D(), p);
    if constexpr (std::is_same_v<V, float>) {
        hn::BlendedStore(hn::DemoteTo(Like<float>(), v), mask_of<Like<float>>(lanes), Like<float>(), p);
    }
#else
    HWY_ALIGN V lanes[kLanes];
    store(lanes, v);
    for (int i = 0; i < n; ++i) p[i] = lanes[i];
#endif
}

/// A block in column-major layout into one in row-major layout; `streams`: past the caches, if rows of `to` are whole
/// vectors, of which the last lanes have no column.
template <Value V>
void copy_to_rows(const Block<const V>& from, const Block<V>& to, bool streams) {
    for (std::size_t r = 0; r < from.rows; r += kLanes) {
        const auto rows = static_cast<int>(std::min<std::size_t>(from.rows - r, kLanes));
        for (int c = 0; c < from.cols; c += kLanes) {
            const int last = std::min(from.cols - c, kLanes) - 1;
            Vec v[kLanes];
            for (int i = 0; i < kLanes; ++i) v[i] = load_some((1U << rows) - 1, &from.at(r, c + std::min(i, last)));
            transpose(v);
            for (int i = 0; i < rows; ++i) {
                V* const place = &to.at(r + static_cast<std::size_t>(i), c);
                streams ? stream(place, v[i]) : store_first(place, v[i], last + 1);
            }
        }
    }
    if (streams) hwy::FlushStream();
}

/// y[i] = alpha * sums[i] + beta * y[i] for i in [i, end).
template <Value V>
HWY_INLINE void finish_some(const double* sums, double alpha, double beta, V* y, int i, int end) {
    for (; i < end; i += kLanes) {
        const int n = std::min(end - i, kLanes);
        Vec result = hn::Set(D(), alpha) * hn::LoadU(D(), sums + i);
        if (beta != 0) result = hn::MulAdd(hn::Set(D(), beta), load_some((1U << n) - 1, y + i), result);
        store_first(y + i, result, n);
    }
}

/// The same for `count` values. If it `streams`, whole lines of memory are written past the caches: a line of which
/// some values were would be fetched for the others.
template <Value V>
void finish_line(const double* sums, double alpha, double beta, V* y, int count, bool streams) {
    constexpr int line = 64 / sizeof(V);
    if (!streams || beta != 0) return finish_some(sums, alpha, beta, y, 0, count);
    const auto misplaced = static_cast<int>(reinterpret_cast<std::uintptr_t>(y) / sizeof(V) % line);
    const int first = std::min((line - misplaced) % line, count);
    const int end = first + (count - first) / line * line;
    finish_some(sums, alpha, beta, y, 0, first);
    for (int i = first; i < end; i += kLanes) stream(y + i, hn::Set(D(), alpha) * hn::LoadU(D(), sums + i));
    finish_some(sums, alpha, beta, y, end, count);
}

/// Rows of y; where nothing lies between them they are one line.
template <Value V>
void finish_rows(const double* sums, double alpha, double beta, const Block<V>& y, bool streams) {
    using Kernels = SimdKernels<V>;
    const int stride = row_of_sums(y.cols);
    const auto rows = static_cast<int>(y.rows);
    HWY_ALIGN double dense[Kernels::kPanelRows * Kernels::kMostPanelColumns + kLanes];
    if (y.ld == static_cast<std::size_t>(y.cols)) {
        for (int r = 0; r < rows && stride != y.cols; ++r) {
            for (int c = 0; c < y.cols; c += kLanes) {
                hn::StoreU(hn::LoadU(D(), sums + r * stride + c), D(), dense + r * y.cols + c);
            }
        }
        return finish_line(stride == y.cols ? sums : dense, alpha, beta, y.data, rows * y.cols, streams);
    }
    for (int r = 0; r < rows; ++r) {
        finish_line(sums + r * stride, alpha, beta, y.data + static_cast<std::size_t>(r) * y.ld, y.cols, streams);
    }
}

/// y = alpha * sums + beta * y for the columns of y, `kPanelColumns` at most. `streams`: past the caches, if y is not
/// read; the caller flushes.
template <Value V>
void finish_columns(const double* sums, double alpha, double beta, const Block<V>& y, bool streams) {
    if (y.layout == Layout::row_major) return finish_rows(sums, alpha, beta, y, streams);
    constexpr int kRows = SimdKernels<V>::kPanelRows;
    const auto rows = static_cast<int>(y.rows);
    const int stride = row_of_sums(y.cols);
    HWY_ALIGN double columns[kLanes * kRows + kLanes];
    for (int c = 0; c < y.cols; c += kLanes) {
        for (int r = 0; r < rows; r += kLanes) {
            Vec v[kLanes];
            for (int i = 0; i < kLanes; ++i) v[i] = hn::LoadU(D(), sums + std::min(r + i, rows - 1) * stride + c);
            transpose(v);
            for (int i = 0; i < kLanes; ++i) hn::Store(v[i], D(), columns + i * kRows + r);
        }
        for (int i = 0; i < std::min(y.cols - c, kLanes); ++i) {
            finish_line(columns + i * kRows, alpha, beta, &y.at(0, c + i), rows, streams);
        }
    }
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
