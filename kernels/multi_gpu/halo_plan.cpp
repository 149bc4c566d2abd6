#include "kernels/multi_gpu/halo_plan.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::multi_gpu {
namespace {

/// Where the own columns begin and end among the nonzeros of a row: columns ascend.
struct OwnRange {
    offset_t first = 0;
    offset_t begin = 0;
    offset_t end = 0;
    offset_t last = 0;

    [[nodiscard]] offset_t own() const { return end - begin; }
    [[nodiscard]] offset_t others() const { return last - first - own(); }
};

template <Value V>
OwnRange own_range(const CsrMatrix<V>& a, const HaloPlan& plan, std::int64_t row) {
    const index_t* const col_idxs = a.col_idxs.data();
    const index_t* const first = col_idxs + a.row_ptrs[plan.first_row + row];
    const index_t* const last = col_idxs + a.row_ptrs[plan.first_row + row + 1];
    const index_t* const begin = std::lower_bound(first, last, plan.first_col);
    const index_t* const end = std::lower_bound(begin, last, plan.first_col + plan.cols);
    return {first - col_idxs, begin - col_idxs, end - col_idxs, last - col_idxs};
}

/// f(position) for the nonzeros of a row in columns of others, in their order.
template <class F>
void for_each_other(const OwnRange& range, F&& f) {
    for (offset_t p = range.first; p < range.begin; ++p) f(p);
    for (offset_t p = range.end; p < range.last; ++p) f(p);
}

template <Value V>
std::vector<index_t> find_halo_cols(const CsrMatrix<V>& a, const HaloPlan& plan) {
    std::vector<std::uint8_t> is_halo(static_cast<std::size_t>(a.cols), 0);
    parallel_for(0, plan.rows, kRowGrain, [&](std::int64_t row) {
        for_each_other(own_range(a, plan, row), [&](offset_t p) {
            const std::atomic_ref mark(is_halo[static_cast<std::size_t>(a.col_idxs[p])]);
            mark.store(1, std::memory_order_relaxed);
        });
    });
    std::vector<index_t> found;
    for (index_t col = 0; col < a.cols; ++col) {
        if (is_halo[static_cast<std::size_t>(col)] != 0) found.push_back(col);
    }
    return found;
}

/// The halo of one rank cut by the owners of its columns.
std::vector<Parcel> parcels_by_owner(const std::vector<index_t>& halo_cols, const Partition& cols) {
    std::vector<Parcel> parcels;
    for (auto at = halo_cols.begin(); at != halo_cols.end();) {
        const int owner = cols.owner(*at);
        const auto end = std::lower_bound(at, halo_cols.end(), cols.end(owner));
        parcels.push_back({owner, at - halo_cols.begin(), end - at});
        at = end;
    }
    return parcels;
}

/// What `from` receives of the owners is what those send to it.
void add_sends(const HaloPlan& from, std::vector<HaloPlan>& plans) {
    for (const Parcel& parcel : from.receives) {
        HaloPlan& sender = plans[static_cast<std::size_t>(parcel.rank)];
        sender.sends.push_back({from.rank, static_cast<std::int64_t>(sender.sent.size()), parcel.count});
        const auto first = from.halo_cols.begin() + parcel.first;
        std::transform(first, first + parcel.count, std::back_inserter(sender.sent),
                       [&](index_t col) { return col - sender.first_col; });
    }
}

/// f(own row, its range, positions of its first nonzeros in interior and boundary, its place among boundary rows).
template <Value V, class F>
void for_each_row(const CsrMatrix<V>& a, const HaloPlan& plan, const RankMatrix<V>& m, F&& f) {
    const index_t* const begin = m.boundary_rows.begin();
    parallel_ranges(0, plan.rows, kRowGrain, [&](std::int64_t first, std::int64_t last) {
        std::int64_t place = std::lower_bound(begin, m.boundary_rows.end(), static_cast<index_t>(first)) - begin;
        for (std::int64_t row = first; row < last; ++row) {
            const OwnRange range = own_range(a, plan, row);
            f(row, range, m.interior.row_ptrs[row], m.boundary.row_ptrs[place]);
            place += range.others() > 0 ? 1 : 0;
        }
    });
}

/// Whether a row has the columns that it had when the rank's matrix was made.
template <Value V>
bool has_columns(const CsrMatrix<V>& a, const HaloPlan& plan, const RankMatrix<V>& m, std::int64_t row,
                 const OwnRange& range) {
    const offset_t interior = m.interior.row_ptrs[row];
    if (range.own() != m.interior.row_ptrs[row + 1] - interior) return false;
    for (offset_t p = range.begin; p < range.end; ++p) {
        if (a.col_idxs[p] - plan.first_col != m.interior.col_idxs[interior + p - range.begin]) return false;
    }
    const auto rows = std::ranges::equal_range(m.boundary_rows, static_cast<index_t>(row));
    const auto place = rows.begin() - m.boundary_rows.begin();
    if (rows.empty()) return range.others() == 0;
    if (range.others() != m.boundary.row_ptrs[place + 1] - m.boundary.row_ptrs[place]) return false;
    bool is_same = true;
    for_each_other(range, [&, boundary = m.boundary.row_ptrs[place]](offset_t p) mutable {
        is_same &= plan.halo_cols[static_cast<std::size_t>(m.boundary.col_idxs[boundary++])] == a.col_idxs[p];
    });
    return is_same;
}

/// Running sums, from 0.
Buffer<offset_t> sums_of(const std::vector<offset_t>& counts) {
    Buffer<offset_t> sums(counts.size() + 1);
    sums[0] = 0;
    std::inclusive_scan(counts.begin(), counts.end(), sums.begin() + 1);
    return sums;
}

/// Row pointers and room for columns and values.
template <Value V>
CsrMatrix<V> empty_csr(index_t cols, const std::vector<offset_t>& row_lengths) {
    auto row_ptrs = sums_of(row_lengths);
    const auto nnz = static_cast<std::size_t>(row_ptrs[row_lengths.size()]);
    return {static_cast<index_t>(row_lengths.size()), cols, std::move(row_ptrs), Buffer<index_t>(nnz), Buffer<V>(nnz)};
}

/// The rank's matrix without columns and values.
template <Value V>
RankMatrix<V> empty_rank_matrix(const CsrMatrix<V>& a, const HaloPlan& plan) {
    std::vector<offset_t> own(static_cast<std::size_t>(plan.rows));
    std::vector<offset_t> others(own.size());
    parallel_for(0, plan.rows, kRowGrain, [&](std::int64_t row) {
        const OwnRange range = own_range(a, plan, row);
        own[static_cast<std::size_t>(row)] = range.own();
        others[static_cast<std::size_t>(row)] = range.others();
    });
    std::vector<index_t> rows;
    for (index_t row = 0; row < plan.rows; ++row) {
        if (others[static_cast<std::size_t>(row)] > 0) rows.push_back(row);
    }
    std::erase(others, 0);
    return {empty_csr<V>(plan.cols, own), empty_csr<V>(static_cast<index_t>(plan.halo_size()), others),
            Buffer<index_t>(std::span<const index_t>(rows))};
}

}  // namespace

