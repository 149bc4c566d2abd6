#include <array>

#include "kernels/cpu/host_operator.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/cpu/write_rows.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {
namespace {

/// Rows padded to the same places: `ell-omp` and `dia-omp`, which differ in the loop over the places of some rows.
template <CpuValue V, class Padded>
class PaddedOmp final : public HostOperator<V> {
public:
    using AddRows = void (*)(const Padded&, RowRange, const V* x, double* sums);

    PaddedOmp(std::string_view format, std::string_view name, const Source<V>& a, Padded padded, AddRows add)
        : HostOperator<V>({.name = name, .rows = a.rows(), .cols = a.cols(), .nnz = a.nnz()}),
          source_(a),
          a_(std::move(padded)),
          add_(add) {
        const std::size_t bytes = a_.bytes();
        this->set_parts(bytes, 0,
                        executed_whole(format, occupied_tile_rows(a.row_ptrs(), 0, a.rows()), a.nnz(), bytes));
    }

    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        const auto bytes = static_cast<offset_t>(this->matrix_bytes());
        const index_t grain = rows_of_chunk(a_.rows, bytes);
#pragma omp parallel for schedule(dynamic, 1) if (bytes >= kTuning.parallel_bytes)
        for (std::int64_t first = 0; first < a_.rows; first += grain) {
            const auto end = static_cast<index_t>(std::min<std::int64_t>(first + grain, a_.rows));
            multiply_rows({static_cast<index_t>(first), end}, alpha, x.data(), beta, y.data());
        }
    }

    void replace_values(std::span<const V> values) override { put_values(with_values(source_.csr(), values), a_); }

private:
    void multiply_rows(RowRange rows, V alpha, const V* x, V beta, V* y) const {
        std::array<double, Schedule::kMaxRows> sums;
        std::fill_n(sums.begin(), div_up(rows.end - rows.first, 8) * 8, 0.0);
        add_(a_, rows, x, sums.data());
        finish<V>(sums.data(), rows.end - rows.first, alpha, beta, y + rows.first);
    }

    Source<V> source_;
    Padded a_;
    AddRows add_;
};

}  // namespace

/// Copies the matrix, and reads the pattern of the source again for new values. Throws
/// `Error` for a matrix of which ELL would be many times as large as CSR.
template <Value V>
std::unique_ptr<Operator<V>> make_ell_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    return std::make_unique<PaddedOmp<V, Ell<V>>>("ell", "ell-omp", source, make_ell(source.csr()),
                                                  simd_kernels<V>().add_ell);
}

template <Value V>
std::unique_ptr<Operator<V>> make_dia_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    return std::make_unique<PaddedOmp<V, Dia<V>>>("dia", "dia-omp", source, make_dia(source.csr()),
                                                  simd_kernels<V>().add_dia);
}

template <class V>
OperatorInfo<V> info_of_ell_omp() {
    return {{.name = "ell-omp",
             .summary = "ELL, all rows as long as the longest, a vector lane a row, all threads",
             .new_values = NewValues::always,
             .takes_16_bit_values = false,
             .only_if_named = true},
            make_ell_omp<V>};
}

template <class V>
OperatorInfo<V> info_of_dia_omp() {
    return {{.name = "dia-omp",
             .summary = "DIA, a vector lane a row, for few diagonals, all threads",
             .new_values = NewValues::always,
             .takes_16_bit_values = false,
             .only_if_named = true},
            make_dia_omp<V>};
}

template OperatorInfo<double> info_of_ell_omp();
template OperatorInfo<float> info_of_ell_omp();
template OperatorInfo<double> info_of_dia_omp();
template OperatorInfo<float> info_of_dia_omp();

}  // namespace tilespmv::cpu
