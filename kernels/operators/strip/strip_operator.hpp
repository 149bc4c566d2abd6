#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// Strips (`Strips`), strips filled by rank (`RankStrips`), and CSR with 16-bit columns, each for the rows that take
/// fewest bytes so, in one launch. Made from strips that are there already, as they are, unless one of the first three
/// options is given; else from CSR, or by way of it from tiles. Options: bytes (1; parts of 16,384 rows become strips
/// if they take at most so many times the bytes of 16-bit columns), lane_slots (slots of a strip before twice as many
/// lanes share it: 11 to 512), block_strips (short strips that a block takes about: 1 to 128), resident_blocks (of a
/// multiprocessor: 12 or 18), these three by `strip_sizes`, and ranks (as bytes, of strips filled by rank; 1.2, 0
/// below 1,000 tile rows).
template <class V>
std::unique_ptr<Operator<V>> make_strip_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kStrip =
    on_device<V>({.name = "strip",
                  .summary = "16 rows as slots of one nonzero a row with 4-bit columns (bytes=B, lane_slots=N, "
                             "block_strips=N, resident_blocks=12|18, ranks=B)",
                  .takes_strips = true,
                  .sweeps = "bytes=1|1000,resident_blocks=12|18,ranks=0|1000"},
                 make_strip_operator<V>);

}  // namespace tilespmv::cuda
