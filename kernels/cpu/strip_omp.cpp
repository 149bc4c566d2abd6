#include "kernels/cpu/omp_operator.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/operators/strip/strip.hpp"
#include "kernels/registry.hpp"

namespace tilespmv::cpu {
namespace {

/// What a product reads of the rows that are no strips.
template <Value V>
std::size_t bytes_of(const CsrMatrix<V>& a, const std::vector<RowRange>& rest) {
    std::size_t bytes = 0;
    for (const auto range : rest) {
        bytes +=
            static_cast<std::size_t>(a.row_ptrs[range.end] - a.row_ptrs[range.first]) * (sizeof(V) + sizeof(index_t)) +
            static_cast<std::size_t>(range.end - range.first + 1) * sizeof(offset_t);
    }
    return bytes;
}

}  // namespace

/// Made from CSR, or by way of it from tiles. Copies the values of strips; other rows are multiplied where they lie.
template <Value V>
std::unique_ptr<Operator<V>> make_strip_omp(const Source<V>& source, Options& options, const MakeContext&) {
    options.finish();
    // The limit counts columns of 16 bits; rows that are left to CSR have 32.
    constexpr double most_bytes = static_cast<double>(sizeof(V) + sizeof(index_t)) / (sizeof(V) + 2);
    const CsrMatrix<V>& a = source.csr();
    const Strips s = make_strips(a, {.value_bytes = sizeof(V), .most_bytes = most_bytes});
    auto strips = make_strip_rows(a, s, vector_lanes());
    const std::size_t bytes = strips.bytes() + bytes_of(a, s.rest);
    return std::make_unique<OmpOperator<V>>(typename OmpOperator<V>::Parts{
        "strip-omp", a.rows, a.cols, a.nnz(), bytes, nullptr, rows_of(a), s.rest, std::move(strips), source});
}

template <class V>
OperatorInfo<V> info_of_strip_omp() {
    return {{.name = "strip-omp",
             .summary = "16 rows as slots of one nonzero a row, vectorised, CSR rows where those take fewer bytes, all "
                        "threads",
             .new_values = NewValues::always,
             .takes_16_bit_values = false},
            make_strip_omp<V>};
}

template OperatorInfo<double> info_of_strip_omp();
template OperatorInfo<float> info_of_strip_omp();

}  // namespace tilespmv::cpu
