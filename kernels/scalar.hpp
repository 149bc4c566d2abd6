#pragma once

#include <type_traits>

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
    [[nodiscard]] bool is_known_zero() const noexcept { return where_ == nullptr && value_ == 0; }

private:
    double value_ = 0;
    const double* where_ = nullptr;
};

}  // namespace tilespmv
