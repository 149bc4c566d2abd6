#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "kernels/solver/preconditioner/parts.hpp"
#include "tile/csr.hpp"
#include "tile/options/options.hpp"

/// Preconditioners by their names, `name[:option=value,...]`. To add one: derive from `Preconditioner` in a file of its
/// own, and name it in the table in `registry.cpp`.
namespace tilespmv::solver {

/// M as parts, computed from A on the host with all threads.
template <class T>
class Preconditioner {
public:
    Preconditioner() = default;
    Preconditioner(const Preconditioner&) = delete;
    Preconditioner& operator=(const Preconditioner&) = delete;
    virtual ~Preconditioner() = default;

    /// They live as long as this object.
    [[nodiscard]] const AnyPreconditionerParts& parts() const { return parts_; }
    /// Computes M of new values of A, whose pattern must be that of before. Allocates nothing. Throws `Error` where A
    /// has no such M; the parts are then not to be used.
    virtual void update_values(const CsrMatrix<T>& a) = 0;

protected:
    AnyPreconditionerParts parts_;
};

/// What lists and commands know of a preconditioner.
struct PreconditionerEntry {
    std::string_view name;     ///< on the command line
    std::string_view summary;  ///< says what options it takes
};

template <class T>
struct PreconditionerInfo : PreconditionerEntry {
    /// Reads its options and throws `Error`.
    std::unique_ptr<Preconditioner<T>> (*make)(const CsrMatrix<T>& a, Options& options) = nullptr;
};

/// All of them, from the simplest to the most expensive.
template <class T>
std::span<const PreconditionerInfo<T>> preconditioners();

/// The preconditioner of a specification, of a square, symmetric A, of which it needs the diagonal, the lower triangle
/// or blocks. All take `values=float32|float64`, the type of M (default: that of A). Throws a usage `Error` for an
/// unknown name (listing those there are) and wrong options, and `Error` if A has no such M: then it is not positive
/// definite.
template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view specification, const CsrMatrix<T>& a);

}  // namespace tilespmv::solver
