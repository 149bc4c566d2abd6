#include "kernels/published/cusparse/cusparse_operator.cuh"
#include "kernels/published/cusparse/described_matrix.cuh"
#include "kernels/published/cusparse/sell.hpp"

namespace tilespmv::cuda {
namespace {

/// What cuSPARSE is to do, whether it promises the same bits every time, whether it looks at the matrix before, and
/// whether it multiplies padding.
struct Algorithm {
    cusparseSpMVAlg_t id;
    bool is_reproducible;
    bool has_preprocessing;
    bool pads_with_zeros = false;
};

/// The product by cusparseSpMV.
template <class V>
class CusparseSpmv final : public CusparseOperator<V> {
public:
    /// `matrix` is not described if it has no nonzeros.
    CusparseSpmv(std::string_view name, const Source<V>& a, DescribedMatrix matrix, Algorithm algorithm,
                 const DeviceContext& on, Op op = Op::none)
        : CusparseOperator<V>(name, csr_sizes(a), tile_rows_of(a), algorithm.is_reproducible, algorithm.pads_with_zeros,
                              1, op),
          matrix_(std::move(matrix)),
          algorithm_(algorithm) {
        if (a.nnz() > 0) prepare(on);
        this->set_bytes(matrix_.bytes(), workspace_.bytes());
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }

private:
    using A = CusparseSum<V>;

    // cuSPARSE wants x and y beforehand, but looks at their size and type only.
    void prepare(const DeviceContext& on) {
        const DeviceBuffer<V> x(static_cast<std::size_t>(this->cols()), on);
        const DeviceBuffer<V> y(static_cast<std::size_t>(this->rows()), on);
        x_ = describe(x.data(), this->cols());
        y_ = describe(y.data(), this->rows());
        const A one = 1;
        const A zero = 0;
        std::size_t bytes = 0;
        TILESPMV_CUSPARSE(cusparseSetStream(this->handle(), on));
        TILESPMV_CUSPARSE(cusparseSpMV_bufferSize(this->handle(), this->op(), &one, matrix(), x_.get(), &zero, y_.get(),
                                                  cuda_type<A>(), algorithm_.id, &bytes));
        workspace_ = DeviceBuffer<std::byte>(bytes, on);
        if (!algorithm_.has_preprocessing) return;
        TILESPMV_CUSPARSE(cusparseSpMV_preprocess(this->handle(), this->op(), &one, matrix(), x_.get(), &zero, y_.get(),
                                                  cuda_type<A>(), algorithm_.id, workspace_.data()));
        TILESPMV_CUDA(cudaStreamSynchronize(on));
    }

    void call_library(A alpha, const V* x, A beta, V* y, cudaStream_t) const override {
        TILESPMV_CUSPARSE(cusparseDnVecSetValues(x_.get(), const_cast<V*>(x)));  // which it only reads
        TILESPMV_CUSPARSE(cusparseDnVecSetValues(y_.get(), y));
        TILESPMV_CUSPARSE(cusparseSpMV(this->handle(), this->op(), &alpha, matrix(), x_.get(), &beta, y_.get(),
                                       cuda_type<A>(), algorithm_.id, workspace_.data()));
    }

    static DenseVector describe(V* data, index_t size) {
        cusparseDnVecDescr_t vector = nullptr;
        TILESPMV_CUSPARSE(cusparseCreateDnVec(&vector, size, data, cuda_type<V>()));
        return DenseVector(vector);
    }

    [[nodiscard]] cusparseSpMatDescr_t matrix() const { return matrix_.descriptor.get(); }

