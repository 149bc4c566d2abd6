#include "kernels/operators/hyb/choice.hpp"

#include <array>

#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

constexpr std::array kHybModels{ModelledOperator{
    .candidate = {.name = "hyb", .matrix_bytes = hyb_bytes, .adapt = hyb_work}, .further = FurtherFeatures::all}};

}  // namespace

extern const KnownOperator kHyb{.modelled = kHybModels};

}  // namespace tilespmv
