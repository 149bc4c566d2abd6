#pragma once

#include <span>

#include "selector/column_ranges.hpp"
#include "selector/tuning.hpp"
#include "tile/csr.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// Whether there may be hubs, as far as sizes tell.
bool may_have_hubs(offset_t nnz, index_t cols, std::size_t value_bytes, const HubTuning& tuning);

/// The hubs among `cols` columns: those of the most nonzeros in a sample, by descending number of them; of columns with
/// equally many the first ones first. None where x is near without a copy, or they would not pay. `value_bytes`: of an
/// element of x.
Buffer<index_t> choose_hubs(std::span<const index_t> col_idxs, index_t cols, std::size_t value_bytes,
                            const HubTuning& tuning);

/// The sample that hubs are chosen from: parts of the columns of a matrix, wherever they are.
struct HubSample {
    offset_t nnz = 0;
    ColumnRanges stretches;  ///< whose nonzeros are counted
    double scale = 1;        ///< nonzeros for each that is counted
    ColumnRanges scattered;  ///< as `cpu::scattered_samples` has them
};
/// Does not read the columns.
HubSample hub_sample(std::span<const index_t> col_idxs, const HubTuning& tuning);
/// Reads the sample.
Buffer<index_t> choose_hubs(const HubSample& sample, index_t cols, std::size_t value_bytes, const HubTuning& tuning);

}  // namespace tilespmv::cuda
