#pragma once

#include <span>
#include <vector>

#include "tile/types.hpp"

namespace tilespmv::multi_gpu {

/// Consecutive rows of a matrix (or columns, that is entries of x) for each of several ranks: the parts. A part may be
/// empty.
class Partition {
public:
    /// Part k has rows [starts[k], starts[k + 1]). Throws a usage `Error` unless `starts` begins with 0, does not
    /// descend, and has two entries or more.
    explicit Partition(std::vector<index_t> starts);

    [[nodiscard]] int parts() const { return static_cast<int>(starts_.size()) - 1; }
    [[nodiscard]] index_t rows() const { return starts_.back(); }
    /// First row of a part, 0 <= part < parts().
    [[nodiscard]] index_t first(int part) const { return starts_[static_cast<std::size_t>(part)]; }
    /// One past its last row.
    [[nodiscard]] index_t end(int part) const { return starts_[static_cast<std::size_t>(part) + 1]; }
    [[nodiscard]] index_t size(int part) const { return end(part) - first(part); }
    /// The part that has a row, 0 <= row < rows().
    [[nodiscard]] int owner(index_t row) const;
    [[nodiscard]] std::span<const index_t> starts() const { return starts_; }

    friend bool operator==(const Partition&, const Partition&) = default;

private:
    std::vector<index_t> starts_;  // parts + 1
};

/// How rows are divided when nobody says.
struct PartitionRule {
    /// What a row costs beside its nonzeros, in nonzeros: an iteration of conjugate gradients moves about 130 bytes a
    /// row in float64 (ten reads and writes of the updates, three of the sums, x and y of the product, a row pointer,
    /// the diagonal of M), a nonzero of CSR is 12.
    offset_t row_weight = 11;
    /// Parts start at multiples of it: unknowns a node, whose block no part may cut.
    index_t block = 1;
};

/// Parts of as equal sums of nonzeros and row weights as consecutive rows allow. Throws a usage `Error` unless `parts`
/// and `rule.block` are at least 1 and `rule.row_weight` is at least 0. `row_ptrs`: of a CSR matrix, rows + 1.
Partition partition_by_nonzeros(std::span<const offset_t> row_ptrs, int parts, const PartitionRule& rule = {});

/// Parts of as equal numbers of rows as there can be. Throws a usage `Error` unless `parts` is at least 1.
Partition partition_evenly(index_t rows, int parts);

/// Throws a usage `Error` unless `partition` has `rows` rows in `parts` parts that start at multiples of `block`.
void require_partition(const Partition& partition, index_t rows, int parts, index_t block = 1);

}  // namespace tilespmv::multi_gpu
