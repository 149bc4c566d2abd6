#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "tools/bindings/matrix.hpp"
#include "tools/bindings/value_types.hpp"

/// Arrays of other languages as the library has them, once the type of their values is known.
namespace tilespmv::bindings {

inline std::string_view text_of(Memory memory) { return memory == Memory::host ? "the host" : "a GPU"; }

/// None if neither the rows nor the columns of the array lie one after the other, each without gaps.
template <class V>
std::optional<Block<V>> block_of(const Array& a) {
    const auto rows = static_cast<std::ptrdiff_t>(a.rows);
    const std::ptrdiff_t cols = a.cols;
    auto* const data = static_cast<V*>(a.data);
    const auto in = [&](Layout layout, std::ptrdiff_t ld) {
        return Block<V>(data, a.rows, a.cols, static_cast<std::size_t>(ld), layout, a.memory);
    };
    if (rows == 0 || cols == 0 || (cols == 1 && (rows == 1 || a.row_stride == 1))) {
        return in(Layout::column_major, std::max<std::ptrdiff_t>(rows, 1));
    }
    const bool has_rows = cols == 1 || a.col_stride == 1;
    if (has_rows && (rows == 1 || a.row_stride >= cols)) {
        return in(Layout::row_major, rows == 1 ? cols : a.row_stride);
    }
    const bool has_columns = rows == 1 || a.row_stride == 1;
    if (has_columns && a.col_stride >= rows) return in(Layout::column_major, a.col_stride);
    return std::nullopt;
}

/// Whether two blocks have bytes in common, as far as their ends tell.
template <class V>
bool overlap(const Block<const V>& x, const Block<V>& y) {
    const auto end = [](const auto& b) {
        return b.data + (b.size() == 0 ? 0
                                       : (b.rows - 1) * b.row_stride() +
                                             static_cast<std::size_t>(b.cols - 1) * b.col_stride() + 1);
    };
    return x.memory == y.memory && x.data < end(y) && static_cast<const V*>(y.data) < end(x);
}

/// Throws a usage `Error` unless X has so many rows and Y so many, and both have as many columns and no bytes in
/// common.
template <class V>
void require_product(const Block<const V>& x, const Block<V>& y, index_t x_rows, index_t y_rows) {
    if (x.rows != static_cast<std::size_t>(x_rows) || y.rows != static_cast<std::size_t>(y_rows) || x.cols != y.cols) {
        throw Error(fmt::format("x is {} x {} and y {} x {}: expected {} and {} rows of as many columns", x.rows,
                                x.cols, y.rows, y.cols, x_rows, y_rows),
                    ExitCode::usage);
    }
    if (overlap<V>(x, y)) {
        throw Error("the result would overwrite the vector that is multiplied: give it an array of its own",
                    ExitCode::usage);
    }
}

/// Throws a usage `Error` unless a matrix there can multiply arrays that are there.
inline void require_memory(Memory x, Memory y, Backend backend) {
    if (backend == Backend::cpu && (x == Memory::device || y == Memory::device)) {
        throw Error(
            "the arrays are in the memory of a GPU and the matrix is in that of the host: make it with device=\"cuda\"",
            ExitCode::usage);
    }
    if (x != y) {
        throw Error(fmt::format("x is in the memory of {} and the result in that of {}: both have to be in one",
                                text_of(x), text_of(y)),
                    ExitCode::usage);
    }
}

/// Throws a usage `Error` unless a workspace is as one that is needed now.
inline void require_fits(const Workspace& given, const Workspace& needed) {
    const auto refuse = [](std::string_view why) {
        throw Error(fmt::format("the workspace is {}: make another one", why), ExitCode::usage);
    };
    if (given.matrix != needed.matrix) refuse("that of another matrix");
    if (given.is_transposed != needed.is_transposed)
        refuse(given.is_transposed ? "for the transpose" : "not for the transpose");
    if (given.is_for_blocks != needed.is_for_blocks) {
        refuse(given.is_for_blocks ? "for several columns" : "for one column");
    }
    if (given.preparation != needed.preparation) refuse("of a form that new values have replaced");
}

/// A matrix that is on the GPU, read in place.
template <Value V>
cuda::DeviceCsrView<V> view_device_csr(const CsrArrays& arrays) {
    cuda::DeviceCsrView<V> a{as_size(arrays.rows, "rows"),
                             as_size(arrays.cols, "columns"),
                             arrays.nnz,
                             static_cast<const std::int32_t*>(arrays.row_ptrs),
                             arrays.col_idxs,
                             static_cast<const V*>(arrays.values),
                             cuda::DeviceArrays::in_place};
    if (arrays.has_wide_row_ptrs) a.row_ptrs = static_cast<const std::int64_t*>(arrays.row_ptrs);
    cuda::validate(a, reinterpret_cast<CUstream_st*>(arrays.stream));  // NOLINT: then the stream has passed the arrays
    return a;
}

/// A view of arrays that live as long as their owner.
template <Value V>
CsrMatrix<V> view_csr(const CsrArrays& arrays) {
    CsrMatrix<V> a;
    a.rows = as_size(arrays.rows, "rows");
    a.cols = as_size(arrays.cols, "columns");
    const auto rows = static_cast<std::size_t>(a.rows) + 1;
    const auto nnz = static_cast<std::size_t>(arrays.nnz);
    if (arrays.has_wide_row_ptrs) {
        auto* const data = static_cast<offset_t*>(const_cast<void*>(arrays.row_ptrs));
        a.row_ptrs = Buffer<offset_t>::view(data, rows, arrays.owner);
    } else {
        const std::span narrow(static_cast<const std::int32_t*>(arrays.row_ptrs), rows);
        a.row_ptrs = Buffer<offset_t>(rows);
        std::copy(narrow.begin(), narrow.end(), a.row_ptrs.begin());
    }
    a.col_idxs = Buffer<index_t>::view(const_cast<index_t*>(arrays.col_idxs), nnz, arrays.owner);
    a.values = Buffer<V>::view(static_cast<V*>(const_cast<void*>(arrays.values)), nnz, arrays.owner);
    validate(a);
    return a;
}

}  // namespace tilespmv::bindings
