#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "formats/convert.hpp"
#include "kernels/source.hpp"
#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv::testing {

/// A way by which a matrix reaches an operator.
enum class Arrival {
    memory,        ///< CSR in memory, converted
    wide_memory,   ///< the same with 64-bit offsets of the deferred part
    text,          ///< written as Matrix Market text and read again
    archive,       ///< written as an archive and mapped
    wide_archive,  ///< the same with 64-bit offsets of the deferred part
    reconverted,   ///< from an archive back to CSR and converted again
    new_values,    ///< converted with other values, which were replaced
    new_archived,  ///< the same in tiles mapped from an archive
};

inline constexpr std::array kArrivals{Arrival::memory,     Arrival::wide_memory,  Arrival::text,
                                      Arrival::archive,    Arrival::wide_archive, Arrival::reconverted,
                                      Arrival::new_values, Arrival::new_archived};

std::string_view name_of(Arrival arrival);

/// A matrix in both forms that operators are made from.
template <Value V>
struct Arrived {
    CsrMatrix<V> csr;
    TileMatrix<V> tiles;

    /// One of them alone.
    [[nodiscard]] Source<V> as(Form form) const { return form == Form::tiles ? Source<V>(tiles) : Source<V>(csr); }
};

/// `a` after it came that way, its tiles by `policy`. Files are written into `directory` and replaced by the next call.
/// Values that text cannot hold (Inf, NaN) do not survive `Arrival::text`.
template <Value V>
Arrived<V> arrive(Arrival arrival, const CsrMatrix<V>& a, const TilePolicy& policy,
                  const std::filesystem::path& directory);

/// The pattern of `a` with other values: its own in reverse order.
template <Value V>
CsrMatrix<V> with_other_values(const CsrMatrix<V>& a);

/// Whether two matrices are the same, bit for bit.
template <Value V>
bool same_matrix(const CsrMatrix<V>& a, const CsrMatrix<V>& b);

}  // namespace tilespmv::testing
