#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "tile/csr.hpp"
#include "tile/tile_matrix.hpp"
#include "tile/types.hpp"

namespace tilespmv::cuda {

/// A CSR matrix in the memory of a GPU, which somebody else owns: nothing is copied where an operator multiplies CSR as
/// it is. The invariants are those of `CsrMatrix`; columns are not checked.
template <class V>
struct DeviceCsrView {
    index_t rows = 0;
    index_t cols = 0;
    offset_t nnz = 0;
    /// rows + 1 entries, from 0 to nnz, of 32 or 64 bits.
    std::variant<const std::int32_t*, const std::int64_t*> row_ptrs;
    const index_t* col_idxs = nullptr;  ///< nnz
    const V* values = nullptr;          ///< nnz
};

}  // namespace tilespmv::cuda

struct CUstream_st;  // CUDA's: cudaStream_t points to one

namespace tilespmv {

template <Value V>
struct StripMatrix;

namespace cuda {
class SentArrays;
}

/// A representation of a whole matrix that operators are made from: CSR, in the memory of the host or of a GPU, or
/// tiles or strips in that of the host.
enum class Form { csr, tiles, strips };

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
    Source(const StripMatrix<V>& strips);       // NOLINT(google-explicit-constructor)
    Source(const cuda::DeviceCsrView<V>& csr);  // NOLINT(google-explicit-constructor): its arrays must outlive it
    Source(CsrMatrix<V>&& csr);                 // NOLINT(google-explicit-constructor): owns it, as the next ones
    Source(TileMatrix<V>&& tiles);              // NOLINT(google-explicit-constructor)
    Source(StripMatrix<V>&& strips);            // NOLINT(google-explicit-constructor)
    /// Several forms of one matrix.
    template <class First, class Second, class... More>
    Source(const First& first, const Second& second, const More&... more)  // NOLINT(google-explicit-constructor)
        : Source(first) {
        add(second);
        (add(more), ...);
    }

    [[nodiscard]] index_t rows() const;
    [[nodiscard]] index_t cols() const;
    [[nodiscard]] offset_t nnz() const;

    /// In the memory of the host: the one that was given, else unpacked from strips or tiles, or copied from a GPU.
    [[nodiscard]] const CsrMatrix<V>& csr() const;
    /// Of the CSR form; of one on a GPU nothing else is copied.
    [[nodiscard]] const Buffer<offset_t>& row_ptrs() const;
    /// Those that were given, else the CSR form converted by the selector.
    [[nodiscard]] const TileMatrix<V>& tiles() const;

    /// The form if it was given, else null.
    [[nodiscard]] const CsrMatrix<V>* find_csr() const;
    [[nodiscard]] const TileMatrix<V>* find_tiles() const;
    [[nodiscard]] const StripMatrix<V>* find_strips() const;
    [[nodiscard]] const cuda::DeviceCsrView<V>* find_device_csr() const;
    /// Whether a form in the memory of the host was given.
    [[nodiscard]] bool is_on_host() const { return find_csr() || find_tiles() || find_strips(); }

    /// The same matrix, whose tiles are made by this selector (`make_policy`), whatever tiles there are. The default is
    /// `kDefaultSelector`.
    [[nodiscard]] Source with_selector(std::string_view selector) const;
    /// The forms that were given, as a name: "csr", "csr, tiles of 2048 bytes". By their bytes tiles of one selector
    /// are told from those of another, which take other times.
    [[nodiscard]] std::string forms() const;
    /// Throws `Error` if arrays of a form in the memory of the host do not fit each other, or two forms are of
    /// different matrices, as far as sizes tell; columns and row pointers are not read.
    void validate() const;

    // For those who make operators:

    /// What lies on a GPU is copied from there in the order of this stream; the default stream, unless it is called.
    void read_on(CUstream_st* stream) const;
    /// Columns and values of the CSR form that are copied to a GPU already, while operators are made of the source;
    /// null: none are. See `cuda::SentSource`.
    void lend(cuda::SentArrays* sent) const;
    [[nodiscard]] cuda::SentArrays* sent() const;
    /// What `auto` took for a matrix of the same pattern, and so takes for this one without choosing; empty: nothing.
    void prefer(std::string specification) const;
    [[nodiscard]] const std::string& preferred() const;

private:
    struct State;
    explicit Source(std::shared_ptr<State> state) : state_(std::move(state)) {}
    void add(const CsrMatrix<V>& csr);
    void add(const TileMatrix<V>& tiles);
    void add(const StripMatrix<V>& strips);
    void add(const cuda::DeviceCsrView<V>& csr);
    template <class F>
    auto of_given(F&& f) const;

    std::shared_ptr<State> state_;
};

}  // namespace tilespmv
