#pragma once

#include "kernels/cuda/device_operator.hpp"

namespace tilespmv::cuda {

/// `Coo`, in blocks of equally many nonzeros, whose sums of a split row are added up in the order of the blocks. Takes
/// no options, and new values without a map.
template <class V>
std::unique_ptr<Operator<V>> make_coo_operator(const Source<V>& source, Options& options, const MakeContext& context);

template <class V>
inline constexpr auto kCoo =
    on_device<V>({.name = "coo", .summary = "COO, equal blocks of nonzeros, summed by segments in a fixed order"},
                 make_coo_operator<V>);

}  // namespace tilespmv::cuda
