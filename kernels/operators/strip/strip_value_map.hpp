#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/operators/strip/strip_matrix.hpp"

namespace tilespmv {

/// Where the nonzeros of a CSR matrix went in its strips, so that new values can follow without making strips again.
/// Strips of one pattern share what is kept: 2 bytes per stored value of each pattern, 24 per strip.
class StripValueMap {
public:
    /// Of a matrix whose rows begin at `row_ptrs` (rows + 1), with `together` values of a row of a strip side by side
    /// (`strip_place`). Throws `Error` for a strip of more than 65,535 nonzeros, of which `make_strip_matrix` makes
    /// none.
    StripValueMap(const Strips& strips, std::span<const offset_t> row_ptrs, int together);
    /// Of the matrix that these strips are.
    template <Value V>
    explicit StripValueMap(const StripMatrix<V>& m);

    /// Replaces the values of `m` by `values` (nnz of them, in CSR order). A streaming copy. Throws `Error`, with `m`
    /// as it was, for another number of values, and for strips that are not as many and as large as those of the map.
    template <Value V>
    void update(StripMatrix<V>& m, std::span<const V> values) const;
    /// The same for what `StripMatrix` calls `values` and `rest.values`.
    template <Value V>
    void update(Buffer<V>& in_strips, Buffer<V>& in_rest, std::span<const V> values) const;

private:
    struct Strip {
        offset_t begin = 0;  ///< of its nonzeros in CSR, which stand there one after the other
        std::uint32_t nonzeros = 0;
        std::uint32_t slots = 0;
        std::uint32_t first_slot = 0;
        std::uint32_t pattern = 0;  ///< first slot of its pattern among `positions_`
    };
    /// Nonzeros of the rest, in CSR and in the rest.
    struct Piece {
        offset_t from = 0;
        offset_t to = 0;
        offset_t count = 0;
    };

    void add_strips(const Strips& s, std::span<const offset_t> row_ptrs);
    void add_run(const Strips& s, const StripRun& run, std::uint32_t pattern, std::span<const offset_t> row_ptrs);
    void add_rest(const Strips& s, std::span<const offset_t> row_ptrs);
    void fill_positions(const Strips& s, const StripRun& run, std::span<const offset_t> row_ptrs);
    template <Value V>
    void fill(std::int64_t i, const V* values, V* in_strips) const;
    /// The strip that is about to be filled when strip `i` is.
    [[nodiscard]] std::size_t later_than(std::int64_t i) const;

    int together_;
    Buffer<Strip> strips_;
    Buffer<std::uint16_t> positions_;  ///< per value of a pattern: 1 + its place among the nonzeros, 0 for a hole
    std::vector<Piece> rest_;
    offset_t rest_nnz_ = 0;
    offset_t nnz_ = 0;
    std::size_t slots_ = 0;
};

}  // namespace tilespmv
