#pragma once

#include <string>

#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/published/cusparse/cusparse.hpp"
#include "tile/error.hpp"

/// The products of cuSPARSE. It accumulates in the type of the values, and 16-bit values in float32; another
/// accumulator is a usage `Error`. Some of its algorithms do not promise the same bits every time: `is_reproducible` of
/// the operator tells. Matrices without nonzeros are not handed to it.
namespace tilespmv::cuda {

/// What all operators on cuSPARSE have in common: it is not asked where there is nothing to multiply.
template <class V>
class CusparseOperator : public DeviceOperator<V> {
public:
    /// `name`: "cusparse-" and the representation. `op`: an operator of A or of its transpose. The library keeps a
    /// workspace of its own, whose size it says, but not what lies in it between products.
    CusparseOperator(std::string_view name, const CsrMatrix<V>& a, bool is_reproducible, bool pads_with_zeros,
                     int most_columns = 1, Op op = Op::none)
        : CusparseOperator(name, a, occupied_tile_rows(a.row_ptrs, 0, a.rows), is_reproducible, pads_with_zeros,
                           most_columns, op) {}
    /// Of a matrix of which only the sizes and its tile rows with nonzeros are known here.
    CusparseOperator(std::string_view name, const CsrMatrix<V>& a, offset_t tile_rows, bool is_reproducible,
                     bool pads_with_zeros, int most_columns = 1, Op op = Op::none)
        : DeviceOperator<V>({.name = name,
                             .rows = op == Op::none ? a.rows : a.cols,
                             .cols = op == Op::none ? a.cols : a.rows,
                             .nnz = a.nnz(),
                             .no_new_values = kMakeAgain,
                             .is_reproducible = is_reproducible,
                             .pads_with_zeros = pads_with_zeros,
                             .takes_workspace = false,
                             .most_columns = most_columns}),
          tile_rows_(tile_rows),
          op_(op == Op::none ? CUSPARSE_OPERATION_NON_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE),
          handle_(make_cusparse_handle()) {}

    void multiply(const Product<V>& product, cudaStream_t stream) const final {
        using A = CusparseSum<V>;
        if (this->nnz() == 0) return launch_scale<V>(product.y, this->rows(), product.beta, stream);
        TILESPMV_CUSPARSE(cusparseSetStream(handle_.get(), stream));
        call_library(static_cast<A>(product.alpha), product.x, static_cast<A>(product.beta), product.y, stream);
    }

    void multiply_block(const BlockProduct<V>& product, cudaStream_t stream) const final {
        const bool has_kernel = this->facts().most_columns > 1;
        const bool is_known = product.alpha.where() == nullptr && product.beta.where() == nullptr;
        if (!has_kernel || !is_known || this->nnz() == 0) {
            return DeviceOperator<V>::multiply_block(product, stream);
        }
        using A = CusparseSum<V>;
        TILESPMV_CUSPARSE(cusparseSetStream(handle_.get(), stream));
        call_for_block(static_cast<A>(product.alpha.value()), product.x, static_cast<A>(product.beta.value()),
                       product.y);
    }

protected:
    void set_bytes(std::size_t matrix_bytes, std::size_t other_bytes) {
        const bool has_columns = this->facts().most_columns > 1;
        const auto representation = has_columns ? "csr" : this->name().substr(std::string_view("cusparse-").size());
        this->set_parts(matrix_bytes, other_bytes,
                        executed_whole(representation, tile_rows_, this->nnz(), matrix_bytes));
    }
    /// The same with something to multiply; the handle works on `stream`.
    virtual void call_library(CusparseSum<V> alpha, const V* x, CusparseSum<V> beta, V* y,
                              cudaStream_t stream) const = 0;

    /// The same for several columns, of an operator that has them.
    virtual void call_for_block(CusparseSum<V> /*alpha*/, const Block<const V>& /*x*/, CusparseSum<V> /*beta*/,
                                const Block<V>& /*y*/) const {}

    [[nodiscard]] cusparseHandle_t handle() const { return handle_.get(); }
    /// Of the matrix.
    [[nodiscard]] cusparseOperation_t op() const { return op_; }

private:
    offset_t tile_rows_;
    cusparseOperation_t op_;
    CusparseHandle handle_;
};

/// Throws a usage `Error` for an accumulator that cuSPARSE does not have for V.
template <class V>
void require_cusparse_sum(Accumulator accumulator) {
    constexpr auto own = std::is_same_v<V, double> ? Accumulator::float64 : Accumulator::float32;
    if (accumulator == own) return;
    throw Error("cuSPARSE accumulates values of " + std::string(value_name<V>()) + " in " +
                    std::string(accumulator_name(own)) + " only, not in " + std::string(accumulator_name(accumulator)),
                ExitCode::usage);
}

}  // namespace tilespmv::cuda