    DescribedMatrix matrix_;
    Algorithm algorithm_;
    DenseVector x_;
    DenseVector y_;
    DeviceBuffer<std::byte> workspace_;
};

/// The row of every nonzero.
template <class V>
Buffer<index_t> row_idxs(const CsrMatrix<V>& a) {
    Buffer<index_t> rows(static_cast<std::size_t>(a.nnz()));
    parallel_for(0, a.rows, 1 << 12, [&](std::int64_t row) {
        std::fill(rows.data() + a.row_ptrs[row], rows.data() + a.row_ptrs[row + 1], static_cast<index_t>(row));
    });
    return rows;
}

template <class V>
DescribedMatrix describe_coo(const CsrMatrix<V>& a, const DeviceContext& on) {
    DescribedMatrix m;
    const auto rows = row_idxs(a);
    m.positions = upload_bytes(rows, on);
    m.cols = upload_bytes(a.col_idxs, on);
    m.values = upload_bytes(a.values, on);
    TILESPMV_CUDA(cudaStreamSynchronize(on));
    if (a.nnz() == 0) return m;
    cusparseSpMatDescr_t descriptor = nullptr;
    TILESPMV_CUSPARSE(cusparseCreateCoo(&descriptor, a.rows, a.cols, a.nnz(), m.positions.data(), m.cols.data(),
                                        m.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>()));
    m.descriptor.reset(descriptor);
    return m;
}

template <class I, class V>
DescribedMatrix describe_sell(const CsrMatrix<V>& a, const DeviceContext& on) {
    DescribedMatrix m;
    const auto sell = make_sell<I>(a);
    m.positions = upload_bytes(sell.slice_offsets, on);
    m.cols = upload_bytes(sell.col_idxs, on);
    m.values = upload_bytes(sell.values, on);
    TILESPMV_CUDA(cudaStreamSynchronize(on));
    if (a.nnz() == 0) return m;
    cusparseSpMatDescr_t descriptor = nullptr;
    TILESPMV_CUSPARSE(cusparseCreateSlicedEll(&descriptor, a.rows, a.cols, a.nnz(),
                                              static_cast<std::int64_t>(sell.values.size()), sell.kSlice,
                                              m.positions.data(), m.cols.data(), m.values.data(), index_type<I>(),
                                              index_type<I>(), CUSPARSE_INDEX_BASE_ZERO, cuda_type<V>()));
    m.descriptor.reset(descriptor);
    return m;
}

}  // namespace

/// CSR, preprocessed once. Option: alg (1, the default, or 2, which is reproducible). From 2^31 nonzeros on columns
/// take 64 bits as row pointers do, for cuSPARSE wants them alike.
/// By the transpose: CUSPARSE_OPERATION_TRANSPOSE on the CSR of the matrix, reproducible with none of the algorithms.
template <class V, Op kOp>
std::unique_ptr<Operator<V>> make_cusparse_csr(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const int alg = options.one_of("alg", 1, {1, 2});
    options.finish();
    require_cusparse_sum<V>(*context.accumulator);
    const Algorithm algorithm = alg == 1 ? Algorithm{CUSPARSE_SPMV_CSR_ALG1, false, true}
                                         : Algorithm{CUSPARSE_SPMV_CSR_ALG2, kOp == Op::none, true};
    return std::make_unique<CusparseSpmv<V>>("cusparse-csr", source, describe_csr(source, on), algorithm, on, kOp);
}

/// COO. Option: alg (1, the default, or 2, which is reproducible).
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_coo(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const int alg = options.one_of("alg", 1, {1, 2});
    options.finish();
    require_cusparse_sum<V>(*context.accumulator);
    const Algorithm algorithm =
        alg == 1 ? Algorithm{CUSPARSE_SPMV_COO_ALG1, false, false} : Algorithm{CUSPARSE_SPMV_COO_ALG2, true, false};
    return std::make_unique<CusparseSpmv<V>>("cusparse-coo", source, describe_coo(source.csr(), on), algorithm, on);
}

/// Sliced ELL in slices of 32 rows, made on the host; reproducible. No options.
template <class V>
std::unique_ptr<Operator<V>> make_cusparse_sell(const Source<V>& source, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    options.one_of("slice", 32, {32});
    options.finish();
    require_cusparse_sum<V>(*context.accumulator);
    auto matrix = fits_32_bits(sell_size(source.csr())) ? describe_sell<std::int32_t>(source.csr(), on)
                                                        : describe_sell<std::int64_t>(source.csr(), on);
    return std::make_unique<CusparseSpmv<V>>("cusparse-sell", source, std::move(matrix),
                                             Algorithm{CUSPARSE_SPMV_SELL_ALG1, true, false, true}, on);
}

template <class V>
OperatorInfo<V> info_of_cusparse_csr() {
    OperatorInfo<V> info = on_device<V>({.name = "cusparse-csr",
                                         .summary = "cuSPARSE, CSR; alg=1|2 (2 is reproducible)",
                                         .sweeps = "alg=1|2",
                                         .sums_in_own_type = true,
                                         .role = Role::library},
                                        make_cusparse_csr<V, Op::none>, NewValues::never);
    if (sizeof(V) > 2) info.make_transpose = make_cusparse_csr<V, Op::transpose>;
    return info;
}

template <class V>
OperatorInfo<V> info_of_cusparse_coo() {
    return on_device<V>({.name = "cusparse-coo",
                         .summary = "cuSPARSE, COO; alg=1|2 (2 is reproducible)",
                         .sweeps = "alg=1|2",
                         .sums_in_own_type = true,
                         .role = Role::library},
                        make_cusparse_coo<V>, NewValues::never);
}

template <class V>
OperatorInfo<V> info_of_cusparse_sell() {
    return on_device<V>({.name = "cusparse-sell",
                         .summary = "cuSPARSE, sliced ELL; slice=32",
                         .sums_in_own_type = true,
                         .role = Role::library},
                        make_cusparse_sell<V>, NewValues::never);
}

#define TILESPMV_INSTANTIATE(V)                      \
    template OperatorInfo<V> info_of_cusparse_csr(); \
    template OperatorInfo<V> info_of_cusparse_coo(); \
    template OperatorInfo<V> info_of_cusparse_sell();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
