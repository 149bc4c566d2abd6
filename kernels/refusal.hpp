#pragma once

#include <cstdint>
#include <string_view>

#include "tile/csr.hpp"
#include "tile/error.hpp"

namespace tilespmv {

/// An operator does not suit the matrix, as nobody would multiply it so; nothing is wrong.
class Refusal : public Error {
public:
    using Error::Error;
};

/// Representations that pad, and products of matrices, are refused where they would take more than so many times the
/// bytes of CSR.
inline constexpr std::uint64_t kMostOfCsr = 8;

/// What a padded representation would take, and why.
struct PaddedSize {
    std::string_view name;          ///< of the representation, as the message says it
    std::uint64_t bytes = 0;        ///< of the matrix in it
    std::uint64_t always_fine = 0;  ///< bytes up to which it is not refused, whatever CSR takes
    std::string_view because = {};  ///< "its longest row has 7 nonzeros"
};

/// Bytes up to which what is made of `a` is not refused.
template <Value V>
std::uint64_t most_bytes(const CsrMatrix<V>& a, std::uint64_t always_fine);

/// Throws `Refusal` if it would take more than `always_fine` and more than kMostOfCsr times the bytes of `a`.
template <Value V>
void refuse_if_large(const PaddedSize& size, const CsrMatrix<V>& a);

}  // namespace tilespmv
