#pragma once

#include <cstddef>
#include <memory>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/source.hpp"
#include "selector/auto/matrix_features.hpp"

namespace tilespmv::cuda {

/// The pattern of a CSR matrix in device memory as `features_of` needs it to choose an operator: those row pointers and
/// columns that are sampled, or all of a small matrix. The others have addresses, but no memory. What needs all rows or
/// nonzeros is counted on the GPU.
class SampledPattern {
public:
    /// The source must outlive it.
    template <class V>
    SampledPattern(const Source<V>& source, const DeviceContext& on);
    [[nodiscard]] const PatternView& view() const { return view_; }

private:
    // These return the bytes that were copied.
    template <class V>
    std::size_t fetch_row_ptrs(const Source<V>& source, const DeviceContext& on);
    std::size_t fetch_columns(const index_t* there, const DeviceContext& on);

    std::shared_ptr<offset_t> row_ptrs_;
    std::shared_ptr<index_t> columns_;
    PatternView view_;
};

}  // namespace tilespmv::cuda
