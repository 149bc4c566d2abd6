#pragma once

namespace tilespmv::cuda {

/// A factor of a product: a number, or where one lies in the memory of the GPU, which the product reads when it runs.
class Scalar {
public:
    Scalar(double value) : value_(value) {}  // NOLINT(google-explicit-constructor): a number is a scalar
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

}  // namespace tilespmv::cuda
