#include "kernels/operators/coo/choice.hpp"

#include <array>

#include "selector/auto/work_terms.hpp"

namespace tilespmv {
namespace {

constexpr std::array kCooModels{ModelledOperator{{.name = "coo", .matrix_bytes = coo_bytes}}};

}  // namespace

extern const KnownOperator kCoo{.modelled = kCooModels};

}  // namespace tilespmv
