#pragma once

#include "kernels/registry.hpp"

namespace tilespmv::cpu {

template <Value V>
std::unique_ptr<Operator<V>> make_reference(const Source<V>& source, Options& options, const MakeContext& context);
template <Value V>
std::unique_ptr<Operator<V>> make_csr_omp(const Source<V>& source, Options& options, const MakeContext& context);
template <Value V>
std::unique_ptr<Operator<V>> make_tile_omp(const Source<V>& source, Options& options, const MakeContext& context);
/// Made from strips that are there already, else from CSR, or by way of it from tiles. Copies the values of strips. It
/// takes new ones where CSR was given. Option: updatable (0; 1: copy the other values, too, and keep a map, of
/// `StripValueMap`'s size, with which it takes new ones from whatever it is made).
template <Value V>
std::unique_ptr<Operator<V>> make_strip_omp(const Source<V>& source, Options& options, const MakeContext& context);
/// Copies the matrix, as all below; but for `coo-omp` they read the pattern of the source again for new values. Throws
/// `Error` for a matrix of which ELL, or DIA, would be many times as large as CSR.
template <Value V>
std::unique_ptr<Operator<V>> make_ell_omp(const Source<V>& source, Options& options, const MakeContext& context);
template <Value V>
std::unique_ptr<Operator<V>> make_dia_omp(const Source<V>& source, Options& options, const MakeContext& context);
template <Value V>
std::unique_ptr<Operator<V>> make_coo_omp(const Source<V>& source, Options& options, const MakeContext& context);
template <Value V>
std::unique_ptr<Operator<V>> make_hyb_omp(const Source<V>& source, Options& options, const MakeContext& context);

template <Value V>
inline constexpr OperatorInfo<V> kReference{
    {.name = "reference",
     .summary = "one thread, sums in twice the precision; what the others are checked against",
     .new_values = NewValues::always,
     .takes_16_bit_values = false},
    make_reference<V>};
template <Value V>
inline constexpr OperatorInfo<V> kCsrOmp{{.name = "csr-omp",
                                          .summary = "CSR rows, vectorised, all threads",
                                          .new_values = NewValues::always,
                                          .takes_16_bit_values = false},
                                         make_csr_omp<V>};
template <Value V>
inline constexpr OperatorInfo<V> kTileOmp{
    {.name = "tile-omp",
     .summary = "tiles vectorised per format, the deferred part as CSR rows, all threads",
     .made_from = Form::tiles,
     .new_values = NewValues::always,
     .takes_16_bit_values = false},
    make_tile_omp<V>};
template <Value V>
inline constexpr OperatorInfo<V> kStripOmp{
    {.name = "strip-omp",
     .summary = "16 rows as slots of one nonzero a row, vectorised, CSR rows where those take fewer bytes, all threads "
                "(updatable=1)",
     .takes_strips = true,
     .new_values = NewValues::with_option,
     .takes_16_bit_values = false},
    make_strip_omp<V>};
template <Value V>
inline constexpr OperatorInfo<V> kEllOmp{
    {.name = "ell-omp",
     .summary = "ELL, all rows as long as the longest, a vector lane a row, all threads",
     .new_values = NewValues::always,
     .takes_16_bit_values = false,
     .only_if_named = true},
    make_ell_omp<V>};
template <Value V>
inline constexpr OperatorInfo<V> kDiaOmp{{.name = "dia-omp",
                                          .summary = "DIA, a vector lane a row, for few diagonals, all threads",
                                          .new_values = NewValues::always,
                                          .takes_16_bit_values = false,
                                          .only_if_named = true},
                                         make_dia_omp<V>};
template <Value V>
inline constexpr OperatorInfo<V> kCooOmp{
    {.name = "coo-omp",
     .summary = "COO, equal pieces of nonzeros, vectorised along rows, all threads",
     .new_values = NewValues::always,
     .takes_16_bit_values = false},
    make_coo_omp<V>};
template <Value V>
inline constexpr OperatorInfo<V> kHybOmp{
    {.name = "hyb-omp",
     .summary = "HYB, the first nonzeros of each row as ELL, a vector lane a row, the others as COO, all threads",
     .new_values = NewValues::always,
     .takes_16_bit_values = false},
    make_hyb_omp<V>};

}  // namespace tilespmv::cpu
