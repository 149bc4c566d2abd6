#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "tile/types.hpp"

namespace tilespmv {

/// 64-byte aligned, uninitialised memory (2 MiB aligned and on huge pages from 4 MiB on), freed with its last owner.
/// Throws `Error` naming the bytes when there is not enough.
std::shared_ptr<void> allocate_bytes(std::size_t bytes);

/// A fixed-size array that owns its memory or views somebody else's (a mapped file) and keeps that alive.
/// Elements of a new buffer are uninitialised, so that the threads that fill it also place its pages. Move-only.
template <class T>
requires std::is_trivially_copyable_v<T>
class Buffer {
public:
    Buffer() = default;
    /// `size` uninitialised elements. This and the next three throw `Error` as `allocate_bytes` does.
    explicit Buffer(std::size_t size)
        : owner_(size ? allocate_bytes(size * sizeof(T)) : nullptr),
          data_(static_cast<T*>(owner_.get())),
          size_(size) {}
    Buffer(std::size_t size, T value) : Buffer(size) { std::fill(begin(), end(), value); }
    Buffer(std::initializer_list<T> values) : Buffer(values.size()) { std::copy(values.begin(), values.end(), data_); }
    explicit Buffer(std::span<const T> values) : Buffer(values.size()) {
        std::copy(values.begin(), values.end(), data_);
    }

    /// `size` elements at `data`, which live as long as `owner`.
    static Buffer view(T* data, std::size_t size, std::shared_ptr<void> owner) {
        Buffer b;
        b.owner_ = std::move(owner);
        b.data_ = data;
        b.size_ = size;
        return b;
    }

    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        Buffer(std::move(other)).swap(*this);
        return *this;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() = default;

    /// A copy of the elements in memory of its own.
    [[nodiscard]] Buffer clone() const { return Buffer(std::span<const T>(data_, size_)); }

    /// Drops the elements from `size` on, without giving memory back.
    void truncate(std::size_t size) { size_ = std::min(size, size_); }

    [[nodiscard]] T* data() noexcept { return data_; }
    [[nodiscard]] const T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    /// i < size(), unchecked.
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }

    /// Element by element.
    friend bool operator==(const Buffer& a, const Buffer& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    void swap(Buffer& other) noexcept {
        std::swap(owner_, other.owner_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    std::shared_ptr<void> owner_;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Compressed sparse rows, the form every matrix has before it is tiled.
/// Invariants (checked by `validate`): `row_ptrs` has rows + 1 ascending entries from 0 to nnz; the columns of a row
/// ascend strictly and lie in [0, cols). Explicit zeros are ordinary nonzeros.
template <Value V>
struct CsrMatrix {
    index_t rows = 0;  ///< below 2^31, as the columns
    index_t cols = 0;
    Buffer<offset_t> row_ptrs{0};  ///< rows + 1
    Buffer<index_t> col_idxs;      ///< nnz, from 0
    Buffer<V> values;              ///< nnz

    [[nodiscard]] offset_t nnz() const noexcept { return static_cast<offset_t>(col_idxs.size()); }
    /// A copy in memory of its own; throws `Error` if there is not enough.
    [[nodiscard]] CsrMatrix clone() const { return {rows, cols, row_ptrs.clone(), col_idxs.clone(), values.clone()}; }
    friend bool operator==(const CsrMatrix&, const CsrMatrix&) = default;
};

/// A CSR matrix over arrays of the caller's, which must outlive it: columns and values are not copied, row pointers
/// only where they have 32 bits. Nothing is checked (see `validate`), and nobody may write through it.
template <Value V>
CsrMatrix<V> borrow_csr(index_t rows, index_t cols, std::span<const std::int64_t> row_ptrs,
                        std::span<const index_t> col_idxs, std::span<const V> values);
template <Value V>
CsrMatrix<V> borrow_csr(index_t rows, index_t cols, std::span<const std::int32_t> row_ptrs,
                        std::span<const index_t> col_idxs, std::span<const V> values);

/// The pattern of `a` with other values, as by `borrow_csr`.
template <Value V>
CsrMatrix<V> with_values(const CsrMatrix<V>& a, std::span<const V> values) {
    return borrow_csr<V>(a.rows, a.cols, std::span<const std::int64_t>(a.row_ptrs.data(), a.row_ptrs.size()),
                         std::span<const index_t>(a.col_idxs.data(), a.col_idxs.size()), values);
}

/// Throws `Error` if the sizes of the arrays or the row pointers break an invariant of `CsrMatrix`; columns are not
/// read.
template <Value V>
void validate_row_ptrs(const CsrMatrix<V>& a);

/// Throws `Error` naming the first row that breaks an invariant of `CsrMatrix`, and how.
template <Value V>
void validate(const CsrMatrix<V>& a);

/// The same matrix with its values rounded to `To`. Throws `Error` with row and column (from 1) of the first finite
/// value that `To` has no number for, and as `validate_row_ptrs` does; Inf and NaN stay. The arrays are copies.
template <Value To, Value From>
CsrMatrix<To> convert_values(const CsrMatrix<From>& a);

}  // namespace tilespmv
