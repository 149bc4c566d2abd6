#pragma once

#include <string_view>

#include "kernels/csr/device_csr.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/with_constant.hpp"

namespace tilespmv::cuda {

/// What all operators on an uploaded CSR matrix have in common.
template <class V>
class CsrOperator : public DeviceOperator<V> {
public:
    CsrOperator(std::string_view name, const CsrSource<V>& a, const DeviceContext& on)
        : name_(name), tile_rows_(occupied_tile_rows(a.row_ptrs(), 0, a.rows())), csr_(a, on) {}

    [[nodiscard]] std::string_view name() const override { return name_; }
    [[nodiscard]] index_t rows() const override { return csr_.rows(); }
    [[nodiscard]] index_t cols() const override { return csr_.cols(); }
    [[nodiscard]] offset_t nnz() const override { return csr_.nnz(); }
    [[nodiscard]] std::size_t matrix_bytes() const override { return csr_.bytes(); }
    [[nodiscard]] std::size_t device_bytes() const override { return matrix_bytes() + this->workspace_bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override {
        return executed_whole("csr", tile_rows_, nnz(), this->matrix_bytes());
    }
    void replace_values(const V* csr_values, cudaStream_t stream) override {
        if (!csr_.owns_values()) {
            throw Error("operator " + std::string(name_) +
                        " reads the values where their owner has them: change them there");
        }
        csr_.update_values(csr_values, stream);
    }

protected:
    [[nodiscard]] const DeviceCsr<V>& csr() const { return csr_; }
    template <class A>
    [[nodiscard]] ProductTerms<V, A> terms(const Product<V>& product) const {
        return terms_of<A>(product, rows(), cols());
    }

private:
    std::string_view name_;
    offset_t tile_rows_;
    DeviceCsr<V> csr_;
};

}  // namespace tilespmv::cuda
