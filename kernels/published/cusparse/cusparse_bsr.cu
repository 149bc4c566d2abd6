#include "kernels/published/cusparse/bsr.hpp"
#include "kernels/published/cusparse/cusparse_operator.cuh"

namespace tilespmv::cuda {
namespace {

/// A vector of whole blocks where that of the product ends within one, empty where it does not.
template <class V>
DeviceBuffer<V> whole_blocks(index_t size, index_t blocks, int block_size, const DeviceContext& on) {
    const auto padded = static_cast<std::size_t>(std::int64_t{blocks} * block_size);
    DeviceBuffer<V> vector(padded > static_cast<std::size_t>(size) ? padded : 0, on);
    TILESPMV_CUDA(cudaMemsetAsync(vector.data(), 0, vector.bytes(), on));
    return vector;
}

/// The product by cusparse<t>bsrmv; what cusparseSpMV does with blocks is documented from CUDA 13.1 on only.
template <class V>
class CusparseBsr final : public CusparseOperator<V> {
public:
    CusparseBsr(const CsrMatrix<V>& a, const BsrMatrix<V>& bsr, BlockOrder order, const DeviceContext& on)
        : CusparseOperator<V>("cusparse-bsr", a, false, true),  // nothing is promised
          block_size_(bsr.block_size),
          block_rows_(bsr.block_rows),
          block_cols_(bsr.block_cols),
          direction_(order == BlockOrder::row_major ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN),
          row_ptrs_(bsr.row_ptrs, on),
          col_idxs_(bsr.col_idxs, on),
          values_(bsr.values, on),
          x_(whole_blocks<V>(a.cols, bsr.block_cols, bsr.block_size, on)),
          y_(whole_blocks<V>(a.rows, bsr.block_rows, bsr.block_size, on)) {
        cusparseMatDescr_t properties = nullptr;  // of a general matrix that counts from 0
        TILESPMV_CUSPARSE(cusparseCreateMatDescr(&properties));
        properties_.reset(properties);
        this->set_bytes(row_ptrs_.bytes() + col_idxs_.bytes() + values_.bytes(), x_.bytes() + y_.bytes());
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }

private:
    void call_library(V alpha, const V* x, V beta, V* y, cudaStream_t stream) const override {
        const auto copy = [&](V* to, const V* from, index_t size) {
            const std::size_t bytes = static_cast<std::size_t>(size) * sizeof(V);
            TILESPMV_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream));
        };
        if (!x_.empty()) copy(x_.data(), x, this->cols());
        if (!y_.empty() && beta != V{}) copy(y_.data(), y, this->rows());
        call(alpha, x_.empty() ? x : x_.data(), beta, y_.empty() ? y : y_.data());
        if (!y_.empty()) copy(y, y_.data(), this->rows());
    }

    void call(V alpha, const V* x, V beta, V* y) const {
        const auto bsrmv = [] {
            if constexpr (std::is_same_v<V, double>)
                return cusparseDbsrmv;
            else
                return cusparseSbsrmv;
        }();
        TILESPMV_CUSPARSE(bsrmv(this->handle(), direction_, CUSPARSE_OPERATION_NON_TRANSPOSE, block_rows_, block_cols_,
                                static_cast<int>(col_idxs_.size()), &alpha, properties_.get(), values_.data(),
                                row_ptrs_.data(), col_idxs_.data(), block_size_, x, &beta, y));
    }

    int block_size_;
    index_t block_rows_;
    index_t block_cols_;
    cusparseDirection_t direction_;
    MatrixProperties properties_;
    DeviceBuffer<std::int32_t> row_ptrs_;
    DeviceBuffer<index_t> col_idxs_;
    DeviceBuffer<V> values_;
    DeviceBuffer<V> x_;
    DeviceBuffer<V> y_;
};

BlockOrder read_order(Options& options) {
    const std::string order = options.word("order", "row");
    if (order == "row") return BlockOrder::row_major;
    if (order == "col") return BlockOrder::column_major;
    throw Error("cusparse-bsr: order=" + order + ", expected row or col", ExitCode::usage);
}

}  // namespace

/// Block CSR by `cusparse<t>bsrmv`, made on the host. Options: block (2, 4, 8 or 16; default 4), order (row or col, how
/// the values of a block follow each other; default row). Blocks are padded with zeros, which meet x: 0 * Inf is NaN.
/// Where the block does not divide the rows or columns, y or x is copied in every product. Not for 16-bit values.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_bsr(const Source<V>& source, Options& options, const MakeContext& context) {
    [[maybe_unused]] const DeviceContext& on = *context.device;
    const int block_size = options.one_of("block", 4, {2, 4, 8, 16});
    const BlockOrder order = read_order(options);
    options.finish();
    require_cusparse_sum<V>(*context.accumulator);
    if constexpr (std::is_floating_point_v<V>) {
        return std::make_unique<CusparseBsr<V>>(source.csr(), make_bsr(source.csr(), block_size, order), order, on);
    } else {
        throw Error("cuSPARSE has no BSR product for values of " + std::string(value_name<V>()), ExitCode::usage);
    }
}

template <class V>
OperatorInfo<V> info_of_cusparse_bsr() {
    return on_device<V>({.name = "cusparse-bsr",
                         .summary = "cuSPARSE, block CSR; block=2|4|8|16, order=row|col within a block",
                         .sweeps = "block=2|4|8|16,order=row|col",
                         .sums_in_own_type = true,
                         .takes_16_bit_values = false,
                         .role = Role::library},
                        make_cusparse_bsr<V>, NewValues::never);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_cusparse_bsr();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
