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
#include "kernels/cpu/schedule.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilespmv::cpu::HWY_NAMESPACE {

/// Columns that are multiplied at a time: sums of even and of odd nonzeros of a row stay in registers.
inline constexpr int kColumnVectors = 4;
inline constexpr int kPanelColumns = kColumnVectors * kLanes;

/// Rows of X: `kVectors` vectors of each, of which the last has lanes for the columns that there are.
template <Value V, int kVectors>
class XRows {
public:
    XRows(const Block<const V>& x) : x_(x.data), ld_(x.ld) {
        const int left = x.cols - (kVectors - 1) * kLanes;
        last_lanes_ = (1U << left) - 1;
    }
    HWY_INLINE const V* row(index_t r) const { return x_ + static_cast<std::size_t>(r) * ld_; }
    HWY_INLINE void add(const V* row, double value, Vec* sums) const {
        const Vec factor = hn::Set(D(), value);
        for (int v = 0; v + 1 < kVectors; ++v) sums[v] = hn::MulAdd(factor, load(row + v * kLanes), sums[v]);
        constexpr int last = kVectors - 1;
        sums[last] = hn::MulAdd(factor, load_some(last_lanes_, row + last * kLanes), sums[last]);
    }
    HWY_INLINE void prefetch(index_t r) const {
        const V* const first = row(r);
        for (std::size_t at = 0; at < kVectors * kLanes; at += 64 / sizeof(V)) __builtin_prefetch(first + at, 0, 2);
    }

private:
    const V* x_;
    std::size_t ld_;
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
void sum_rows_of_columns(const CsrRows<V>& a, Span rows, Span nonzeros, const Block<const V>& block, double* sums) {
    const XRows<V, kVectors> x(block);
    const offset_t distance = a.x_access.prefetch_distance;
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
void sum_csr_columns(const CsrRows<V>& a, Span rows, Span nonzeros, const Block<const V>& x, double* sums) {
    if (x.cols <= kLanes) return sum_rows_of_columns<1>(a, rows, nonzeros, x, sums);
    if (x.cols <= 2 * kLanes) return sum_rows_of_columns<2>(a, rows, nonzeros, x, sums);
    if (x.cols <= 3 * kLanes) return sum_rows_of_columns<3>(a, rows, nonzeros, x, sums);
    sum_rows_of_columns<4>(a, rows, nonzeros, x, sums);
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

/// Lane r: the sum of row r, where sums of rows are `stride` apart.
HWY_INLINE Vec load_column(const double* sums, int stride) {
#if HWY_TARGET <= HWY_AVX3
    return gather(sums, hn::Mul(hn::Iota(Like<std::int32_t>(), 0), hn::Set(Like<std::int32_t>(), stride)));
#else
    return elements(sums, [stride](int r) HWY_ATTR { return r * stride; });
#endif
}

/// Lane i: x[i * step].
template <Value V>
HWY_INLINE Vec load_apart(const V* x, std::size_t step) {
#if HWY_TARGET <= HWY_AVX3
    const Like<std::int64_t> d;
    const auto at = hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<std::int64_t>(step)));
    if constexpr (std::is_same_v<V, double>) return hn::GatherIndex(D(), x, at);
    if constexpr (std::is_same_v<V, float>) {
        return hn::PromoteTo(D(), hn::Vec<Like<float>>{_mm512_i64gather_ps(at.raw, x, sizeof(float))});
    }
#else
    return elements(x, [step](int i) HWY_ATTR { return static_cast<std::size_t>(i) * step; });
#endif
}

/// Rows [first, end) of a block in column-major layout into row-major layout; `streams`: past the caches. Rows of `to`
/// are whole vectors, of which the last lanes have no column.
template <Value V>
void copy_to_rows(const Block<const V>& from, std::size_t first, std::size_t end, const Block<V>& to, bool streams) {
    const auto put = [streams](V* p, Vec v) HWY_ATTR { streams ? stream(p, v) : store(p, v); };
    const int whole = from.cols / kLanes * kLanes;
    for (std::size_t r = first; r < end; ++r) {
        V* const row = to.data + r * to.ld;
        for (int c = 0; c < whole; c += kLanes) put(row + c, load_apart(from.columns(c, 1).data + r, from.ld));
        if (whole == from.cols) continue;
        HWY_ALIGN V rest[kLanes] = {};
        for (int c = whole; c < from.cols; ++c) rest[c - whole] = from.at(r, c);
        put(row + whole, load(rest));
    }
    if (streams) hwy::FlushStream();
}

/// alpha * sum + beta * y for lanes of neighbours; past the caches where `streams` says so and the place allows it.
template <Value V>
HWY_INLINE void finish_lanes(Vec sum, Vec alpha, double beta, V* y, int n, bool streams) {
    Vec result = alpha * sum;
    if (streams && n >= kLanes && reinterpret_cast<std::uintptr_t>(y) % (sizeof(V) * kLanes) == 0) {
        return stream(y, result);
    }
    if (beta != 0) {
        const Vec old = load_some((1U << std::min(n, kLanes)) - 1, y);
        result = hn::MulAdd(hn::Set(D(), beta), old, result);
    }
    store_first(y, result, n);
}

/// y = alpha * sums + beta * y for the columns of y, `kPanelColumns` at most. There are sums for whole vectors of rows.
/// `streams`: past the caches, if y is not read; the caller flushes.
template <Value V>
void finish_columns(const double* sums, double alpha, double beta, const Block<V>& y, bool streams) {
    streams = streams && beta == 0;
    const Vec factor = hn::Set(D(), alpha);
    const auto rows = static_cast<std::int64_t>(y.rows);
    const int stride = row_of_sums(y.cols);
    if (y.layout == Layout::row_major) {
        for (std::int64_t r = 0; r < rows; ++r) {
            for (int c = 0; c < y.cols; c += kLanes) {
                finish_lanes(hn::LoadU(D(), sums + r * stride + c), factor, beta, &y.at(r, c), y.cols - c, streams);
            }
        }
    }
    for (int c = 0; c < y.cols && y.layout == Layout::column_major; ++c) {
        for (std::int64_t r = 0; r < rows; r += kLanes) {
            const auto n = static_cast<int>(std::min<std::int64_t>(rows - r, kLanes));
            finish_lanes(load_column(sums + r * stride + c, stride), factor, beta, &y.at(r, c), n, streams);
        }
    }
}

}  // namespace tilespmv::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
