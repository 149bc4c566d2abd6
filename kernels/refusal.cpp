#include "kernels/refusal.hpp"

#include <fmt/format.h>

namespace tilespmv {

template <Value V>
void refuse_if_large(const PaddedSize& size, const CsrMatrix<V>& a) {
    const std::uint64_t as_csr = a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes();
    if (size.bytes <= size.always_fine || size.bytes / kMostOfCsr <= as_csr) return;
    throw Refusal(fmt::format("{} would take {} bytes, {:.0f} times those of CSR, for {}; take another operator",
                              size.name, size.bytes, static_cast<double>(size.bytes) / static_cast<double>(as_csr),
                              size.because));
}

#define TILESPMV_INSTANTIATE(V) template void refuse_if_large(const PaddedSize&, const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
