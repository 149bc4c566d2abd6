#pragma once

#include <span>

#include "selector/tuning.hpp"

namespace tilespmv::cpu {

/// Nonzeros from the prefetch of x to its use in a product of CSR rows with nonzeros in these columns of `cols`, values
/// of `value_bytes` bytes, and a largest cache of `cache_bytes`. 0, none, unless x does not stay in the cache and its
/// lines do not follow each other.
offset_t x_prefetch_distance(std::span<const index_t> col_idxs, index_t cols, std::size_t value_bytes,
                             std::size_t cache_bytes, const Tuning& tuning = kTuning);

/// Share of the nonzeros, in samples, whose cache line of x was not used shortly before, nor one next to it: what no
/// hardware prefetcher foresees.
double scattered_share(std::span<const index_t> col_idxs, std::size_t value_bytes);

}  // namespace tilespmv::cpu
