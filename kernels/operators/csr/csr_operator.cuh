#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "kernels/cuda/device_csr.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/product.cuh"

namespace tilespmv::cuda {

/// What all operators on an uploaded CSR matrix have in common.
template <class V>
class CsrOperator : public DeviceOperator<V> {
public:
    CsrOperator(std::string_view name, const Source<V>& a, const DeviceContext& on, int most_columns = 1)
        : DeviceOperator<V>(
              {.name = name, .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz(), .most_columns = most_columns}),
          tile_rows_(tile_rows_of(a)),
          csr_(a, on) {
        if (!csr_.owns_values()) this->refuse_new_values(kReadInPlace);
        add_plan(0);
    }

    void replace_values(const V* csr_values, cudaStream_t stream) override { csr_.update_values(csr_values, stream); }

protected:
    bool write_csr(const CsrToWrite<V>& to, cudaStream_t stream) const override {
        const auto nnz = static_cast<std::size_t>(this->nnz());
        csr_.visit([&]<class P>(const CsrView<V, P>& a) {
            using Given = std::conditional_t<sizeof(P) == 4, std::int32_t, std::int64_t>;  // none has the highest bit
            DevicePattern pattern{this->rows(), this->cols(), this->nnz()};
            pattern.row_ptrs = reinterpret_cast<const Given*>(a.row_ptrs);
            copy_row_ptrs(pattern, to.row_ptrs, stream);
            copy_there(to.col_idxs, a.col_idxs, nnz, stream);
            copy_there(to.values, a.values, nnz, stream);
        });
        return true;
    }
    /// Bytes of a plan beside the matrix that products read.
    void add_plan(std::size_t bytes) {
        const std::size_t all = csr_.bytes() + bytes;
        this->set_parts(all, 0, executed_whole("csr", tile_rows_, this->nnz(), all));
    }
    [[nodiscard]] const DeviceCsr<V>& csr() const { return csr_; }
    template <class A>
    [[nodiscard]] ProductTerms<V, A> terms(const Product<V>& product) const {
        return terms_of<A>(product, this->rows(), this->cols());
    }

private:
    offset_t tile_rows_;
    DeviceCsr<V> csr_;
};

}  // namespace tilespmv::cuda
