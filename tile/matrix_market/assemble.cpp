#include "tile/matrix_market/assemble.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "tile/parallel.hpp"
#include "tile/value_range.hpp"

namespace tilespmv::matrix_market {
namespace {

constexpr std::int64_t kRowGrain = 1024;

/// First nonzero of each bucket, and their number at the end.
template <class E>
std::vector<offset_t> bucket_offsets(const EntryStore<E>& entries) {
    std::vector<offset_t> offsets(static_cast<std::size_t>(entries.buckets()) + 1);
    parallel_for(0, entries.buckets(), 1, [&](std::int64_t bucket) {
        entries.for_each_run(bucket, [&](auto run) { offsets[bucket + 1] += static_cast<offset_t>(run.size()); });
    });
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    return offsets;
}

constexpr index_t kUnused = -1;

/// Sorts by column; equal columns keep their order.
template <class E>
void sort_by_column(std::span<E> row) {
    constexpr std::size_t short_row = 32;
    const auto by_column = [](const E& a, const E& b) { return a.col < b.col; };
    if (std::is_sorted(row.begin(), row.end(), by_column)) return;
    if (row.size() > short_row) return std::stable_sort(row.begin(), row.end(), by_column);
    for (auto end = row.begin() + 1; end != row.end(); ++end) {
        std::rotate(std::upper_bound(row.begin(), end, *end, by_column), end, end + 1);
    }
}

/// The sum of entries of one place. Only numbers that were not finite in the file may make it Inf or NaN.
template <Value V, class E>
V sum_of(std::span<const E> entries, std::string_view name) {
    double sum = -0.0;  // keeps the sign of zeros
    bool finite = true;
    for (const E& entry : entries) {
        const auto value = static_cast<double>(entry.value);
        sum += value;
        finite = finite && std::isfinite(value);
    }
    if (finite && (!std::isfinite(sum) || leaves_range<V>(sum))) {
        fail_range(name, entries[0].row, entries[0].col,
                   fmt::format("{} as the sum of {} entries", sum, entries.size()), value_name<V>());
    }
    return static_cast<V>(sum);
}

/// Writes a sorted row from nonzero `p` on, neighbours of the same column as their sum, and marks the places that this
/// leaves at the end of the row. Returns how many they are.
template <Value V, class E>
offset_t put_row(std::span<const E> row, offset_t p, CsrMatrix<V>& a, std::string_view name) {
    const offset_t end = p + static_cast<offset_t>(row.size());
    for (std::size_t i = 0; i < row.size(); ++p) {
        a.col_idxs[p] = row[i].col;
        a.values[p] = static_cast<V>(row[i].value);
        const std::size_t first = i++;
        while (i < row.size() && row[i].col == row[first].col) ++i;
        if (i - first > 1) a.values[p] = sum_of<V>(row.subspan(first, i - first), name);
    }
    std::fill(a.col_idxs.data() + p, a.col_idxs.data() + end, kUnused);
    return end - p;
}

/// Turns the entries of one bucket after the other into rows of a matrix.
template <Value V, class E>
class BucketAssembly {
public:
    /// Fills the rows of a bucket, whose nonzeros lie in [first, last); returns how many of their places stay unused.
    offset_t run(const EntryStore<E>& entries, std::int64_t bucket, offset_t first, offset_t last, CsrMatrix<V>& a,
                 std::string_view name) {
        offset_t* ends = a.row_ptrs.data() + 1;
        sort_by_row(entries, bucket, first, last, ends);
        offset_t unused = 0;
        offset_t begin = first;
        for (index_t row = entries.first_row(bucket); row < entries.first_row(bucket + 1); begin = ends[row++]) {
            const std::span<E> items(by_row_.data() + (begin - first), by_row_.data() + (ends[row] - first));
            sort_by_column(items);
            unused += put_row<V, E>(items, begin, a, name);
        }
        return unused;
    }

private:
    /// Sorts by row, in the order of the file within a row, and sets the ends of the rows.
    void sort_by_row(const EntryStore<E>& entries, std::int64_t bucket, offset_t first, offset_t last, offset_t* ends) {
        const auto size = static_cast<std::size_t>(last - first);
        if (by_row_.size() < size) by_row_ = Buffer<E>(size);
        const auto begin = ends + entries.first_row(bucket);
        const auto end = ends + entries.first_row(bucket + 1);
        std::fill(begin, end, 0);
        entries.for_each_run(bucket, [&](auto run) {
            for (const E& entry : run) ++ends[entry.row];
        });
        std::exclusive_scan(begin, end, begin, first);
        entries.for_each_run(bucket, [&](auto run) {
            for (const E& entry : run) by_row_[ends[entry.row]++ - first] = entry;
        });
    }

