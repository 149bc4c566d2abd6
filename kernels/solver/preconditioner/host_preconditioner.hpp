#pragma once

#include <memory>
#include <span>

#include "kernels/operator.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"

namespace tilespmv::solver {

/// w = M r on the CPU, for vectors of T. Keeps workspace: one at a time per object.
template <class T>
class HostPreconditioner {
public:
    HostPreconditioner() = default;
    HostPreconditioner(const HostPreconditioner&) = delete;
    HostPreconditioner& operator=(const HostPreconditioner&) = delete;
    virtual ~HostPreconditioner() = default;

    /// r, w: a value a row; they do not overlap.
    virtual void apply(std::span<const T> r, std::span<T> w) = 0;
    /// M, if it is diagonal; else empty.
    [[nodiscard]] virtual std::span<const T> diagonal() const { return {}; }
    /// The parts that it was made from have new values, or are replaced by those of another object with the same
    /// pattern.
    virtual void update_values(const PreconditionerParts<T>& parts) = 0;
};

/// Applies parts, which must outlive it: products of stages by the operators that they name. Throws `Error` as
/// `make_operator` does.
template <class T>
std::unique_ptr<HostPreconditioner<T>> make_host_preconditioner(const PreconditionerParts<T>& parts);

/// A user's: any operator with the size of A, symmetric positive definite. It must outlive it.
template <class T>
class OperatorPreconditioner final : public HostPreconditioner<T> {
public:
    explicit OperatorPreconditioner(const Operator<T>& m) : m_(m) {}
    void apply(std::span<const T> r, std::span<T> w) override { m_.apply(T{1}, r, T{0}, w); }
    void update_values(const PreconditionerParts<T>&) override {}

private:
    const Operator<T>& m_;
};

}  // namespace tilespmv::solver
