#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// CSR in blocks of rows (`AdaptivePlan`), made from CSR. Option: threads (64, 128 or 256 for a row block,
/// with up to 8 nonzeros each in shared memory; default 64).
template <class V>
std::unique_ptr<Operator<V>> make_csr_adaptive(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kCsrAdaptive = on_device<V>(
    {.name = "csr-adaptive",
     .summary =
         "CSR, blocks of rows by their nonzeros, long rows by a block or several; threads=64|128|256 a block (64)",
     .sweeps = "threads=64|128|256",
     .reads_csr_in_place = true},
    make_csr_adaptive<V>);

}  // namespace tilespmv::cuda
