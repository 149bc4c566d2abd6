#include "selector/auto/work_terms.hpp"

namespace tilespmv {

KnownOperator known_of_coo() {
    return {.name = "coo", .candidates = {{.ranked_by = RankedBy::models, .matrix_bytes = coo_bytes}}};
}

KnownOperator known_of_coo_omp() {
    return {.name = "coo-omp", .candidates = {{.ranked_by = RankedBy::models, .matrix_bytes = coo_bytes}}};
}

}  // namespace tilespmv
