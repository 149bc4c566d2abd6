#include "kernels/cpu/omp_operator.hpp"
#include "kernels/cpu/operators.hpp"

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

template std::unique_ptr<Operator<double>> make_csr_omp(const Source<double>&, Options&, const MakeContext&);
template std::unique_ptr<Operator<float>> make_csr_omp(const Source<float>&, Options&, const MakeContext&);
template std::unique_ptr<Operator<double>> make_tile_omp(const Source<double>&, Options&, const MakeContext&);
template std::unique_ptr<Operator<float>> make_tile_omp(const Source<float>&, Options&, const MakeContext&);

}  // namespace tilespmv::cpu
