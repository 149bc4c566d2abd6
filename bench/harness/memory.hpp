#pragma once

namespace tilespmv::bench {

/// From now on, freed memory stays with the process for the next allocation (glibc; elsewhere nothing happens).
/// Preprocessing is measured by repetition, and its repetitions are to measure the work, not how fast the kernel clears
/// fresh pages, which varies tenfold between machines.
void keep_freed_memory();

}  // namespace tilespmv::bench