template <Value V>
std::vector<HaloPlan> make_halo_plans(const CsrMatrix<V>& a, const Partition& rows, const Partition& cols) {
    require_partition(rows, a.rows, rows.parts());
    require_partition(cols, a.cols, rows.parts());
    std::vector<HaloPlan> plans(static_cast<std::size_t>(rows.parts()));
    for (int rank = 0; rank < rows.parts(); ++rank) {
        HaloPlan& plan = plans[static_cast<std::size_t>(rank)];
        plan.rank = rank;
        plan.first_row = rows.first(rank);
        plan.rows = rows.size(rank);
        plan.first_col = cols.first(rank);
        plan.cols = cols.size(rank);
        plan.halo_cols = find_halo_cols(a, plan);
        plan.receives = parcels_by_owner(plan.halo_cols, cols);
    }
    for (const HaloPlan& plan : plans) add_sends(plan, plans);
    return plans;
}

template <Value V>
RankMatrix<V> make_rank_matrix(const CsrMatrix<V>& a, const HaloPlan& plan) {
    auto m = empty_rank_matrix(a, plan);
    const auto& halo = plan.halo_cols;
    for_each_row(a, plan, m, [&](std::int64_t, const OwnRange& range, offset_t interior, offset_t boundary) {
        for (offset_t p = range.begin; p < range.end; ++p) {
            m.interior.col_idxs[interior++] = a.col_idxs[p] - plan.first_col;
        }
        for_each_other(range, [&](offset_t p) {
            const auto place = std::ranges::lower_bound(halo, a.col_idxs[p]) - halo.begin();
            m.boundary.col_idxs[boundary++] = static_cast<index_t>(place);
        });
    });
    copy_values(a, plan, m);
    return m;
}

template <Value V>
void require_pattern(const CsrMatrix<V>& a, const HaloPlan& plan, const RankMatrix<V>& m) {
    parallel_for(0, plan.rows, kRowGrain, [&](std::int64_t row) {
        const OwnRange range = own_range(a, plan, row);
        if (has_columns(a, plan, m, row, range)) return;
        throw Error(
            fmt::format("row {} has other columns than before; make the solver again", plan.first_row + row + 1));
    });
}

template <Value V>
void copy_values(const CsrMatrix<V>& a, const HaloPlan& plan, RankMatrix<V>& m) {
    for_each_row(a, plan, m, [&](std::int64_t, const OwnRange& range, offset_t interior, offset_t boundary) {
        std::copy(a.values.begin() + range.begin, a.values.begin() + range.end, m.interior.values.begin() + interior);
        for_each_other(range, [&](offset_t p) { m.boundary.values[boundary++] = a.values[p]; });
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                              \
    template std::vector<HaloPlan> make_halo_plans(const CsrMatrix<V>&, const Partition&, const Partition&); \
    template RankMatrix<V> make_rank_matrix(const CsrMatrix<V>&, const HaloPlan&);                           \
    template void require_pattern(const CsrMatrix<V>&, const HaloPlan&, const RankMatrix<V>&);               \
    template void copy_values(const CsrMatrix<V>&, const HaloPlan&, RankMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::multi_gpu
