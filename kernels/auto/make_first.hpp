#pragma once

#include <span>

#include "kernels/refusal.hpp"
#include "selector/auto/rank_operators.hpp"

namespace tilespmv {

/// Makes the first of these, at least one, that does not refuse the matrix, by make(specification).
template <class Make>
auto make_first(std::span<const RankedOperator> ranked, Make&& make) {
    for (const RankedOperator& one : ranked.first(ranked.size() - 1)) {
        try {
            return make(one.specification);
        } catch (const Refusal&) {  // the next one
        }
    }
    return make(ranked.back().specification);
}

}  // namespace tilespmv
