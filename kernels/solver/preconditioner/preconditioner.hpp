#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/source.hpp"
#include "tile/csr.hpp"
#include "tile/options/options.hpp"

/// A preconditioner as data: what the CPU and a GPU apply alike, made where the matrix is.
namespace tilespmv::solver {

/// M, which approximates the inverse of A: a diagonal or a chain of products; without either M = I.
template <Value V>
struct PreconditionerParts {
    index_t size = 0;                  ///< rows of A
    Buffer<V> inverse_diagonal;        ///< w = inverse_diagonal .* r
    const V* inverse_there = nullptr;  ///< the same in the memory of the GPU that computed it; else null

    std::vector<CsrMatrix<V>> stages;                  ///< square; w = stages.back() * ... * stages.front() * r
    std::vector<cuda::DeviceCsrView<V>> stages_there;  ///< the same in the memory of the GPU that computed them
    /// The operator that multiplies by the matrix of each stage, `name[:option=value,...]`.
    std::string operators = "auto";

    /// Or M = I: loops over r apply it.
    [[nodiscard]] bool is_diagonal() const { return stages.empty() && stages_there.empty(); }
};

}  // namespace tilespmv::solver

/// Preconditioners by their names, `name[:option=value,...]`. To add one: derive from `Preconditioner` in a file of its
/// own, and name it in the table in `registry.cpp`.
namespace tilespmv::solver {

/// Name of a preconditioner by which a `Solver` takes the one that `choose_preconditioner` finds.
inline constexpr std::string_view kAutoPreconditioner = "auto";

/// M as parts, computed from A on the host with all threads, or on the GPU where A is.
template <class T>
class Preconditioner {
public:
    Preconditioner() = default;
    Preconditioner(const Preconditioner&) = delete;
    Preconditioner& operator=(const Preconditioner&) = delete;
    virtual ~Preconditioner() = default;

    /// They live as long as this object.
    [[nodiscard]] const PreconditionerParts<T>& parts() const { return parts_; }
    /// Computes M of new values of A, whose pattern must be that of before. One of an A on a GPU reads them there,
    /// whatever `a` is. Allocates nothing. Throws `Error` where A has no such M; the parts are then not to be used.
    virtual void update_values(const CsrMatrix<T>& a) = 0;

protected:
    PreconditionerParts<T> parts_;
};

/// What lists and commands know of a preconditioner.
struct PreconditionerEntry {
    std::string_view name;     ///< on the command line
    std::string_view summary;  ///< says what options it takes
};

/// A preconditioner that can be made.
template <class T>
struct PreconditionerInfo : PreconditionerEntry {
    /// Of a square, symmetric A, which is not needed afterwards. Reads its options; throws as `make_preconditioner`.
    std::unique_ptr<Preconditioner<T>> (*make)(const CsrMatrix<T>& a, Options& options) = nullptr;
    /// Of one on the current GPU, whose arrays must outlive it.
    std::unique_ptr<Preconditioner<T>> (*make_there)(const cuda::DeviceCsrView<T>& a, Options& options) = nullptr;
};

/// All of them, from the simplest to the most expensive.
template <class T>
std::span<const PreconditionerInfo<T>> preconditioners();

/// The preconditioner of a specification, of a square, symmetric A, of which it needs the diagonal or the lower
/// triangle. Throws a usage `Error` for an unknown name (listing those there are) and wrong options, and `Error` if A
/// has no such M: then it is not positive definite.
template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view specification, const CsrMatrix<T>& a);
/// The same, to the bit, of a matrix on the current GPU, computed there. Its arrays must outlive it, and work on them
/// must be complete. Where A has no such M it is copied to the host, which says why.
template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(std::string_view specification, const cuda::DeviceCsrView<T>& a);

}  // namespace tilespmv::solver
