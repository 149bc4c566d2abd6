#pragma once

#include <memory>

#include "kernels/source.hpp"
#include "tile/csr.hpp"

namespace tilespmv::cuda {

/// A copy of a CSR matrix in the memory of the current GPU, as a program has it that assembles one there; row pointers
/// have 32 bits below 2^31 nonzeros. Copies of this share the arrays. Free of CUDA's types.
template <class V>
class DeviceCsrCopy {
public:
    /// Returns when the arrays are there. Throws `Error`; `unavailable` without a GPU.
    explicit DeviceCsrCopy(const CsrMatrix<V>& a);
    [[nodiscard]] const DeviceCsrView<V>& view() const { return view_; }

private:
    std::shared_ptr<const void> arrays_;
    DeviceCsrView<V> view_;
};

}  // namespace tilespmv::cuda
