#pragma once

#include "kernels/cpu/csr_rows.hpp"

namespace tilespmv::cpu {

/// Sets how products of these rows should come by x. They ask for it ahead unless its cache lines come one after the
/// other or from a cache that is near; if they do, rows may be short. `cache_bytes`: of the largest cache.
template <Value V>
void choose_x_access(CsrRows<V>& a, index_t cols, std::size_t cache_bytes);

/// Share of the nonzeros, in samples, under which neither a line of x that was used shortly before lies nor one next to
/// that: what no hardware can foresee.
template <Value V>
double scattered_share(const CsrRows<V>& a);

}  // namespace tilespmv::cpu
