#include <optional>

#include "kernels/cpu/omp_operator.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "kernels/operators/strip/strip_value_map.hpp"
#include "kernels/registry.hpp"
#include "tile/error.hpp"

namespace tilespmv::cpu {
namespace {

/// What a product reads of the rows that are no strips. `rest` has these rows.
template <Value V>
std::size_t bytes_of(const CsrMatrix<V>& rest, const std::vector<RowRange>& ranges) {
    std::size_t bytes = 0;
    for (const auto range : ranges) {
        bytes += static_cast<std::size_t>(rest.row_ptrs[range.end] - rest.row_ptrs[range.first]) *
                     (sizeof(V) + sizeof(index_t)) +
                 static_cast<std::size_t>(range.end - range.first + 1) * sizeof(offset_t);
    }
    return bytes;
}

template <Value V>
using Parts = typename OmpOperator<V>::Parts;

/// `rest`: a matrix that has the rows of `ranges`. `source` keeps it; none: the operator owns it.
template <Value V>
Parts<V> parts_of(const CsrMatrix<V>& rest, offset_t nnz, StripRows<V> strips, const std::vector<RowRange>& ranges,
                  std::optional<Source<V>> source = {}) {
    return {.name = "strip-omp",
            .rows = strips.rows,
            .cols = strips.cols,
            .nnz = nnz,
            .bytes = strips.bytes() + bytes_of(rest, ranges),
            .csr = rows_of(rest),
            .ranges = ranges,
            .strips = std::move(strips),
            .source = std::move(source)};
}

/// That owns the rows which are no strips.
template <Value V>
class StripOmp final : public OmpOperator<V> {
public:
    StripOmp(Parts<V> parts, CsrMatrix<V> rest, std::optional<StripValueMap> map)
        : OmpOperator<V>(std::move(parts), map ? std::string_view{} : kNoMap),
          own_rest_(std::move(rest)),
          map_(std::move(map)) {}

    void replace_values(std::span<const V> values) override {
        map_->update(this->strip_values(), own_rest_.values, values);
    }

private:
    CsrMatrix<V> own_rest_;  // the base multiplies where its arrays lie
    std::optional<StripValueMap> map_;
};

template <Value V>
std::unique_ptr<Operator<V>> from_strips(const Source<V>& source, bool updatable) {
    const StripMatrix<V>& m = *source.find_strips();
    auto strips = make_strip_rows(m.rows, m.cols, m.strips, rearranged(m.strips, m.values, 1), vector_lanes());
    if (!updatable) {
        return std::make_unique<OmpOperator<V>>(parts_of(m.rest, m.nnz, std::move(strips), m.strips.rest, {source}),
                                                kNoMap);
    }
    auto rest = m.rest.clone();
    auto parts = parts_of(rest, m.nnz, std::move(strips), m.strips.rest);
    return std::make_unique<StripOmp<V>>(std::move(parts), std::move(rest), StripValueMap(m.strips, row_ptrs_of(m), 1));
}

template <Value V>
std::unique_ptr<Operator<V>> from_csr(const Source<V>& source, bool updatable) {
    // The limit counts columns of 16 bits; rows that are left to CSR have 32.
    constexpr double most_bytes = static_cast<double>(sizeof(V) + sizeof(index_t)) / (sizeof(V) + 2);
    const CsrMatrix<V>& a = source.csr();
    const Strips s = make_strips(a, {.value_bytes = sizeof(V), .together = 1, .most_bytes = most_bytes});
    auto strips = make_strip_rows(a.rows, a.cols, s, in_strips(s, a.row_ptrs, a.values), vector_lanes());
    if (!updatable && source.find_csr() != nullptr) {
        return std::make_unique<OmpOperator<V>>(parts_of(a, a.nnz(), std::move(strips), s.rest, {source}));
    }
    std::optional<StripValueMap> map;
    if (updatable) map.emplace(s, a.row_ptrs, 1);
    auto rest = rows_in(a, s.rest);
    auto parts = parts_of(rest, a.nnz(), std::move(strips), s.rest);
    return std::make_unique<StripOmp<V>>(std::move(parts), std::move(rest), std::move(map));
}

}  // namespace

/// Made from strips that are there already, else from CSR, or by way of it from tiles. Copies the values of strips. It
/// takes new ones where CSR was given. Option: updatable (0; 1: copy the other values, too, and keep a map, of
/// `StripValueMap`'s size, with which it takes new ones from whatever it is made).
template <Value V>
std::unique_ptr<Operator<V>> make_strip_omp(const Source<V>& source, Options& options, const MakeContext&) {
    const bool updatable = options.flag("updatable", false);
    options.finish();
    return source.find_strips() != nullptr ? from_strips(source, updatable) : from_csr(source, updatable);
}

template <class V>
OperatorInfo<V> info_of_strip_omp() {
    return {
        {.name = "strip-omp",
         .summary =
             "16 rows as slots of one nonzero a row, vectorised, CSR rows where those take fewer bytes, all threads "
             "(updatable=1)",
         .takes_strips = true,
         .new_values = NewValues::with_option,
         .takes_16_bit_values = false},
        make_strip_omp<V>};
}

template OperatorInfo<double> info_of_strip_omp();
template OperatorInfo<float> info_of_strip_omp();

}  // namespace tilespmv::cpu
