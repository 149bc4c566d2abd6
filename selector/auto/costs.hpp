#pragma once

#include <span>

#include "selector/auto/cost_table.hpp"

/// The figures of the cost tables, apart from the formulas that they belong to.
namespace tilespmv {

/// Bytes in CSR with x and y up to which little waits for the last level of caches, and that the last level of the EPYC
/// that was measured holds. Beyond, bytes decide: costs are fitted to the terms of CSR, and operators that pad were the
/// fastest on uniform columns, roads and a circuit alone (4 of 40 times).
inline constexpr double kNear = 8e6;
inline constexpr double kCached = 33e6;

/// Of the NVIDIA H200, an entry or more for each candidate of `gpu_costs`.
std::span<const Cost> gpu_operator_costs();
/// Of two threads, an entry or more for each candidate of `cpu_costs`.
std::span<const Cost> cpu_operator_costs();
/// The same without AVX-512.
std::span<const Cost> narrow_cpu_operator_costs();

}  // namespace tilespmv
