#pragma once

#include "tile/csr.hpp"
#include "tile/matrix_market/entry_store.hpp"
#include "tile/matrix_market/progress.hpp"

namespace tilespmv::matrix_market {

/// Turns entries in any order into a rows x cols matrix; duplicates are summed in the order of the file, in double. The
/// result does not depend on the number of threads. Advances `progress` to its end.
template <Value V, class E>
CsrMatrix<V> assemble(index_t rows, index_t cols, EntryStore<E> entries, Progress& progress);

}  // namespace tilespmv::matrix_market
