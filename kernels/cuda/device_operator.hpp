#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/registry.hpp"
#include "kernels/source.hpp"

namespace tilespmv::cuda {

/// Where an array lies in a workspace.
template <class T>
struct WorkspacePart {
    std::size_t offset = 0;
    [[nodiscard]] T* in(std::byte* workspace) const { return reinterpret_cast<T*>(workspace + offset); }
};

/// What a workspace of an operator consists of: sums that blocks leave for each other, with the bytes that they have
/// before and after every product, and room that every product writes before it reads.
class WorkspaceLayout {
public:
    template <class T>
    WorkspacePart<T> add(std::size_t count, unsigned char initial) {
        return {add_bytes(count * sizeof(T), initial)};
    }
    template <class T>
    WorkspacePart<T> add_room(std::size_t count) {
        return {place(count * sizeof(T))};
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Gives a workspace its initial bytes.
    void fill(std::byte* workspace, cudaStream_t stream) const;

private:
    struct Part {
        std::size_t offset;
        std::size_t bytes;
        unsigned char initial;
    };
    std::size_t add_bytes(std::size_t bytes, unsigned char initial);
    std::size_t place(std::size_t bytes);

    std::vector<Part> parts_;
    std::size_t bytes_ = 0;
};

/// Workspace for one product at a time of the operator that made it. Move-only; the stream it was made on must outlive
/// it.
class Workspace {
public:
    Workspace(const void* made_by, const WorkspaceLayout& layout, const DeviceContext& on)
        : made_by_(made_by), memory_(layout.bytes(), on) {
        layout.fill(memory_.data(), on.stream);
    }

    [[nodiscard]] std::byte* data() const { return memory_.data(); }
    [[nodiscard]] const void* made_by() const { return made_by_; }

private:
    const void* made_by_;
    DeviceBuffer<std::byte> memory_;
};

class Stream;

/// A product that an operator is to do; sizes and device are checked.
template <class V>
struct Product {
    const V* x = nullptr;  ///< cols() values
    V* y = nullptr;        ///< rows() values
    double alpha = 1;      ///< not 0
    double beta = 0;
    std::byte* workspace = nullptr;  ///< of the operator's `layout`
    std::uint64_t cache_policy = 0;  ///< of loads of the matrix, see `make_cache_policy`
};

/// The same for several columns, or for one whose values are not neighbours; blocks in device memory, alpha not known
/// to be 0.
template <class V>
struct BlockProduct {
    Block<const V> x;  ///< cols() rows
    Block<V> y;        ///< rows() rows, as many columns
    Scalar alpha = 1;
    Scalar beta = 0;
    std::byte* workspace = nullptr;
    std::uint64_t cache_policy = 0;
};

/// Arrays in device memory for rows + 1 row pointers, and as many columns and values as there are nonzeros.
template <class V>
struct CsrToWrite {
    offset_t* row_ptrs = nullptr;
    index_t* col_idxs = nullptr;
    V* values = nullptr;
};

/// What operators on a GPU derive from. Owns its matrix, unless that is a `DeviceCsrView` that it reads in place, and a
/// workspace. The stream it was made on must outlive it, unless it keeps that; products on other streams must be
/// complete when it is destroyed.
///  - `apply` of vectors in the memory of the GPU neither allocates nor synchronises, so it can be captured into a
///  graph.
///  - With a scalar in device memory, A * x goes to the workspace first, in the type of the values, and a kernel of its
///    own combines it with y.
template <class V>
class DeviceOperator : public Operator<V> {
public:
    ~DeviceOperator() override;
    /// CUDA's number of the GPU that holds it.
    [[nodiscard]] int device() const { return device_; }
    /// Device memory that the object holds or, of a matrix that is multiplied where it lies, reads: the matrix and a
    /// workspace.
    [[nodiscard]] std::size_t device_bytes() const {
        return this->facts().matrix_bytes + this->facts().other_bytes + workspace_bytes();
    }
    /// Bytes of one workspace.
    [[nodiscard]] std::size_t workspace_bytes() const { return layout_.bytes(); }
    /// A workspace for products that run beside those in the operator's own, so that one operator serves several
    /// streams: one workspace each. It is complete when `on.stream` has passed the call.
    [[nodiscard]] Workspace make_workspace(const DeviceContext& on) const { return Workspace(this, layout_, on); }

