#pragma once

#include <span>

#include "selector/tuning.hpp"

namespace tilespmv::cpu {

/// How a product of CSR rows comes by x.
struct XAccess {
    offset_t prefetch_distance = 0;  ///< nonzeros from the prefetch of x to its use; 0: none
    bool has_short_rows = false;     ///< rows have so few nonzeros that blocks of many rows are multiplied at a time

    friend bool operator==(const XAccess&, const XAccess&) = default;
};

/// For `rows` rows with nonzeros in these columns of `cols`, values of `value_bytes` bytes, and a largest cache of
/// `cache_bytes`. x is prefetched unless its cache lines follow each other or come from a cache that is near; if it is,
/// rows may be short.
XAccess choose_x_access(std::span<const index_t> col_idxs, offset_t rows, index_t cols, std::size_t value_bytes,
                        std::size_t cache_bytes, const Tuning& tuning = kTuning);

/// Share of the nonzeros, in samples, whose cache line of x was not used shortly before, nor one next to it: what no
/// hardware prefetcher foresees.
double scattered_share(std::span<const index_t> col_idxs, std::size_t value_bytes);

}  // namespace tilespmv::cpu
