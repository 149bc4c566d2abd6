#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/generate/generator.hpp"
#include "tile/generate/random.hpp"
#include "tile/parallel.hpp"
#include "tile/value_range.hpp"

namespace tilespmv::synthetic {
namespace {

constexpr std::int64_t kRowGrain = 256;
constexpr std::int64_t kItemGrain = 2048;

/// Throws `Error` now, and not after minutes of counting, if this machine cannot hold the matrix.
void require_memory(double nnz) {
    constexpr double more_than_any_machine = 0x1p44;
    if (nnz > more_than_any_machine) throw Error(fmt::format("out of memory: about {:.3g} nonzeros", nnz));
    Buffer<double>(static_cast<std::size_t>(nnz));
}

/// Calls use(row, its columns) for every row, in parallel.
template <class Use>
void each_row(index_t rows, const EmitRow& emit, Use use) {
    parallel_ranges(0, rows, kRowGrain, [&](std::int64_t first, std::int64_t last) {
        std::vector<index_t> columns;
        for (auto row = first; row < last; ++row) {
            columns.clear();
            emit(static_cast<index_t>(row), columns);
            if (!std::ranges::is_sorted(columns)) std::ranges::sort(columns);
            columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
            use(row, columns);
        }
    });
}

/// Calls use(entry) for every entry, in parallel.
template <class Use>
void each_entry(std::int64_t items, const EmitEntries& emit, Use use) {
    parallel_ranges(0, items, kItemGrain, [&](std::int64_t first, std::int64_t last) {
        std::vector<Entry> entries;
        for (auto k = first; k < last; ++k) emit(k, entries);
        std::ranges::for_each(entries, use);
    });
}

/// Sorts the columns of every row and drops the duplicates.
void sort_and_merge(Pattern& p) {
    Buffer<offset_t> lengths(p.rows);
    parallel_for(0, p.rows, kRowGrain, [&](std::int64_t row) {
        index_t* const first = p.col_idxs.data() + p.row_ptrs[row];
        index_t* const last = p.col_idxs.data() + p.row_ptrs[row + 1];
        std::sort(first, last);
        lengths[row] = std::unique(first, last) - first;
    });
    offset_t end = 0;
    for (index_t row = 0; row < p.rows; ++row) {
        const index_t* const first = p.col_idxs.data() + p.row_ptrs[row];
        std::copy(first, first + lengths[row], p.col_idxs.data() + end);
        p.row_ptrs[row] = end;
        end += lengths[row];
    }
    p.row_ptrs[p.rows] = end;
    p.col_idxs.truncate(end);
}

double off_diagonal(const ValueRule& rule, std::uint64_t seed, index_t row, index_t col) {
    if (rule.kind == ValueRule::Kind::general) return value_at(seed, row, col);
    return rule.mean + rule.spread * value_at(seed, std::min(row, col), std::max(row, col));
}

double diagonal(const ValueRule& rule, std::uint64_t seed, index_t row, std::span<const index_t> columns) {
    if (rule.kind != ValueRule::Kind::dominant) return off_diagonal(rule, seed, row, row);
    double sum = std::max(rule.shift, rule.full_length - static_cast<double>(columns.size()));
    for (const index_t col : columns) {
        if (col != row) sum += std::abs(off_diagonal(rule, seed, row, col));
    }
    return sum;
}

/// The values that a rule gives to a pattern, which must outlive them.
RowValues by_rule(const Pattern& p, const ValueRule& rule, std::uint64_t seed) {
    return [&p, rule, seed](index_t row, std::span<double> values) {
        const std::span<const index_t> columns(p.col_idxs.data() + p.row_ptrs[row], values.size());
        std::ranges::transform(columns, values.begin(), [&](index_t col) {
            return col == row ? diagonal(rule, seed, row, columns) : off_diagonal(rule, seed, row, col);
        });
    };
}

template <Value V>
void round_row(std::string_view name, index_t row, const index_t* columns, std::span<const double> from, V* to) {
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (leaves_range<V>(from[k])) fail_range(name, row, columns[k], fmt::format("{}", from[k]), value_name<V>());
        to[k] = static_cast<V>(from[k]);
    }
}

}  // namespace

Pattern build_rows(index_t rows, index_t cols, double expected_nnz, const EmitRow& emit) {
    require_memory(expected_nnz);
    Pattern p{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1), {}};
    p.row_ptrs[0] = 0;
    each_row(rows, emit, [&](std::int64_t row, const auto& columns) {
        p.row_ptrs[row + 1] = static_cast<offset_t>(columns.size());
    });
    std::partial_sum(p.row_ptrs.begin(), p.row_ptrs.end(), p.row_ptrs.begin());
    p.col_idxs = Buffer<index_t>(p.row_ptrs[rows]);
    each_row(rows, emit, [&](std::int64_t row, const auto& columns) {
        std::ranges::copy(columns, p.col_idxs.data() + p.row_ptrs[row]);
    });
    return p;
}

Pattern build_entries(index_t rows, index_t cols, std::int64_t items, double expected_nnz, const EmitEntries& emit) {
    require_memory(expected_nnz);
    Pattern p{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1, 0), {}};
    each_entry(items, emit, [&](const Entry& entry) {
        std::atomic_ref(p.row_ptrs[entry.row]).fetch_add(1, std::memory_order_relaxed);
    });
    std::partial_sum(p.row_ptrs.begin(), p.row_ptrs.end(), p.row_ptrs.begin());
    p.col_idxs = Buffer<index_t>(p.row_ptrs[rows]);
    // Each pointer starts at the end of its row and comes down to its begin. Threads fill a row in any order; sorting
    // makes it one again.
    each_entry(items, emit, [&](const Entry& entry) {
        const auto end = std::atomic_ref(p.row_ptrs[entry.row]).fetch_sub(1, std::memory_order_relaxed);
        p.col_idxs[end - 1] = entry.col;
    });
    sort_and_merge(p);
    return p;
}

template <Value V>
CsrMatrix<V> with_values(std::string_view name, Generated made, std::uint64_t seed) {
    Pattern& p = made.pattern;
    if (!made.row_values) made.row_values = by_rule(p, made.rule, seed);
    Buffer<V> values(p.col_idxs.size());
    parallel_ranges(0, p.rows, kRowGrain, [&](std::int64_t first, std::int64_t last) {
        std::vector<double> of_row;
        for (auto i = first; i < last; ++i) {
            const auto row = static_cast<index_t>(i);
            const auto begin = p.row_ptrs[i];
            of_row.resize(p.row_ptrs[i + 1] - begin);
            made.row_values(row, of_row);
            round_row(name, row, p.col_idxs.data() + begin, of_row, values.data() + begin);
        }
    });
    return {p.rows, p.cols, std::move(p.row_ptrs), std::move(p.col_idxs), std::move(values)};
}

#define TILESPMV_INSTANTIATE(V) template CsrMatrix<V> with_values(std::string_view, Generated, std::uint64_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::synthetic
