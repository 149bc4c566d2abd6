#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/operators/csr16/csr16.hpp"

namespace tilespmv::cuda {

/// What a `Csr16` has, in device memory.
struct Csr16Arrays {
    Csr16Arrays() = default;
    /// Begins copies; the host's arrays must stay until the stream has passed.
    Csr16Arrays(const Csr16& b, const DeviceContext& on)
        : blocks(std::span<const Csr16Block>(b.blocks), on),
          ends(b.ends, on),
          codes(b.codes, on),
          splits(std::span<const SplitRow>(b.splits), on),
          partials(b.partials),
          in_long_rows(b.in_long_rows) {}

    DeviceBuffer<Csr16Block> blocks;
    DeviceBuffer<std::uint16_t> ends;
    DeviceBuffer<std::uint16_t> codes;
    DeviceBuffer<SplitRow> splits;
    std::uint32_t partials = 0;
    offset_t in_long_rows = 0;
    std::size_t bytes_to_host = 0;  ///< that were copied to make it: sizes
};

/// Row pointers and columns of CSR, back from the row blocks of all its `rows`.
struct Csr16ToCsr {
    const Csr16Block* blocks = nullptr;
    std::int64_t block_count = 0;
    const std::uint16_t* ends = nullptr;
    const std::uint16_t* codes = nullptr;
    index_t rows = 0;
    offset_t* row_ptrs = nullptr;
    index_t* col_idxs = nullptr;
};
void expand_csr16(const Csr16ToCsr& p, cudaStream_t stream);

/// What `make_csr16` makes of all rows, from row pointers, which are right, and columns in device memory. Waits for the
/// stream three times, for sizes.
Csr16Arrays make_csr16_there(const DeviceBuffer<offset_t>& row_ptrs, const index_t* col_idxs, const Csr16Limits& limits,
                             const DeviceContext& on);

/// What `cut_csr16` made, with what follows from columns in device memory. Waits for the stream.
Csr16Arrays encode_there(const Csr16& cut, const index_t* col_idxs, const DeviceContext& on);

}  // namespace tilespmv::cuda
