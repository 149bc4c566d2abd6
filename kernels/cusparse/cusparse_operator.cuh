#pragma once

#include <string>

#include "kernels/cuda/combine.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cusparse/cusparse.hpp"
#include "tile/error.hpp"

namespace tilespmv::cuda {

/// What all operators on cuSPARSE have in common: it is not asked where there is nothing to multiply.
template <class V>
class CusparseOperator : public DeviceOperator<V> {
public:
    /// `name`: "cusparse-" and the representation.
    CusparseOperator(std::string_view name, const CsrMatrix<V>& a)
        : name_(name),
          rows_(a.rows),
          cols_(a.cols),
          nnz_(a.nnz()),
          tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)),
          handle_(make_cusparse_handle()) {}

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] index_t rows() const override { return rows_; }
    [[nodiscard]] index_t cols() const override { return cols_; }
    [[nodiscard]] offset_t nnz() const override { return nnz_; }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        const auto representation = name_.substr(std::string_view("cusparse-").size());
        return executed_whole(representation, tile_rows_, nnz_, this->matrix_bytes());
    }

    /// The library keeps its own, whose size it says, but not what lies in it between products.
    [[nodiscard]] bool takes_workspace() const final { return false; }

    void multiply(const Product<V>& product, cudaStream_t stream) const final {
        using A = CusparseSum<V>;
        if (nnz_ == 0) return launch_scale<V>(product.y, rows_, product.beta, stream);
        TILESPMV_CUSPARSE(cusparseSetStream(handle_.get(), stream));
        call_library(static_cast<A>(product.alpha), product.x, static_cast<A>(product.beta), product.y, stream);
    }

protected:
    /// The same with something to multiply; the handle works on `stream`.
    virtual void call_library(CusparseSum<V> alpha, const V* x, CusparseSum<V> beta, V* y,
                              cudaStream_t stream) const = 0;

    [[nodiscard]] cusparseHandle_t handle() const { return handle_.get(); }

private:
    std::string_view name_;
    index_t rows_;
    index_t cols_;
    offset_t nnz_;
    offset_t tile_rows_;
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
