#pragma once

#include <string_view>

#include "kernels/auto/auto_options.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {

/// The operator that `rank_operators` puts first, of the CSR form; for several columns at once `csr-omp`, which alone
/// has a vector lane for each. It is told by its own name. Where that needs tiles it takes those of the source. Of
/// tiles alone it is tile-omp, of strips alone strip-omp: to unpack them costs more than another operator could save; a
/// trial of those is refused.
template <Value V>
std::unique_ptr<Operator<V>> make_auto(const Source<V>& source, Options& options, const MakeContext& context);

/// The name of the operator that is taken of tiles, or of strips, alone.
constexpr std::string_view operator_on_stored(Form form) { return form == Form::strips ? "strip-omp" : "tile-omp"; }

/// What a trial finds: the least time of some products of `trial_x`, after one that warms up.
template <Value V>
double seconds_of_trial(const Operator<V>& op);

template <Value V>
inline constexpr OperatorInfo<V> kAuto{
    {.name = "auto", .summary = kAutoSummary, .new_values = NewValues::always, .takes_16_bit_values = false},
    make_auto<V>};

}  // namespace tilespmv::cpu
