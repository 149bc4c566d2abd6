#pragma once

#include <cstddef>
#include <memory>

#include "kernels/transpose.hpp"

namespace tilespmv {

/// The transpose of an operator's matrix, where the operator works: what its second form is made of and gets new values
/// by. It outlives the second form, which may multiply it where it lies.
template <Value V>
class TransposedMatrix {
public:
    TransposedMatrix() = default;
    TransposedMatrix(const TransposedMatrix&) = delete;
    TransposedMatrix& operator=(const TransposedMatrix&) = delete;
    virtual ~TransposedMatrix() = default;

    /// Whether it equals the matrix that it was made of. It then keeps only what `keeps_symmetry` needs.
    [[nodiscard]] virtual bool is_symmetric() = 0;
    /// Whether values of the matrix, in its order, make it symmetric again. Throws `Error` where that cannot be found.
    [[nodiscard]] virtual bool keeps_symmetry(const Block<const V>& values, const Run& run) = 0;
    /// The second form. Then only what that and new values need is kept.
    virtual std::unique_ptr<Operator<V>> make_second(const MakeOfSource<V>& make) = 0;
    /// Whether `replace` serves.
    [[nodiscard]] virtual bool takes_new_values(const Operator<V>& second) const = 0;
    /// Gives the second form values of the matrix, in its order.
    virtual void replace(std::unique_ptr<Operator<V>>& second, const Block<const V>& values, const Run& run,
                         const MakeOfSource<V>& make) = 0;
    /// That are kept beside the second form.
    [[nodiscard]] virtual std::size_t bytes() const = 0;
};

namespace cuda {

/// The transpose of `a` in the memory of the current GPU, made there on the default stream, if `op` is an operator on a
/// GPU; else null.
template <Value V>
std::unique_ptr<TransposedMatrix<V>> transposed_on_gpu(const Operator<V>& op, const Source<V>& a);

/// The product by the transpose that an operator on a GPU computes from the matrix (`OperatorInfo::make_transpose`);
/// null if it has none.
template <Value V>
std::unique_ptr<Operator<V>> own_transpose(const Operator<V>& op, const Source<V>& a);

}  // namespace cuda

}  // namespace tilespmv