    Buffer<E> by_row_;  ///< memory that the buckets share
};

/// A matrix with all entries; in rows with duplicates the last places are unused, and `unused` counts them.
template <Value V, class E>
CsrMatrix<V> scatter(std::string_view name, index_t rows, index_t cols, const EntryStore<E>& entries,
                     Progress& progress, offset_t& unused) {
    const auto offsets = bucket_offsets(entries);
    const auto nnz = static_cast<std::size_t>(offsets.back());
    CsrMatrix<V> a{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1), Buffer<index_t>(nnz),
                   Buffer<V>(nnz)};
    a.row_ptrs[0] = 0;
    Scratch<BucketAssembly<V, E>> assemblies;
    std::vector<offset_t> unused_by_bucket(offsets.size());
    const double share = progress.rest() / static_cast<double>(offsets.size());
    parallel_for(0, entries.buckets(), 1, [&](std::int64_t bucket) {
        assemblies.use([&](auto& assembly) {
            unused_by_bucket[bucket] = assembly.run(entries, bucket, offsets[bucket], offsets[bucket + 1], a, name);
        });
        progress.advance(share);
    });
    unused = std::accumulate(unused_by_bucket.begin(), unused_by_bucket.end(), offset_t{0});
    return a;
}

/// A copy without the unused places at the ends of rows.
template <Value V>
CsrMatrix<V> squeeze(const CsrMatrix<V>& a, offset_t unused) {
    const auto nnz = static_cast<std::size_t>(a.nnz() - unused);
    CsrMatrix<V> out{a.rows, a.cols, Buffer<offset_t>(a.row_ptrs.size()), Buffer<index_t>(nnz), Buffer<V>(nnz)};
    const index_t* cols = a.col_idxs.data();
    out.row_ptrs[0] = 0;
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t row) {
        const auto* end = cols + a.row_ptrs[row + 1];
        const auto* begin = cols + a.row_ptrs[row];
        out.row_ptrs[row + 1] = std::partition_point(begin, end, [](index_t col) { return col != kUnused; }) - begin;
    });
    std::partial_sum(out.row_ptrs.begin(), out.row_ptrs.end(), out.row_ptrs.begin());
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t row) {
        const offset_t size = out.row_ptrs[row + 1] - out.row_ptrs[row];
        std::copy_n(cols + a.row_ptrs[row], size, out.col_idxs.data() + out.row_ptrs[row]);
        std::copy_n(a.values.data() + a.row_ptrs[row], size, out.values.data() + out.row_ptrs[row]);
    });
    return out;
}

}  // namespace

template <Value V, class E>
CsrMatrix<V> assemble(std::string_view name, index_t rows, index_t cols, EntryStore<E> entries, Progress& progress) {
    offset_t unused = 0;
    auto a = scatter<V>(name, rows, cols, entries, progress, unused);
    { const EntryStore<E> freed = std::move(entries); }  // in time for the memory of a copy
    if (unused > 0) a = squeeze(a, unused);
    progress.reach(1);
    return a;
}

#define TILESPMV_INSTANTIATE(V)                                                                          \
    template CsrMatrix<V> assemble(std::string_view, index_t, index_t, EntryStore<Entry<V>>, Progress&); \
    template CsrMatrix<V> assemble(std::string_view, index_t, index_t, EntryStore<PatternEntry>, Progress&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::matrix_market