    /// Writes the matrix as CSR, with the values that it has now. Neither allocates nor waits. Throws `Error` for
    /// operators that do not give it back: those of cuSPARSE and on tiles of all formats, coo, hyb, csr5 and sell-spmm.
    void to_csr(const CsrToWrite<V>& to, cudaStream_t stream) const;

    /// Makes what needs the complete object: the cache policy for its size, and the workspace that products work in
    /// unless they are given one. Called once; may wait for the stream.
    void make_own_workspace(const DeviceContext& on);
    /// Keeps the stream that it was made on, on which products of vectors of the host then run.
    void keep_stream(std::unique_ptr<Stream> stream);

protected:
    /// On the current GPU.
    explicit DeviceOperator(Facts facts = {});
    /// What `Product::workspace` consists of: constructors add to it.
    [[nodiscard]] WorkspaceLayout& layout() { return layout_; }
    /// y = alpha * A * x + beta * y.
    virtual void multiply(const Product<V>& product, cudaStream_t stream) const = 0;
    /// Y = alpha * A * X + beta * Y. This one takes one column after the other, those in row-major layout by way of the
    /// workspace.
    virtual void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const;
    /// The work of `to_csr`, whether it does any.
    virtual bool write_csr(const CsrToWrite<V>& /*to*/, cudaStream_t /*stream*/) const { return false; }
    /// The work of `update_values`, of operators whose facts do not refuse it.
    virtual void replace_values(const V* /*csr_values*/, cudaStream_t /*stream*/) {}

private:
    struct Staged {
        DeviceBuffer<V> x;
        DeviceBuffer<V> y;
    };

    void multiply_column(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                         const Run& run) const final;
    void multiply_columns(const Scalar& alpha, const Block<const V>& x, const Scalar& beta, const Block<V>& y,
                          const Run& run) const final;
    void require_current() const;
    void multiply_column_in_rows(const BlockProduct<V>& product, int column, cudaStream_t stream) const;
    void multiply_there(const BlockProduct<V>& product, cudaStream_t stream) const;
    void multiply_staged(const BlockProduct<V>& product, cudaStream_t stream) const;
    void make_staged(std::size_t x, std::size_t y) const;
    bool replace(const Block<const V>& values, const Run& run) final;
    [[nodiscard]] std::byte* workspace_of(const Run& run) const;
    void multiply_there(const Scalar& alpha, const V* x, const Scalar& beta, V* y, cudaStream_t stream,
                        std::byte* workspace) const;
    [[nodiscard]] cudaStream_t stream_of(const Run& run) const {
        return run.stream != nullptr ? run.stream : on_.stream;
    }

