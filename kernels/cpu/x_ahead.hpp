#pragma once

#include "kernels/cpu/csr_rows.hpp"

namespace tilespmv::cpu {

/// So many nonzeros before they are needed, products of these rows should ask for x: 0 if its cache lines come one
/// after the other or from a cache that is near. `cache_bytes`: of the largest cache.
template <Value V>
offset_t x_ahead(const CsrRows<V>& a, index_t cols, std::size_t cache_bytes);

/// Share of the nonzeros, in samples, under which neither a line of x that was used shortly before lies nor one next to
/// that: what no hardware can foresee.
template <Value V>
double scattered_share(const CsrRows<V>& a);

}  // namespace tilespmv::cpu
