#pragma once

#include <functional>
#include <memory>
#include <type_traits>

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
/// of the transpose. `a` is the matrix of `op`, and is needed in the call only. Both products are as those of the two
/// operators: as fast, and reproducible if those are. `matrix_bytes` are those of `op`, all others are `other_bytes`.
///  - On the CPU the matrix is transposed in parallel. For an operator on a GPU it is transposed there, in memory of
///    the library's own: a CSR matrix that is in the memory of the GPU is read there, in the order of the default
///    stream, any other form is copied there as CSR. `make` gets the transpose in the memory of the GPU. The CSR
///    operators, `sell`, `ell`, csr-inode and dia are made of that without a copy to the host, the CSR operators
///    where it lies. Others copy it to the host once; `auto` copies a sample to choose, unless the pattern is
///    symmetric: then it takes what it took for the matrix.
///  - cuSPARSE's operators on CSR multiply values of 32 and 64 bits by the transpose as it does, from the matrix, with
///    other bits every time.
///  - New values, by `update_values`, reach both forms: by a gather, for which 4 to 8 bytes a nonzero are kept, and on
///    a GPU a copy of the values unless the second form is multiplied where it lies. From the memory of a GPU that can
///    be captured into a graph. Where `op` reads the values in place, they are for the second form.
///  - Of a matrix that was found to be symmetric the new values are compared, for which the same 4 to 8 bytes are kept,
///    and refused if they are not symmetric; on a GPU that waits for the stream, and cannot be captured.
///    `SecondForm::never` keeps and compares nothing.
template <Value V>
std::unique_ptr<Operator<V>> with_transpose(std::unique_ptr<Operator<V>> op, const std::type_identity_t<Source<V>>& a,
                                            const MakeOfSource<V>& make,
                                            SecondForm second = SecondForm::unless_symmetric);

/// The operator that does such a product for `a`: of one that `with_transpose` made, one of its two, else `a` itself.
/// On a GPU it is a `cuda::DeviceOperator`, which makes workspaces.
template <Value V>
const Operator<V>& serving(const Operator<V>& a, Op op);

}  // namespace tilespmv
