#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/solver/options.hpp"
#include "kernels/solver/vector_kernels.hpp"
#include "selector/models/vector_shapes.hpp"

namespace tilespmv::solver {

/// The kernels of `vector_kernels`, in its order.
enum class VectorKernelId {
    advance,
    advance_diagonal,
    inner_products,
    direction,
    step_length,
    move,
    move_diagonal,
    ratio,
    residual2,
    sum,
    subtract_mean,
    times_diagonal,
    axpy,
    copy,
};

inline constexpr std::size_t kVectorKernels = 14;

/// Throws a usage `Error` for an unknown name.
VectorKernelId vector_kernel_id(std::string_view name);

/// A launch shape for each kernel: those of `default_vector_shape` unless a model sets others.
class VectorShapes {
public:
    VectorShapes(std::size_t n, std::size_t value_bytes, int multiprocessors);

    [[nodiscard]] const LaunchShape& of(VectorKernelId kernel) const {
        return shapes_[static_cast<std::size_t>(kernel)];
    }
    /// Throws a usage `Error` for an unknown name, and a shape that cannot be launched: threads are a multiple of 32 up
    /// to 1,024, elements at least 1.
    void set(std::string_view kernel, const LaunchShape& shape);
    /// Of all kernels, in the order of `vector_kernels`.
    [[nodiscard]] std::vector<KernelShape> list() const;
    /// Blocks of the largest reduction over n values.
    [[nodiscard]] int most_reducing_blocks(std::size_t n) const;

private:
    std::array<LaunchShape, kVectorKernels> shapes_;
};

/// By the trees of the profiles of a GPU of this name (`visit_profiles`), the user's own before the library's: they are
/// of times measured there, whatever its models of products are worth. A kernel without one has that of the
/// constructor.
VectorShapes shapes_on(std::string_view gpu, std::size_t n, std::size_t value_bytes, int multiprocessors);

}  // namespace tilespmv::solver
