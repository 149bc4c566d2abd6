#include <array>

#include "kernels/cpu/coo_rows.hpp"
#include "kernels/cpu/host_operator.hpp"
#include "kernels/cpu/write_rows.hpp"
#include "kernels/executed.hpp"
#include "kernels/operators/hyb/hyb.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {
namespace {

/// First the sums of COO, then with those all rows of ELL.
template <CpuValue V>
class HybOmp final : public HostOperator<V> {
public:
    explicit HybOmp(const Source<V>& source)
        : HostOperator<V>({.name = "hyb-omp", .rows = source.rows(), .cols = source.cols(), .nnz = source.nnz()}),
          source_(source),
          a_(make_hyb(source.csr())),
          coo_sums_(a_.split.size() * kWordRows, 0.0) {
        const CsrMatrix<V>& a = source.csr();
        ExecutedParts parts;
        parts.add({{"ell", "", occupied_tile_rows(a.row_ptrs, 0, a.rows), a.nnz() - a_.coo.nnz(), a_.ell_bytes()},
                   {"coo", "", a_.coo_tile_rows(), a_.coo.nnz(), a_.coo.bytes()}},
                  a_.split.bytes());
        this->set_parts(a_.ell_bytes() + a_.coo.bytes() + a_.split.bytes(), 0, parts.finish());
    }

    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        const auto bytes = static_cast<offset_t>(this->matrix_bytes());
        const index_t grain = rows_of_chunk(this->rows(), bytes);
#pragma omp parallel if (bytes >= kTuning.parallel_bytes)
        {
            coo_.multiply(x.data(), [&](index_t row, double sum) { coo_sums_[row] = sum; });
#pragma omp for schedule(dynamic, 1)
            for (std::int64_t first = 0; first < this->rows(); first += grain) {
                const auto end = static_cast<index_t>(std::min<std::int64_t>(first + grain, this->rows()));
                multiply_rows({static_cast<index_t>(first), end}, alpha, x.data(), beta, y.data());
            }
        }
    }

    void replace_values(std::span<const V> values) override { put_values(with_values(source_.csr(), values), a_); }

private:
    static constexpr int kWordRows = 32;  // of a word of `Hyb::split`

    void multiply_rows(RowRange rows, V alpha, const V* x, V beta, V* y) const {
        std::array<double, Schedule::kMaxRows> sums;
        for (index_t r = rows.first; r < rows.end; r += kWordRows) {
            double* const to = sums.data() + (r - rows.first);
            if (a_.split[r / kWordRows] == 0) {
                std::fill_n(to, kWordRows, 0.0);
            } else {
                std::copy_n(coo_sums_.data() + r, kWordRows, to);
            }
        }
        simd_.add_ell(a_.ell, rows, x, sums.data());
        finish<V>(sums.data(), rows.end - rows.first, alpha, beta, y + rows.first);
    }

    Source<V> source_;
    Hyb<V> a_;
    CooRows<V> coo_{a_.coo};
    const SimdKernels<V>& simd_ = simd_kernels<V>();
    mutable Buffer<double> coo_sums_;  // of all rows, 0 for those that are not split
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_hyb_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    return std::make_unique<HybOmp<V>>(source);
}

template <class V>
OperatorInfo<V> info_of_hyb_omp() {
    return {
        {.name = "hyb-omp",
         .summary = "HYB, the first nonzeros of each row as ELL, a vector lane a row, the others as COO, all threads",
         .new_values = NewValues::always,
         .takes_16_bit_values = false},
        make_hyb_omp<V>};
}

template OperatorInfo<double> info_of_hyb_omp();
template OperatorInfo<float> info_of_hyb_omp();

}  // namespace tilespmv::cpu
