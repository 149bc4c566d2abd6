#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "kernels/solver/space.hpp"

namespace tilespmv::solver {

/// A space with the matrix and the preconditioner of a system that it owns or views.
template <class T>
class SystemSpace : public Space<T> {
public:
    /// The operator that multiplies by A, as its table calls it; lives as long as the space.
    [[nodiscard]] virtual std::string_view operator_name() const = 0;
    /// With its options, `name[:option=value,...]`.
    [[nodiscard]] virtual std::string_view operator_specification() const = 0;
    /// How iterations are run, for a report: "CPU, 4 threads", "GPU, graphs of 32 iterations".
    [[nodiscard]] virtual std::string how() const = 0;
    /// Whether one kernel does blocks of iterations.
    [[nodiscard]] virtual bool is_persistent() const { return false; }
    /// New values of A, in the order of its CSR form, and of M, with the patterns and sizes of before. Allocates
    /// nothing, if the operator of A can do so; otherwise that is made again. Throws `Error`, on a wrong size, too.
    virtual void update_values(std::span<const T> values, const PreconditionerParts<T>& parts) = 0;
};

}  // namespace tilespmv::solver
