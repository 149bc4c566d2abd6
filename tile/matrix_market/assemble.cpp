#include "tile/matrix_market/assemble.hpp"

#include <numeric>
#include <vector>

#include "tile/parallel.hpp"

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

/// Puts the entries of a bucket into their rows, in the order of the file. `first` is the bucket's first nonzero.
template <Value V, class E>
void scatter_bucket(const EntryStore<E>& entries, std::int64_t bucket, offset_t first, CsrMatrix<V>& a) {
    const index_t begin = entries.first_row(bucket);
    const index_t end = entries.first_row(bucket + 1);
    offset_t* ends = a.row_ptrs.data() + 1;  // ends[row]: first counts, then the next free place, at last the row's end
    std::fill(ends + begin, ends + end, 0);
    entries.for_each_run(bucket, [&](auto run) {
        for (const auto& entry : run) ++ends[entry.row];
    });
    std::exclusive_scan(ends + begin, ends + end, ends + begin, first);
    entries.for_each_run(bucket, [&](auto run) {
        for (const auto& entry : run) {
            const offset_t place = ends[entry.row]++;
            a.col_idxs[place] = entry.col;
            a.values[place] = entry.value;
        }
    });
}

template <Value V, class E>
CsrMatrix<V> scatter(index_t rows, index_t cols, const EntryStore<E>& entries, Progress& progress) {
    const auto offsets = bucket_offsets(entries);
    const auto nnz = static_cast<std::size_t>(offsets.back());
    CsrMatrix<V> a{rows, cols, Buffer<offset_t>(static_cast<std::size_t>(rows) + 1), Buffer<index_t>(nnz),
                   Buffer<V>(nnz)};
    a.row_ptrs[0] = 0;
    const double share = progress.rest() / 2 / static_cast<double>(std::max<std::int64_t>(entries.buckets(), 1));
    parallel_for(0, entries.buckets(), 1, [&](std::int64_t bucket) {
        scatter_bucket(entries, bucket, offsets[bucket], a);
        progress.advance(share);
    });
    return a;
}

/// A row whose columns may be in any order and may repeat.
template <Value V>
struct Row {
    index_t* cols;
    V* values;
    offset_t size;
};

constexpr index_t kUnused = -1;

template <Value V>
bool is_ascending(Row<V> row) {
    return std::adjacent_find(row.cols, row.cols + row.size, std::greater_equal<>()) == row.cols + row.size;
}

/// Sorts by column; equal columns keep their order.
template <Value V>
void sort_short(Row<V> row) {
    for (offset_t i = 1; i < row.size; ++i) {
        const index_t col = row.cols[i];
        const V value = row.values[i];
        offset_t k = i;
        for (; k > 0 && row.cols[k - 1] > col; --k) {
            row.cols[k] = row.cols[k - 1];
            row.values[k] = row.values[k - 1];
        }
        row.cols[k] = col;
        row.values[k] = value;
    }
}

template <Value V>
void sort_long(Row<V> row) {
    std::vector<std::pair<index_t, offset_t>> order(static_cast<std::size_t>(row.size));
    for (offset_t i = 0; i < row.size; ++i) order[i] = {row.cols[i], i};
    std::sort(order.begin(), order.end());
    const std::vector<V> values(row.values, row.values + row.size);
    for (offset_t i = 0; i < row.size; ++i) {
        row.cols[i] = order[i].first;
        row.values[i] = values[order[i].second];
    }
}

/// Sums neighbours of the same column, marks the places that this leaves at the end, and returns how many they are.
template <Value V>
offset_t sum_duplicates(Row<V> row) {
    offset_t kept = 0;
    for (offset_t i = 0; i < row.size; ++kept) {
        const index_t col = row.cols[i];
        double sum = row.values[i];
        for (++i; i < row.size && row.cols[i] == col; ++i) sum += row.values[i];
        row.cols[kept] = col;
        row.values[kept] = static_cast<V>(sum);
    }
    std::fill(row.cols + kept, row.cols + row.size, kUnused);
    return row.size - kept;
}

/// Sorts the rows and sums duplicates; returns how many places are unused now.
template <Value V>
offset_t order_rows(CsrMatrix<V>& a) {
    constexpr offset_t short_row = 32;
    std::atomic<offset_t> unused = 0;
    parallel_for(0, a.rows, kRowGrain, [&](std::int64_t r) {
        const offset_t first = a.row_ptrs[r];
        const Row<V> row{a.col_idxs.data() + first, a.values.data() + first, a.row_ptrs[r + 1] - first};
        if (is_ascending(row)) return;
        row.size <= short_row ? sort_short(row) : sort_long(row);
        unused += sum_duplicates(row);
    });
    return unused;
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
CsrMatrix<V> assemble(index_t rows, index_t cols, EntryStore<E> entries, Progress& progress) {
    auto a = scatter<V>(rows, cols, entries, progress);
    { const EntryStore<E> freed = std::move(entries); }  // rows are sorted within the memory that this gives back
    if (const offset_t unused = order_rows(a); unused > 0) a = squeeze(a, unused);
    progress.reach(1);
    return a;
}

template CsrMatrix<double> assemble(index_t, index_t, EntryStore<Entry<double>>, Progress&);
template CsrMatrix<double> assemble(index_t, index_t, EntryStore<PatternEntry>, Progress&);
template CsrMatrix<float> assemble(index_t, index_t, EntryStore<Entry<float>>, Progress&);
template CsrMatrix<float> assemble(index_t, index_t, EntryStore<PatternEntry>, Progress&);

}  // namespace tilespmv::matrix_market
