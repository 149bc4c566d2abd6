#pragma once

#include "kernels/cuda/device_operator.hpp"

/// Products of a CSR matrix as it is, with nothing but an upload before the first of them (and for csr-vector a look at
/// the lengths of the rows, for csr-merge the beginnings of the blocks).
namespace tilespmv::cuda {

/// One thread a row. No options.
template <class V>
std::unique_ptr<Operator<V>> make_csr_scalar(const Source<V>& source, Options& options, const MakeContext& context);

/// Several threads a row, which read it side by side and add their sums by shuffles (Bell and Garland, "Implementing
/// sparse matrix-vector multiplication on throughput-oriented processors", SC 2009). Options: threads (2, 4, 8, 16 or
/// 32 a row); else rule (how they are chosen: rows, by the lengths of all rows, is the default, see `vector_shape`;
/// mean is the well-known CSR-vector rule by the mean row length, `threads_of_mean_row`); flight (1, 4 or 8 nonzeros of
/// a thread on their way at a time; default by the lengths of all rows, or 4 where these are not asked). The published
/// kernel is rule=mean,flight=1.
template <class V>
std::unique_ptr<Operator<V>> make_csr_vector(const Source<V>& source, Options& options, const MakeContext& context);

/// A block owns consecutive rows and computes their partial products round by round, coalesced, in shared memory of
/// a fixed size, where groups of threads add up the rows. Options: rows (a block's), threads (a block's), products
/// (partial products of a thread in a round), group (threads that add up a row, a power of 2 up to the whole block);
/// default `multiround_shape`.
template <class V>
std::unique_ptr<Operator<V>> make_csr_multiround(const Source<V>& source, Options& options, const MakeContext& context);

/// Equally many rows and nonzeros together for every block, by merge path (Merrill and Garland, SC 2016), up to the
/// beginning of a row that lies near. The partial products of a block go through shared memory; the partial sums of
/// split rows are added up by the block that ends the row, in a fixed order. Where the blocks begin is found on the GPU
/// when the operator is made. Option: items (4, 8 or 12: the nonzeros a thread has room for; default 8).
template <class V>
std::unique_ptr<Operator<V>> make_csr_merge(const Source<V>& source, Options& options, const MakeContext& context);

/// csr-merge for an operator `name` that lowers its matrix to CSR rows, of which it has a copy. `parts`: what these
/// stand for, without bytes.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_lowered_to_csr(std::string_view name, const std::vector<ExecutedPart>& parts,
                                                       const Source<V>& source, Accumulator accumulator,
                                                       const DeviceContext& on);

template <class V>
inline constexpr auto kCsrScalar = on_device<V>(
    {.name = "csr-scalar", .summary = "CSR, a thread a row", .reads_csr_in_place = true}, make_csr_scalar<V>);
template <class V>
inline constexpr auto kCsrVector = on_device<V>(
    {.name = "csr-vector",
     .summary = "CSR, several threads a row; threads=2|4|8|16|32, otherwise by rule=rows|mean from the lengths of all "
                "rows (rows) or nnz/rows, flight=1|4|8 nonzeros a thread at once, "
                "turns=1: as many blocks as the GPU holds take consecutive rows in turns, for x near the diagonal",
     .sweeps = "threads=2|4|8|16|32,rule=rows|mean,flight=1|4|8,turns=0|1",
     .reads_csr_in_place = true},
    make_csr_vector<V>);
template <class V>
inline constexpr auto kCsrMultiround = on_device<V>(
    {.name = "csr-multiround",
     .summary = "CSR, blocks of rows summed in shared memory, no preprocessing; rows=1..512, "
                "threads=64|128|256|512, products=1|2|4|8, group=1|2|4|..|512 a row, otherwise chosen from nnz/rows",
     .sweeps = "rows=8|64|256,threads=64|128|256|512,products=1|2|4|8,group=1|2|4|8|16|32|64|128|256|512",
     .reads_csr_in_place = true},
    make_csr_multiround<V>);
template <class V>
inline constexpr auto kCsrMerge =
    on_device<V>({.name = "csr-merge",
                  .summary = "CSR, rows and nonzeros balanced by merge path; items=4|8|12 a thread (8)",
                  .sweeps = "items=4|8|12",
                  .reads_csr_in_place = true},
                 make_csr_merge<V>);

}  // namespace tilespmv::cuda
