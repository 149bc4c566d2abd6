#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// CSR with columns of 16 bits (`Csr16`), made from CSR alone. Takes no options.
template <class V>
std::unique_ptr<Operator<V>> make_csr16_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kCsr16 = on_device<V>(
    {.name = "csr16", .summary = "CSR with columns of 16 bits, relative to those of blocks of up to 512 nonzeros"},
    make_csr16_operator<V>);

}  // namespace tilespmv::cuda
