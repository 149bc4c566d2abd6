#include <map>
#include <tuple>

#include "kernels/published/cusparse/cusparse_operator.cuh"
#include "kernels/published/cusparse/described_matrix.cuh"
#include "kernels/refusal.hpp"

namespace tilespmv::cuda {
namespace {

template <class T>
DenseMatrix describe(const Block<T>& block) {
    using V = std::remove_const_t<T>;
    const bool is_row_major = block.layout == Layout::row_major;
    cusparseDnMatDescr_t matrix = nullptr;
    TILESPMV_CUSPARSE(cusparseCreateDnMat(&matrix, static_cast<std::int64_t>(block.rows), block.cols,
                                          static_cast<std::int64_t>(block.ld), const_cast<V*>(block.data),
                                          cuda_type<V>(), is_row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    return DenseMatrix(matrix);
}

/// The product by cusparseSpMM.
template <class V>
class CusparseSpmm final : public CusparseOperator<V> {
public:
    CusparseSpmm(const CsrMatrix<V>& a, cusparseSpMMAlg_t algorithm, const DeviceContext& on, Op op)
        : CusparseOperator<V>("cusparse-spmm", a, false, false, kAllColumns, op),
          on_(on.stream, on.memory),
          matrix_(describe_csr(a, on)),
          algorithm_(algorithm) {
        if (a.nnz() > 0) prepare_for_a_vector();
        this->set_bytes(matrix_.bytes(), 0);
        TILESPMV_CUDA(cudaStreamSynchronize(on.stream));
    }

private:
    using A = CusparseSum<V>;
    /// What the library has prepared for blocks alike.
    struct Prepared {
        DenseMatrix x;
        DenseMatrix y;
        DeviceBuffer<std::byte> workspace;
    };

    /// So that products of single vectors allocate nothing. The library looks at sizes and types only.
    void prepare_for_a_vector() {
        const DeviceBuffer<V> x(static_cast<std::size_t>(this->cols()), on_);
        DeviceBuffer<V> y(static_cast<std::size_t>(this->rows()), on_);
        TILESPMV_CUSPARSE(cusparseSetStream(this->handle(), on_.stream));
        prepare(Block<const V>(x.data(), x.size(), Memory::device), Block<V>(y.data(), y.size(), Memory::device));
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
    }

    void call_library(A alpha, const V* x, A beta, V* y, cudaStream_t) const override {
        const auto rows = static_cast<std::size_t>(this->rows());
        const auto cols = static_cast<std::size_t>(this->cols());
        call_for_block(alpha, Block<const V>(x, cols, Memory::device), beta, Block<V>(y, rows, Memory::device));
    }

    void call_for_block(A alpha, const Block<const V>& x, A beta, const Block<V>& y) const override {
        require_aligned_rows(x.layout, x.ld);
        require_aligned_rows(y.layout, y.ld);
        const Prepared& prepared = prepare(x, y);
        TILESPMV_CUSPARSE(cusparseDnMatSetValues(prepared.x.get(), const_cast<V*>(x.data)));  // which it only reads
        TILESPMV_CUSPARSE(cusparseDnMatSetValues(prepared.y.get(), y.data));
        TILESPMV_CUSPARSE(cusparseSpMM(this->handle(), this->op(), kOpOfX, &alpha, matrix_.descriptor.get(),
                                       prepared.x.get(), &beta, prepared.y.get(), cuda_type<A>(), algorithm_,
                                       prepared.workspace.data()));
    }

    /// The library (CUDA 13.0) reads past the alignment of others: "misaligned address".
    static void require_aligned_rows(Layout layout, std::size_t ld) {
        if (layout == Layout::column_major || ld * sizeof(V) % 16 == 0) return;
        throw Refusal("cusparse-spmm: cuSPARSE wants rows of blocks that begin at multiples of 16 bytes");
    }

    const Prepared& prepare(const Block<const V>& x, const Block<V>& y) const {
        const auto key = std::tuple(x.cols, x.layout, x.ld, y.layout, y.ld);
        const auto found = prepared_.find(key);
        if (found != prepared_.end()) return found->second;
        Prepared made{describe(x), describe(y), {}};
        const A one = 1;
        const A zero = 0;
        std::size_t bytes = 0;
        TILESPMV_CUSPARSE(cusparseSpMM_bufferSize(this->handle(), this->op(), kOpOfX, &one, matrix_.descriptor.get(),
                                                  made.x.get(), &zero, made.y.get(), cuda_type<A>(), algorithm_,
                                                  &bytes));
        made.workspace = DeviceBuffer<std::byte>(bytes, on_);
        TILESPMV_CUDA(cudaStreamSynchronize(on_.stream));
        TILESPMV_CUSPARSE(cusparseSpMM_preprocess(this->handle(), this->op(), kOpOfX, &one, matrix_.descriptor.get(),
                                                  made.x.get(), &zero, made.y.get(), cuda_type<A>(), algorithm_,
                                                  made.workspace.data()));
        return prepared_.emplace(key, std::move(made)).first->second;
    }

    static constexpr auto kOpOfX = CUSPARSE_OPERATION_NON_TRANSPOSE;
    DeviceContext on_;
    DescribedMatrix matrix_;
    cusparseSpMMAlg_t algorithm_;
    mutable std::map<std::tuple<int, Layout, std::size_t, Layout, std::size_t>, Prepared> prepared_;
};

}  // namespace

/// Products of several columns by cusparseSpMM on CSR. Option: alg (1, 2 or 3: `CUSPARSE_SPMM_CSR_ALG1` to 3; 2 is for
/// blocks in row-major layout). It prepares for a number of columns and their layouts with the first product of such
/// blocks, which allocates memory. None of the algorithms gives the same bits every time, as measured.
/// By the transpose: CUSPARSE_OPERATION_TRANSPOSE on the CSR of the matrix, reproducible with none of the algorithms.
template <class V, Op kOp>
std::unique_ptr<Operator<V>> make_cusparse_spmm(const Source<V>& source, Options& options, const MakeContext& context) {
    const int alg = options.one_of("alg", 1, {1, 2, 3});
    options.finish();
    require_cusparse_sum<V>(*context.accumulator);
    const auto algorithm = alg == 1   ? CUSPARSE_SPMM_CSR_ALG1
                           : alg == 2 ? CUSPARSE_SPMM_CSR_ALG2
                                      : CUSPARSE_SPMM_CSR_ALG3;
    return std::make_unique<CusparseSpmm<V>>(source.csr(), algorithm, *context.device, kOp);
}

template <class V>
OperatorInfo<V> info_of_cusparse_spmm() {
    OperatorInfo<V> info = on_device<V>({.name = "cusparse-spmm",
                                         .summary = "cuSPARSE, CSR, products of several columns; alg=1|2|3",
                                         .sweeps = "alg=1|2|3",
                                         .sums_in_own_type = true,
                                         .only_if_named = true,
                                         .role = Role::library},
                                        make_cusparse_spmm<V, Op::none>, NewValues::never);
    if (sizeof(V) > 2) info.make_transpose = make_cusparse_spmm<V, Op::transpose>;
    return info;
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_cusparse_spmm();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
