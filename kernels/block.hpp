#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

namespace tilespmv::cuda {

/// `size` values in the memory of a GPU, which somebody else owns. Its own type, so that the host does not read it.
template <class T>
class DeviceSpan {
public:
    DeviceSpan() = default;
    DeviceSpan(T* data, std::size_t size) : data_(data), size_(size) {}
    /// One of values that may change is one of values that may not.
    template <class U>
    requires std::is_same_v<T, const U> DeviceSpan(const DeviceSpan<U>& other)  // NOLINT(google-explicit-constructor)
        : data_(other.data()), size_(other.size()) {}

    [[nodiscard]] T* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tilespmv::cuda

namespace tilespmv {

/// A factor of a product: a number, or where one lies in the memory of the GPU, which the product reads when it runs.
class Scalar {
public:
    /// A number, of the type of the matrix or another.
    template <class T>
    requires std::is_constructible_v<double, T> Scalar(T value)  // NOLINT(google-explicit-constructor): it is a scalar
        : value_(static_cast<double>(value)) {}
    /// `where`: one double in the memory of the GPU, whatever the type of the matrix.
    static Scalar on_device(const double* where) {
        Scalar scalar(0);
        scalar.where_ = where;
        return scalar;
    }

    /// Null for a number that the host knows.
    [[nodiscard]] const double* where() const noexcept { return where_; }
    /// The number that the host knows.
    [[nodiscard]] double value() const noexcept { return value_; }
    /// The host knows that it is 0: A and x, or y, are then not read.
    [[nodiscard]] bool is_known_zero() const noexcept { return where_ == nullptr && value_ == 0; }

private:
    double value_ = 0;
    const double* where_ = nullptr;
};

/// Where values lie.
enum class Memory { host, device };

/// Which values of a block are neighbours: those of a column or those of a row.
enum class Layout { column_major, row_major };

/// A dense matrix whose values somebody else owns, or a vector: that has one column. What operators multiply and write.
template <class T>
struct Block {
    T* data = nullptr;     ///< of the first value
    std::size_t rows = 0;  ///< of a vector: its values
    int cols = 1;
    std::size_t ld = 0;  ///< from a column (a row) to the next, in values: at least `rows` (`cols`)
    Layout layout = Layout::column_major;
    Memory memory = Memory::host;

    Block() = default;
    /// A vector.
    Block(T* data_, std::size_t rows_, Memory memory_ = Memory::host)
        : data(data_), rows(rows_), ld(rows_), memory(memory_) {}
    Block(T* data_, std::size_t rows_, int cols_, std::size_t ld_, Layout layout_, Memory memory_)
        : data(data_), rows(rows_), cols(cols_), ld(ld_), layout(layout_), memory(memory_) {}
    /// A vector in the memory of the host: std::vector, std::span, Buffer.
    template <class R>
    requires std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
        std::is_convertible_v<decltype(std::ranges::data(std::declval<R&>())), T*>
        Block(R&& range)  // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : Block(std::ranges::data(range), std::ranges::size(range)) {}
    /// A vector in the memory of a GPU.
    template <class U>
    requires std::is_convertible_v<U*, T*> Block(cuda::DeviceSpan<U> v)  // NOLINT(google-explicit-constructor)
        : Block(v.data(), v.size(), Memory::device) {}
    /// Values that may change are values that may not.
    template <class U>
    requires std::is_same_v<T, const U> Block(const Block<U>& b)  // NOLINT(google-explicit-constructor)
        : Block(b.data, b.rows, b.cols, b.ld, b.layout, b.memory) {}

    /// A column, whose values are neighbours: of a block in column-major layout, or the only one of rows without gaps.
    [[nodiscard]] Block column(int c) const { return {data + static_cast<std::size_t>(c) * ld, rows, memory}; }
    /// `count` columns from `first` on, in any layout.
    [[nodiscard]] Block columns(int first, int count) const {
        return {data + static_cast<std::size_t>(first) * col_stride(), rows, count, ld, layout, memory};
    }
    /// `count` rows from `first` on.
    [[nodiscard]] Block row_range(std::size_t first, std::size_t count) const {
        return {data + first * row_stride(), count, cols, ld, layout, memory};
    }
    /// In the memory of the host.
    [[nodiscard]] T& at(std::size_t row, int col) const {
        return data[row * row_stride() + static_cast<std::size_t>(col) * col_stride()];
    }
    /// Number of its values, without those between its columns (its rows).
    [[nodiscard]] std::size_t size() const { return rows * static_cast<std::size_t>(cols); }
    /// From a row, or a column, to the next.
    [[nodiscard]] std::size_t row_stride() const { return layout == Layout::column_major ? 1 : ld; }
    [[nodiscard]] std::size_t col_stride() const { return layout == Layout::column_major ? ld : 1; }
    /// Whether `column` serves: the values of each column are neighbours.
    [[nodiscard]] bool has_columns() const {
        return layout == Layout::column_major || (cols == 1 && (ld == 1 || rows <= 1));
    }
};

}  // namespace tilespmv
