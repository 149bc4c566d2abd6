#pragma once

#include "tile/matrix_market/entry.hpp"
#include "tile/matrix_market/progress.hpp"

namespace tilespmv::matrix_market {

/// Parses all lines below the header in parallel to entries of type E (`PatternEntry` for patterns that are not skew);
/// entries of symmetric files are mirrored. Advances `progress` by `share` and adds to `found`. Throws `Error` for the
/// first line of the file that is wrong, whatever the number of threads. Memory follows the number of entries, but
/// never exceeds what the text can hold.
template <class E>
EntryStore<E> parse_entries(const TextFile& file, const Header& header, Progress& progress, double share,
                            Findings& found);

}  // namespace tilespmv::matrix_market
