#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/operator.hpp"

namespace tilespmv::bindings {

/// Bytes of memory on the GPU that a workspace of an operator takes; 0 for one on the CPU. Throws a usage `Error` for
/// an operator that works in a workspace of its own only.
template <Value V>
std::size_t workspace_bytes(const Operator<V>& a);

/// A workspace in the caller's memory, 256-byte aligned, which has to outlive it, or if that is null in memory of the
/// library; null for an operator on the CPU. It is complete when this returns.
template <Value V>
std::shared_ptr<cuda::Workspace> make_workspace(const Operator<V>& a, void* memory);

/// Writes the matrix of an operator on a GPU as CSR to arrays there, and waits for the stream.
template <Value V>
void write_csr(const Operator<V>& a, std::int64_t* row_ptrs, index_t* col_idxs, V* values, std::uintptr_t stream);

}  // namespace tilespmv::bindings
