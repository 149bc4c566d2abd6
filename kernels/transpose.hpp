#pragma once

#include <functional>
#include <memory>

#include "kernels/operator.hpp"
#include "kernels/source.hpp"
#include "tile/csr.hpp"

namespace tilespmv {

/// Makes an operator on any backend, such as `ChosenOperator::make`.
template <Value V>
using MakeOfSource = std::function<std::unique_ptr<Operator<V>>(const Source<V>&)>;

/// When an operator has a second form of its matrix for the transpose.
enum class SecondForm {
    unless_symmetric,  ///< it compares the matrix with its transpose, and needs none if they are equal
    never,             ///< the caller declares the matrix symmetric, with all values that come
    always,
};

/// An operator that multiplies as `op`, and by the transpose of its matrix as well: by a second one, which `make` makes
/// of the transpose, a CSR matrix of its own, in parallel. `a` is the matrix of `op`, and is needed in the call only.
/// Both products are as those of the two operators: as fast, and reproducible if those are. `matrix_bytes` are those of
/// `op`, all others are `other_bytes`.
/// New values, by `update_values` from the memory of the host, reach both forms. Of a matrix that was found to be
/// symmetric `update_values` is refused, as it cannot find that again.
template <Value V>
std::unique_ptr<Operator<V>> with_transpose(std::unique_ptr<Operator<V>> op, const CsrMatrix<V>& a,
                                            const MakeOfSource<V>& make,
                                            SecondForm second = SecondForm::unless_symmetric);

}  // namespace tilespmv
