#pragma once

#include <algorithm>
#include <cstdint>

namespace tilespmv {

/// Calls `f(first, last)`, which must not throw, for consecutive ranges of at most `grain` indices that cover [0,
/// size): for products and for what is done with vectors between them. The threads are those of OpenMP, which spin for
/// a while after a loop, and so begin the next one at once if it follows soon. Other loops are those of
/// `tile/parallel.hpp`.
template <class F>
void product_loop(std::int64_t size, std::int64_t grain, F&& f) {
#pragma omp parallel for schedule(dynamic, 1) if (size > grain)
    for (std::int64_t first = 0; first < size; first += grain) f(first, std::min(first + grain, size));
}

}  // namespace tilespmv
