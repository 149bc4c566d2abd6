#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// As csr-vector, but a group of threads reads the columns of an inode, consecutive rows with nonzeros in the same
/// columns, and their x, once for all of its rows. Options: rows (at most so many of an inode, 2 to 6), threads (8, 16
/// or 32 for an inode) and flight (2 or 4 columns of a thread on their way at a time); what is not given is chosen by
/// `inode_shape`. Throws `Error` as `make_inodes` does.
template <class V>
std::unique_ptr<Operator<V>> make_csr_inode_operator(const Source<V>& source, Options& options,
                                                     const MakeContext& context);

template <class V>
inline constexpr auto kCsrInode = on_device<V>(
    {.name = "csr-inode",
     .summary = "CSR with one list of columns for consecutive rows that have the same, for several unknowns a "
                "node; rows=2|3|4|5|6 at most, threads=8|16|32 of them, flight=2|4 columns a thread at once",
     .sweeps = "rows=2|3|4|5|6,threads=8|16|32,flight=2|4"},
    make_csr_inode_operator<V>);

}  // namespace tilespmv::cuda
