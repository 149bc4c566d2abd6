#include "kernels/operators/strip/strip_matrix.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kernels/operators/strip/strip.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

std::size_t first_value(const StripRun& run, std::uint32_t i) {
    return (std::size_t{run.first_slot} + std::size_t{i} * run.slots) * kTileSize;
}

/// Calls f(run, i) for every strip, in parallel.
template <class F>
void for_each_strip(const Strips& s, F&& f) {
    parallel_for(0, static_cast<std::int64_t>(s.runs.size()), 16, [&](std::int64_t at) {
        const StripRun& run = s.runs[static_cast<std::size_t>(at)];
        for (std::uint32_t i = 0; i < run.strips; ++i) f(run, i);
    });
}

/// From strips, and from CSR for the rows that are none, to CSR.
template <Value V>
class Unpacker {
public:
    /// `rest` may be null: its rows are empty then.
    Unpacker(const Strips& s, const Buffer<V>& values, const CsrMatrix<V>* rest)
        : s_(s), values_(values), rest_(rest) {}

    [[nodiscard]] Buffer<offset_t> row_ptrs(index_t rows) const {
        Buffer<offset_t> ptrs(static_cast<std::size_t>(rows) + 1, offset_t{0});
        for_each_strip(s_, [&](const StripRun& run, std::uint32_t i) {
            for_each_nonzero(s_, run, i, [&](int, int r, int) { ++ptrs[first_row(run, i) + r + 1]; });
        });
        for_each_rest_row([&](index_t r) { ptrs[r + 1] = rest_->row_ptrs[r + 1] - rest_->row_ptrs[r]; });
        for (index_t r = 0; r < rows; ++r) ptrs[r + 1] += ptrs[r];
        return ptrs;
    }

    CsrMatrix<V> run(index_t rows, index_t cols) {
        a_ = {rows, cols, row_ptrs(rows), {}, {}};
        a_.col_idxs = Buffer<index_t>(static_cast<std::size_t>(a_.row_ptrs[rows]));
        a_.values = Buffer<V>(a_.col_idxs.size());
        for_each_strip(s_, [&](const StripRun& run, std::uint32_t i) { fill(run, i); });
        for_each_rest_row([&](index_t r) { copy_row(r); });
        return std::move(a_);
    }

private:
    [[nodiscard]] std::int64_t first_row(const StripRun& run, std::uint32_t i) const {
        return std::int64_t{s_.tile_rows[run.first_strip + i]} * kTileSize;
    }

    template <class F>
    void for_each_rest_row(F&& f) const {
        if (rest_ == nullptr) return;
        for (const RowRange range : s_.rest) {
            parallel_for(range.first, range.end, 1024, [&](std::int64_t r) { f(static_cast<index_t>(r)); });
        }
    }

    void fill(const StripRun& run, std::uint32_t i) {
        const std::int64_t row0 = first_row(run, i);
        const V* strip = values_.data() + first_value(run, i);
        std::array<offset_t, kTileSize> next{};
        for (int r = 0; r < kTileSize && row0 + r < a_.rows; ++r) next[r] = a_.row_ptrs[row0 + r];
        for_each_nonzero(s_, run, i, [&](int k, int r, int place) {
            const std::size_t quad = run.quad_of(i) + static_cast<std::size_t>(k / kQuad);
            const int code = s_.codes[quad * kTileSize + static_cast<std::size_t>(r)] >> (4 * (k % kQuad)) & 15;
            const std::int64_t base = row0 + s_.bases[quad * kQuad + static_cast<std::size_t>(k % kQuad)];
            a_.col_idxs[next[r]] = static_cast<index_t>(base + code);
            a_.values[next[r]++] = strip[place];
        });
    }

    void copy_row(index_t r) {
        const offset_t first = rest_->row_ptrs[r];
        const offset_t count = rest_->row_ptrs[r + 1] - first;
        std::copy_n(rest_->col_idxs.data() + first, count, a_.col_idxs.data() + a_.row_ptrs[r]);
        std::copy_n(rest_->values.data() + first, count, a_.values.data() + a_.row_ptrs[r]);
    }

    const Strips& s_;
    const Buffer<V>& values_;
    const CsrMatrix<V>* rest_;
    CsrMatrix<V> a_;
};

}  // namespace

template <Value V>
CsrMatrix<V> to_csr(const Strips& s, index_t rows, index_t cols, const Buffer<V>& values) {
    return Unpacker<V>(s, values, nullptr).run(rows, cols);
}

template <Value V>
Buffer<offset_t> row_ptrs_of(const StripMatrix<V>& m) {
    return Unpacker<V>(m.strips, m.values, &m.rest).row_ptrs(m.rows);
}

