#pragma once

#include <set>
#include <utility>

#include "tests/support/battery.hpp"

namespace tilespmv::testing {

/// 48,000 rows in three parts of 16,384: a band with a row of 9,000 nonzeros, nonzeros here and there, a band.
inline CsrMatrix<double> strips_beside_others() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < 48'000; ++r) {
        const bool scattered = r / 16'384 == 1;
        for (index_t k = 0; k < 3; ++k) positions.insert({r, scattered ? (r * 977 + k * 5'003) % 48'000 : r + k});
    }
    for (index_t k = 0; k < 9'000; ++k) positions.insert({1'000, k * 5});
    return matrix_of(48'000, 48'002, positions);
}

}  // namespace tilespmv::testing
