#include "kernels/cpu/omp_operator.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {

template <Value V>
std::unique_ptr<Operator<V>> make_csr_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    const auto& a = source.csr();
    const std::size_t bytes = a.row_ptrs.bytes() + a.col_idxs.bytes() + a.values.bytes();
    return std::make_unique<OmpOperator<V>>(typename OmpOperator<V>::Parts{
        "csr-omp", a.rows, a.cols, a.nnz(), bytes, nullptr, rows_of(a), {{0, a.rows}}, {}, source});
}

template <Value V>
std::unique_ptr<Operator<V>> make_tile_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    const auto& a = source.tiles();
    return std::make_unique<OmpOperator<V>>(typename OmpOperator<V>::Parts{
        "tile-omp", a.rows, a.cols, a.nnz, a.bytes(), &a, rows_of(a.deferred), {{0, a.rows}}, {}, source});
}

template <class V>
OperatorInfo<V> info_of_csr_omp() {
    return {{.name = "csr-omp",
             .summary = "CSR rows, vectorised, all threads",
             .new_values = NewValues::always,
             .takes_16_bit_values = false,
             .reads_csr_in_place = true,
             .pass_columns = kAllColumns},
            make_csr_omp<V>};
}

template <class V>
OperatorInfo<V> info_of_tile_omp() {
    return {{.name = "tile-omp",
             .summary = "tiles vectorised per format, the deferred part as CSR rows, all threads",
             .made_from = Form::tiles,
             .new_values = NewValues::always,
             .takes_16_bit_values = false},
            make_tile_omp<V>};
}

template OperatorInfo<double> info_of_csr_omp();
template OperatorInfo<float> info_of_csr_omp();
template OperatorInfo<double> info_of_tile_omp();
template OperatorInfo<float> info_of_tile_omp();

}  // namespace tilespmv::cpu
