#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"
#include "tile/types.hpp"

struct CUstream_st;  // CUDA's: cudaStream_t points to one

namespace tilespmv {
struct RowStatistics;
}

namespace tilespmv::cuda {

/// What operators that multiply CSR as it is do with the arrays of a `DeviceCsrView`. All others have arrays of their
/// own, and need those of the view only while they are made.
enum class DeviceArrays {
    by_operator,  ///< one that is called by its name reads them in place, one that `auto` takes has a copy
    in_place,     ///< they are read where they lie: they must outlive the operator, and new values are written there
    copied,       ///< they are copied on the GPU, so that the operator takes new values by `update_values`
};

/// A CSR matrix in the memory of a GPU, which somebody else owns. The invariants are those of `CsrMatrix`; operators
/// check the row pointers, `validate` checks the columns as well.
template <class V>
struct DeviceCsrView {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;  ///< below 2^31 where row pointers have 32 bits
    /// rows + 1 entries, from 0 to nnz, of 32 or 64 bits.
    std::variant<const std::int32_t*, const std::int64_t*> row_ptrs;
    const index_t* col_idxs = nullptr;  ///< nnz, from 0
    const V* values = nullptr;          ///< nnz
    DeviceArrays arrays = DeviceArrays::by_operator;
};

/// The pattern of a `DeviceCsrView`.
using DevicePattern = DeviceCsrView<void>;

template <class V>
DevicePattern pattern_of(const DeviceCsrView<V>& a) {
    return {a.rows, a.cols, a.nnz, a.row_ptrs, a.col_idxs, a.values, a.arrays};
}

/// Checks the row pointers and columns of a matrix in device memory on the GPU, and waits for the stream. Throws what
/// `validate` throws of the same matrix on the host, where it is copied to say which row is wrong, and `Error` if the
/// arrays are not in the memory of the current GPU; `unavailable` without a GPU.
void validate_pattern(const DevicePattern& a, CUstream_st* stream = nullptr);

template <class V>
void validate(const DeviceCsrView<V>& a, CUstream_st* stream = nullptr) {
    validate_pattern(pattern_of(a), stream);
}

}  // namespace tilespmv::cuda

namespace tilespmv {

/// A representation of a whole matrix that operators are made from: CSR, in the memory of the host or of a GPU, or
/// tiles in that of the host.
enum class Form { csr, tiles };

/// A matrix that operators are made from: the forms of it that are at hand, and those that are made of them when they
/// are asked for first, and kept. A handle: copies are the same matrix, and what one of them makes is there for all;
/// several threads may ask. Forms that were given by reference must outlive every copy; an operator that multiplies a
/// form where it lies keeps one.
template <Value V>
class Source {
public:
    // A matrix is a source wherever one is expected.
    Source(const CsrMatrix<V>& csr);            // NOLINT(google-explicit-constructor)
    Source(const TileMatrix<V>& tiles);         // NOLINT(google-explicit-constructor)
    Source(const cuda::DeviceCsrView<V>& csr);  // NOLINT(google-explicit-constructor): its arrays must outlive it
    Source(CsrMatrix<V>&& csr);                 // NOLINT(google-explicit-constructor): owns it, as the next ones
    Source(TileMatrix<V>&& tiles);              // NOLINT(google-explicit-constructor)
    /// Several forms of one matrix.
    template <class First, class Second, class... More>
    Source(const First& first, const Second& second, const More&... more)  // NOLINT(google-explicit-constructor)
        : Source(first) {
        add(second);
        (add(more), ...);
    }

    /// Sizes of the matrix; no form is made to tell them.
    [[nodiscard]] index_t rows() const;
    [[nodiscard]] index_t cols() const;
    [[nodiscard]] offset_t nnz() const;

    /// The CSR form in the memory of the host: the one that was given, else one that is unpacked from tiles or
    /// copied from a GPU when it is first asked for. What this function and those below return lives as long as a copy
    /// of the source; they throw `Error` if memory does not suffice.
    [[nodiscard]] const CsrMatrix<V>& csr() const;
    /// The row pointers of the CSR form, in the memory of the host; of a matrix on a GPU nothing else is copied.
    [[nodiscard]] const Buffer<offset_t>& row_ptrs() const;
    /// Statistics of the lengths of the rows; the row pointers of a matrix on a GPU are read and checked there.
    [[nodiscard]] const RowStatistics& row_statistics() const;
    /// The CSR form for callers that do not read its values: those of a matrix on a GPU are not copied, but null.
    [[nodiscard]] const CsrMatrix<V>& pattern() const;
    /// The tiles that were given, else those that the selector makes of the CSR form.
    [[nodiscard]] const TileMatrix<V>& tiles() const;

    /// The form if it was given, else null.
    [[nodiscard]] const CsrMatrix<V>* find_csr() const;
    [[nodiscard]] const TileMatrix<V>* find_tiles() const;
    [[nodiscard]] const cuda::DeviceCsrView<V>* find_device_csr() const;
    /// Whether a form in the memory of the host was given.
    [[nodiscard]] bool is_on_host() const { return find_csr() || find_tiles(); }

    /// The same matrix, whose tiles are made by this selector (`make_policy`), whatever tiles there are. The default is
    /// `kDefaultSelector`.
    [[nodiscard]] Source with_selector(std::string_view selector) const;
    /// Throws `Error` if arrays of a form in the memory of the host do not fit each other, or two forms are of
    /// different matrices, as far as sizes tell; columns and row pointers are not read.
    void validate() const;

    // For those who make operators:

    /// Sets the stream in whose order forms on a GPU are copied from there; without a call it is the default stream.
    void read_on(CUstream_st* stream) const;
    /// The same matrix, whose arrays on a GPU are to be used in another way.
    [[nodiscard]] Source with_device_arrays(cuda::DeviceArrays arrays) const;
    /// Bytes that were copied from a GPU to the host to prepare operators, of all copies of this source.
    [[nodiscard]] std::size_t bytes_to_host() const;
    void add_bytes_to_host(std::size_t bytes) const;
    /// What `auto` took for a matrix of the same pattern, and so takes for this one without choosing; empty: nothing.
    void prefer(std::string specification) const;
    [[nodiscard]] const std::string& preferred() const;

private:
    struct State;
    explicit Source(std::shared_ptr<State> state) : state_(std::move(state)) {}
    /// The same matrix with a state of its own, which makes CSR by this one's.
    [[nodiscard]] Source alike() const;
    void add(const CsrMatrix<V>& csr);
    void add(const TileMatrix<V>& tiles);
    void add(const cuda::DeviceCsrView<V>& csr);
    template <class F>
    auto of_given(F&& f) const;

    std::shared_ptr<State> state_;
};

}  // namespace tilespmv
