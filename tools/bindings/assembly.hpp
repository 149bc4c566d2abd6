#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "tools/bindings/matrix.hpp"

namespace tilespmv::bindings {

/// Entries (row, column) in the memory of a GPU, in any order.
struct CooArrays {
    std::int64_t rows = 0;  ///< of the matrix
    std::int64_t cols = 0;
    std::int64_t count = 0;
    const void* row_idxs = nullptr;
    const void* col_idxs = nullptr;
    bool has_wide_indices = false;  ///< int64, otherwise int32
    std::uintptr_t stream = 0;      ///< after whose work they are read
};

/// `cuda::Assembly` for values whose type is known at run time.
class Assembly {
public:
    Assembly() = default;
    Assembly(const Assembly&) = delete;
    Assembly& operator=(const Assembly&) = delete;
    virtual ~Assembly() = default;

    [[nodiscard]] virtual std::int64_t nnz() const = 0;
    [[nodiscard]] virtual std::size_t bytes() const = 0;
    /// Values of the CSR form, from those of the entries, in the order of the stream.
    virtual void sum(std::string_view value_type, const void* entries, void* values, std::uintptr_t stream) const = 0;
    /// The CSR form with these values. `owner` is not set: both this and the values have to stay.
    [[nodiscard]] virtual CsrArrays csr(const void* values, std::uintptr_t stream) const = 0;
};

/// Sorts the entries. Throws `Error` for those outside of the matrix, and in a build without CUDA.
std::shared_ptr<Assembly> make_assembly(const CooArrays& entries);

}  // namespace tilespmv::bindings
