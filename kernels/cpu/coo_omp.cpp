#include <algorithm>

#include "kernels/cpu/coo_rows.hpp"
#include "kernels/cpu/host_operator.hpp"
#include "kernels/cpu/write_rows.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {
namespace {

template <CpuValue V>
class CooOmp final : public HostOperator<V> {
public:
    explicit CooOmp(const CsrMatrix<V>& a)
        : HostOperator<V>({.name = "coo-omp", .rows = a.rows, .cols = a.cols, .nnz = a.nnz()}),
          a_(make_coo(a)),
          empty_rows_(empty_rows(a.row_ptrs)) {
        const std::size_t bytes = a_.bytes() + empty_rows_.bytes();
        this->set_parts(bytes, 0, executed_whole("coo", occupied_tile_rows(a.row_ptrs, 0, a.rows), a.nnz(), bytes));
    }

    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        const auto write = [&](std::int64_t row, double sum) { finish<V>(&sum, 1, alpha, beta, y.data() + row); };
#pragma omp parallel if (static_cast <offset_t>(this->matrix_bytes()) >= kTuning.parallel_bytes)
        {
            nonzeros_.multiply(x.data(), write);
#pragma omp for schedule(static)
            for (std::size_t i = 0; i < empty_rows_.size(); ++i) write(empty_rows_[i], 0.0);
        }
    }

    void replace_values(std::span<const V> values) override { std::ranges::copy(values, a_.values.begin()); }

private:
    Coo<V> a_;
    Buffer<std::uint32_t> empty_rows_;
    CooRows<V> nonzeros_{a_};
};

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_coo_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    return std::make_unique<CooOmp<V>>(source.csr());
}

template <class V>
OperatorInfo<V> info_of_coo_omp() {
    return {{.name = "coo-omp",
             .summary = "COO, equal pieces of nonzeros, vectorised along rows, all threads",
             .new_values = NewValues::always,
             .takes_16_bit_values = false},
            make_coo_omp<V>};
}

template OperatorInfo<double> info_of_coo_omp();
template OperatorInfo<float> info_of_coo_omp();

}  // namespace tilespmv::cpu
