#pragma once

#include <string_view>

#include "tile/csr.hpp"
#include "tile/matrix_market/entry.hpp"
#include "tile/matrix_market/progress.hpp"

namespace tilespmv::matrix_market {

/// Turns entries in any order into a rows x cols matrix; duplicates are summed in the order of the file, in double, and
/// rounded once. The result does not depend on the number of threads. Advances `progress` to its end. Throws `Error`
/// with `name`, row and column for the first sum of finite numbers that is out of the range of V.
template <Value V, class E>
CsrMatrix<V> assemble(std::string_view name, index_t rows, index_t cols, EntryStore<E> entries, Progress& progress);

}  // namespace tilespmv::matrix_market