    std::unique_ptr<Stream> stream_;  // outlives all that was made on it
    int device_;
    DeviceContext on_;  // that it was made on
    std::uint64_t cache_policy_ = 0;
    WorkspaceLayout layout_;
    WorkspacePart<V> sums_;    // A * x, if a scalar lies in device memory, and of a column in row-major layout
    WorkspacePart<V> column_;  // of X in row-major layout
    std::unique_ptr<Workspace> own_;
    mutable std::unique_ptr<Staged> staged_;  // for vectors of the host, made with the first
};

/// What a function that makes an operator for a GPU has made. Throws `Error` if it is none of those.
template <class V>
std::unique_ptr<DeviceOperator<V>> as_device_operator(std::unique_ptr<Operator<V>> made);

/// `make_operator` on the current GPU. Of a `DeviceCsrView` operators that multiply CSR take what its `arrays` say.
/// Nothing but sizes goes to the host for csr-scalar, csr-vector, csr-merge, csr-inode, `ell`, `sell`, strip, full
/// tiles and, with its diagonals, dia; row pointers for csr-spmm; everything for all others; `auto` takes a sample.
/// `Facts::bytes_to_host` says how much was copied. The stream is waited for.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(std::string_view specification, const Source<V>& source,
                                                        Accumulator accumulator, const DeviceContext& on);

/// That which `auto` takes for the matrix.
template <class V>
std::unique_ptr<DeviceOperator<V>> make_device_operator(const Source<V>& source, const DeviceContext& on) {
    return make_device_operator<V>("auto", source, default_accumulator<V>(), on);
}

/// A matrix that is assembled on a GPU: entries (row, column, value) in any order, of which several may have the same
/// place. The pattern is found once, by a stable radix sort on the GPU; values are summed as often as they change, each
/// in the order of its entries and without atomics, so that bits repeat. The result is CSR in device memory, which
/// operators are made from:
///
///     const cuda::Assembly assembly(n, n, rows, cols, count, stream);
///     cuda::DeviceBuffer<double> values(assembly.nnz(), stream);
///     assembly.sum(entries, values.data(), stream);
///     auto a = cuda::make_device_operator<double>(assembly.view(values.data()), stream);
///     ...
///     assembly.sum(new_entries, values.data(), stream);
///     a->update_values(values.span(), stream);
class Assembly {
public:
    /// `count` entries in the memory of the current GPU, from 0; `Index` is std::int32_t or std::int64_t. Those whose
    /// row or column is negative are left out, as PETSc does. The arrays are needed in the call only, which waits for
    /// the stream; while it sorts it takes 24 bytes an entry, 32 from 2^31 entries on. Throws a usage `Error` that
    /// names the first entry outside of the matrix.
    template <class Index>
    Assembly(index_t rows, index_t cols, const Index* row_idxs, const Index* col_idxs, offset_t count,
             const DeviceContext& on);

    [[nodiscard]] index_t rows() const { return rows_; }
    [[nodiscard]] index_t cols() const { return cols_; }
    [[nodiscard]] offset_t nnz() const { return static_cast<offset_t>(col_idxs_.size()); }
    /// Of the GPU, which it holds.
    [[nodiscard]] std::size_t bytes() const;

    /// Values of the CSR form, `nnz()`, from those of the entries, both in device memory. Every partial sum is rounded
    /// to the type of the values. Neither allocates nor waits, so that it can be captured into a graph.
    template <class V>
    void sum(const V* entries, V* values, cudaStream_t stream) const;

    /// The CSR form with these values; must not outlive this, unless what is made of it copies the arrays.
    template <class V>
    [[nodiscard]] DeviceCsrView<V> view(const V* values) const {
        return {rows_, cols_, nnz(), row_ptrs(), col_idxs_.data(), values};
    }

private:
    /// P: that of all entries has 32 bits below 2^31 of them.
    template <class P>
    struct Places {
        DeviceBuffer<P> row_ptrs;
        DeviceBuffer<P> positions;  ///< of the entries, by rows and columns
        DeviceBuffer<P> first;      ///< for each value, of its entries among `positions`; empty if each has one
    };
    using AnyPlaces = std::variant<Places<std::uint32_t>, Places<offset_t>>;
    template <class P, class Index>
    struct Maker;

    [[nodiscard]] std::variant<const std::int32_t*, const std::int64_t*> row_ptrs() const;

    index_t rows_;
    index_t cols_;
    DeviceBuffer<index_t> col_idxs_;
    AnyPlaces places_;
};

/// An entry of the registry for the GPU.
template <class V>
constexpr OperatorInfo<V> on_device(OperatorEntry entry, Make<V> make, NewValues new_values = NewValues::always) {
    entry.backend = Backend::cuda;
    entry.new_values = new_values;
    return {entry, make};
}

}  // namespace tilespmv::cuda
