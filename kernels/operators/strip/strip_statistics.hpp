#pragma once

#include <array>
#include <string_view>

#include "kernels/operators/strip/strip_matrix.hpp"

namespace tilespmv {

/// Kinds of tile rows of a matrix as strips: by how a GPU multiplies them.
enum class StripKind {
    one_pattern,   ///< strips of a run that share their columns
    own_patterns,  ///< several strips of a run with columns of their own
    single,        ///< alone in their run, which then has lanes without work
    two_groups,    ///< of so many slots that two groups of lanes share each
    empty,         ///< without nonzeros, only written
    rank,          ///< filled by rank, with columns of 16 bits
    csr16,         ///< no strips: CSR with 16-bit columns
};

/// Their names, for programs.
inline constexpr std::array<std::string_view, 7> kStripKindNames{"one_pattern", "own_patterns", "single", "two_groups",
                                                                 "empty",       "rank",         "csr16"};

/// What the tile rows of one kind hold, and the bytes that a product reads of them.
struct StripKindStatistics {
    offset_t tile_rows = 0;
    offset_t runs = 0;          ///< thread blocks that multiply them; of csr16 row blocks
    offset_t slots = 0;         ///< none in csr16
    offset_t nnz = 0;           ///< nonzeros, explicit zeros included
    offset_t holes = 0;         ///< values stored that are no nonzeros
    offset_t column_bytes = 0;  ///< all but values
    offset_t value_bytes = 0;   ///< holes included

    [[nodiscard]] offset_t bytes() const { return column_bytes + value_bytes; }
    StripKindStatistics& operator+=(const StripKindStatistics& other);
    friend bool operator==(const StripKindStatistics&, const StripKindStatistics&) = default;
};

/// What a matrix takes as strips.
struct StripStatistics {
    std::array<StripKindStatistics, kStripKindNames.size()> kinds;  ///< by `StripKind`
    offset_t archive_bytes = 0;  ///< of its arrays in an archive, where columns of `rest` have 32 bits

    [[nodiscard]] const StripKindStatistics& of(StripKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
    /// Of all tile rows; bytes are those that a product by the operator `strip` reads on an H200, x and y apart.
    [[nodiscard]] StripKindStatistics all() const;
};

/// Time linear in runs, patterns and the nonzeros that are no strips. `m` must be valid.
template <Value V>
StripStatistics strip_statistics(const StripMatrix<V>& m);

}  // namespace tilespmv
