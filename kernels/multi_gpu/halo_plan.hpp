#pragma once

#include <cstdint>
#include <vector>

#include "kernels/multi_gpu/ranked_solver.hpp"
#include "tile/csr.hpp"

namespace tilespmv::multi_gpu {

/// Consecutive values that go to one other rank, or come from it.
struct Parcel {
    int rank = 0;            ///< the other one
    std::int64_t first = 0;  ///< among the values that are sent, or in the halo
    std::int64_t count = 0;  ///< at least 1

    friend bool operator==(const Parcel&, const Parcel&) = default;
};

/// What one rank tells others of x, and hears from them, before it can multiply. Columns of others that its rows have
/// nonzeros in are its *halo*. They ascend, so that what one rank sends arrives in one piece, in its place.
struct HaloPlan {
    int rank = 0;
    index_t first_row = 0;  ///< own rows
    index_t rows = 0;
    index_t first_col = 0;  ///< own columns
    index_t cols = 0;
    std::vector<index_t> halo_cols;  ///< columns of the whole matrix, ascending; place i of the halo is halo_cols[i]
    std::vector<Parcel> receives;    ///< by rank; in the halo
    std::vector<index_t> sent;       ///< own entries of x, from `first_col` on, in the order in which they are sent
    std::vector<Parcel> sends;       ///< by rank; in `sent`

    [[nodiscard]] std::int64_t halo_size() const { return static_cast<std::int64_t>(halo_cols.size()); }
    [[nodiscard]] bool is_alone() const { return sends.empty() && receives.empty(); }
};

/// One plan for each part of `rows`; rank k has part k of the rows and part k of `cols` (for a square matrix in a
/// solver the same partition). In parallel; values are not read. Throws a usage `Error` if a partition does not fit the
/// matrix or the other one.
template <Value V>
std::vector<HaloPlan> make_halo_plans(const CsrMatrix<V>& a, const Partition& rows, const Partition& cols);

/// The nonzeros of one rank's rows. The interior, all in own columns, is multiplied while the halo travels; the
/// boundary, the few in columns of others, is added when it is there. So the part that has to wait is as small as it
/// can be (whole boundary rows would have three times the nonzeros on a 27-point grid), the interior is a square matrix
/// over contiguous vectors for which any operator will do, and vectors need no room for a halo.
template <Value V>
struct RankMatrix {
    CsrMatrix<V> interior;          ///< own rows x own columns
    CsrMatrix<V> boundary;          ///< rows that have nonzeros in columns of others x places of the halo
    Buffer<index_t> boundary_rows;  ///< which they are among the own rows, ascending
};

/// The rank's nonzeros of the whole matrix `a`, copied, in parallel. `plan` is one of `make_halo_plans` of `a`.
template <Value V>
RankMatrix<V> make_rank_matrix(const CsrMatrix<V>& a, const HaloPlan& plan);

/// Throws `Error` unless `a` has the pattern of the matrix that `m` was made of. In parallel.
template <Value V>
void require_pattern(const CsrMatrix<V>& a, const HaloPlan& plan, const RankMatrix<V>& m);

/// Puts new values of the whole matrix, of the same pattern, into `m`, in parallel.
template <Value V>
void copy_values(const CsrMatrix<V>& a, const HaloPlan& plan, RankMatrix<V>& m);

}  // namespace tilespmv::multi_gpu
