#pragma once

#include <memory>
#include <vector>

#include "kernels/registry.hpp"
#include "kernels/solver/choose_preconditioner.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "tile/csr.hpp"

/// In which form the approximate inverse of SSOR is applied: as triangular factors or as one or two matrices with more
/// nonzeros. That is a question of products, and answered by what predicts their times.
namespace tilespmv::solver {

/// Of this order, "ssor-ai:order=2,form=pair".
std::string ssor_specification(int order, std::string_view form);

template <class T>
struct SsorForms {
    std::vector<PreconditionerForm> forms;
    std::shared_ptr<Preconditioner<T>> made;  ///< the first of them
};

/// To make a form and to apply it 1,000 times.
double whole_seconds(const PreconditionerForm& form);

/// The forms of that order on the CPU or the current GPU. First those that were made and predicted, the one that takes
/// the least time to make and to apply 1,000 times before the others: the sum of its products, each by the operator
/// that `auto` takes for its matrix, and, on a GPU, of the kernels that add diagonals. Then those that were not made:
/// by a sample of rows they have so many nonzeros, or take so long to make, that they cannot pay. Throws `Error` if A
/// has no such preconditioner.
template <class T>
SsorForms<T> rank_ssor_forms(const CsrMatrix<T>& a, int order, Backend backend);

}  // namespace tilespmv::solver