template <Value V>
Buffer<V> rearranged(const Strips& s, const Buffer<V>& values, int together) {
    Buffer<V> moved(values.size());
    for_each_strip(s, [&](const StripRun& run, std::uint32_t i) {
        const std::size_t first = first_value(run, i);
        for (int k = 0; k < run.slots; ++k) {
            for (int r = 0; r < kTileSize; ++r) {
                moved[first + static_cast<std::size_t>(strip_place(k, r, run.slots, together))] =
                    values[first + static_cast<std::size_t>(strip_place(k, r, run.slots, s.together))];
            }
        }
    });
    return moved;
}

template <Value V>
CsrMatrix<V> rows_in(const CsrMatrix<V>& a, const std::vector<RowRange>& ranges) {
    CsrMatrix<V> part{a.rows, a.cols, Buffer<offset_t>(a.row_ptrs.size()), {}, {}};
    offset_t nnz = 0;
    index_t row = 0;
    const auto add_rows = [&](index_t end, bool are_full) {
        for (; row < end; ++row) {
            part.row_ptrs[row] = nnz;
            if (are_full) nnz += a.row_ptrs[row + 1] - a.row_ptrs[row];
        }
    };
    for (const RowRange range : ranges) {
        add_rows(range.first, false);
        add_rows(range.end, true);
    }
    add_rows(a.rows, false);
    part.row_ptrs[a.rows] = nnz;
    part.col_idxs = Buffer<index_t>(static_cast<std::size_t>(nnz));
    part.values = Buffer<V>(part.col_idxs.size());
    for (const RowRange range : ranges) {
        const offset_t first = a.row_ptrs[range.first];
        const offset_t count = a.row_ptrs[range.end] - first;
        const offset_t at = part.row_ptrs[range.first];
        std::copy_n(a.col_idxs.data() + first, count, part.col_idxs.data() + at);
        std::copy_n(a.values.data() + first, count, part.values.data() + at);
    }
    return part;
}

#define TILESPMV_INSTANTIATE(V)                                                       \
    template Buffer<offset_t> row_ptrs_of(const StripMatrix<V>&);                     \
    template CsrMatrix<V> rows_in(const CsrMatrix<V>&, const std::vector<RowRange>&); \
    template CsrMatrix<V> to_csr(const Strips&, index_t, index_t, const Buffer<V>&);  \
    template Buffer<V> rearranged(const Strips&, const Buffer<V>&, int);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)
#undef TILESPMV_INSTANTIATE

template <Value V>
StripMatrix<V> make_strip_matrix(const CsrMatrix<V>& a, double most_bytes) {
    validate_row_ptrs(a);
    auto limits = strip_limits(a.rows, a.nnz(), sizeof(V), measured_gpu(sizeof(V)));
    limits.most_bytes = most_bytes;
    return make_strip_matrix(a, limits);
}

template <Value V>
StripMatrix<V> make_strip_matrix(const CsrMatrix<V>& a, const StripLimits& limits) {
    StripMatrix<V> m;
    m.rows = a.rows;
    m.cols = a.cols;
    m.nnz = a.nnz();
    m.strips = make_strips(a, limits);
    m.values = in_strips(m.strips, a.row_ptrs, a.values);
    if (!m.strips.rest.empty()) m.rest = rows_in(a, m.strips.rest);
    return m;
}

std::int64_t tile_row_count(const Strips& strips) {
    auto count = static_cast<std::int64_t>(strips.tile_rows.size());
    for (const RowRange range : strips.rest) count += div_up(range.end, kTileSize) - range.first / kTileSize;
    return count;
}

template <Value V>
void validate_sizes(const StripMatrix<V>& m) {
    const std::int64_t tile_rows = tile_row_count(m.strips);
    const std::int64_t expected = div_up(m.rows, kTileSize);
    if (tile_rows != expected) throw Error(fmt::format("strips: {} tile rows, expected {}", tile_rows, expected));
    const auto values = static_cast<std::size_t>(m.strips.slots) * kTileSize;
    if (m.values.size() != values) {
        throw Error(fmt::format("strips: {} values, expected {}", m.values.size(), values));
    }
    validate_sizes(m.rest);
}

template <Value V>
CsrMatrix<V> to_csr(const StripMatrix<V>& m) {
    validate_sizes(m);
    return Unpacker<V>(m.strips, m.values, &m.rest).run(m.rows, m.cols);
}

#define TILESPMV_INSTANTIATE(V)                                                         \
    template StripMatrix<V> make_strip_matrix(const CsrMatrix<V>&, double);             \
    template StripMatrix<V> make_strip_matrix(const CsrMatrix<V>&, const StripLimits&); \
    template void validate_sizes(const StripMatrix<V>&);                                \
    template CsrMatrix<V> to_csr(const StripMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
