#pragma once

#include <span>

#include "kernels/multi_gpu/halo_plan.hpp"

namespace tilespmv::multi_gpu {

/// sent[i] = x[plan.sent[i]], in parallel. x: the rank's own columns.
template <CpuValue V>
void pack(const HaloPlan& plan, std::span<const V> x, std::span<V> sent);

/// y[boundary_rows[i]] += alpha * (boundary * halo)[i], summed up in double, in parallel.
template <CpuValue V>
void add_boundary(const RankMatrix<V>& m, V alpha, std::span<const V> halo, std::span<V> y);

}  // namespace tilespmv::multi_gpu
