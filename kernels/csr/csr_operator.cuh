#pragma once

#include <string>
#include <string_view>

#include "kernels/csr/device_csr.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/product.cuh"

namespace tilespmv::cuda {

/// What all operators on an uploaded CSR matrix have in common.
template <class V>
class CsrOperator : public DeviceOperator<V> {
public:
    CsrOperator(std::string_view name, const CsrMatrix<V>& a, cudaStream_t stream)
        : name_(name), tile_rows_(occupied_tile_rows(a.row_ptrs, 0, a.rows)), csr_(a, stream) {}

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] index_t rows() const override { return csr_.rows(); }
    [[nodiscard]] index_t cols() const override { return csr_.cols(); }
    [[nodiscard]] offset_t nnz() const override { return csr_.nnz(); }
    [[nodiscard]] std::size_t matrix_bytes() const override { return csr_.bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override { return csr_.bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("csr", tile_rows_, nnz(), this->matrix_bytes());
    }
    void update_values(const V* csr_values, cudaStream_t stream) override { csr_.update_values(csr_values, stream); }

protected:
    [[nodiscard]] const DeviceCsr<V>& csr() const { return csr_; }
    template <class A>
    [[nodiscard]] ProductTerms<V, A> terms(double alpha, const V* x, double beta, V* y) const {
        return {x, y, static_cast<A>(alpha), static_cast<A>(beta), rows(), cols()};
    }

private:
    std::string_view name_;
    offset_t tile_rows_;
    DeviceCsr<V> csr_;
};

/// Calls f.operator()<N>() for the one N of `kValues` that equals `value`. Throws `Error` if there is none.
template <int... kValues, class F>
void with_constant(int value, F&& f) {
    const bool found = ((value == kValues ? (f.template operator()<kValues>(), true) : false) || ...);
    if (!found) throw Error("no kernel was compiled for the choice " + std::to_string(value));
}

}  // namespace tilespmv::cuda
