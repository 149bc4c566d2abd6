#include "kernels/refusal.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tilespmv {

namespace {

template <Value V>
std::uint64_t bytes_of(const CsrMatrix<V>& a) {
    return a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes();
}

}  // namespace

template <Value V>
std::uint64_t most_bytes(const CsrMatrix<V>& a, std::uint64_t always_fine) {
    return std::max(always_fine, kMostOfCsr * bytes_of(a));
}

template <Value V>
void refuse_if_large(const PaddedSize& size, const CsrMatrix<V>& a) {
    if (size.bytes <= most_bytes(a, size.always_fine)) return;
    throw Refusal(fmt::format("{} would take {} bytes, {:.0f} times those of CSR, for {}; take another operator",
                              size.name, size.bytes, static_cast<double>(size.bytes) / static_cast<double>(bytes_of(a)),
                              size.because));
}

#define TILESPMV_INSTANTIATE(V)                                            \
    template std::uint64_t most_bytes(const CsrMatrix<V>&, std::uint64_t); \
    template void refuse_if_large(const PaddedSize&, const CsrMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
