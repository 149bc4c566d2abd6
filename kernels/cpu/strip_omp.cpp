#include <optional>

#include "kernels/cpu/omp_operator.hpp"
#include "kernels/cpu/operators.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/csr_form.hpp"
#include "kernels/strip/strip_matrix.hpp"
#include "kernels/strip/strip_value_map.hpp"
#include "tile/error.hpp"

namespace tilespmv::cpu {
namespace {

/// What a product reads of the rows that are no strips. `rest` has these rows.
template <Value V>
std::size_t bytes_of(const CsrMatrix<V>& rest, const std::vector<cuda::RowRange>& ranges) {
    std::size_t bytes = 0;
    for (const auto range : ranges) {
        bytes += static_cast<std::size_t>(rest.row_ptrs[range.end] - rest.row_ptrs[range.first]) *
                     (sizeof(V) + sizeof(index_t)) +
                 static_cast<std::size_t>(range.end - range.first + 1) * sizeof(offset_t);
    }
    return bytes;
}

template <Value V>
class StripOmp final : public OmpOperator<V> {
public:
    using Base = OmpOperator<V>;

    /// `rest`: a matrix that has the rows of `ranges`, which must outlive it.
    StripOmp(const CsrMatrix<V>& rest, offset_t nnz, StripRows<V> strips, std::vector<cuda::RowRange> ranges)
        : Base(parts(rest, nnz, std::move(strips), std::move(ranges)), kNoMap) {}
    /// Owns it.
    StripOmp(CsrMatrix<V>&& rest, offset_t nnz, StripRows<V> strips, std::vector<cuda::RowRange> ranges,
             std::optional<StripValueMap> map)
        : Base(parts(rest, nnz, std::move(strips), std::move(ranges)), map ? std::string_view{} : kNoMap),
          own_rest_(std::move(rest)),
          map_(std::move(map)) {}

    void replace_values(std::span<const V> values) override {
        map_->update(this->strip_values(), own_rest_.values, values);
    }
    bool take_new_values(const CsrMatrix<V>& a) override {
        if (!map_) return Base::take_new_values(a);
        replace_values(a.values);
        return true;
    }

private:
    static typename Base::Parts parts(const CsrMatrix<V>& rest, offset_t nnz, StripRows<V> strips,
                                      std::vector<cuda::RowRange> ranges) {
        return {.name = "strip-omp",
                .rows = strips.rows,
                .cols = strips.cols,
                .nnz = nnz,
                .bytes = strips.bytes() + bytes_of(rest, ranges),
                .csr = rows_of(rest),
                .ranges = std::move(ranges),
                .strips = std::move(strips)};
    }

    CsrMatrix<V> own_rest_;  // the base multiplies where its arrays lie
    std::optional<StripValueMap> map_;
};

template <Value V>
std::unique_ptr<Operator<V>> from_strips(const StripMatrix<V>& m, bool updatable) {
    auto strips = make_strip_rows(m.rows, m.cols, m.strips, rearranged(m.strips, m.values, 1), vector_lanes());
    if (!updatable) return std::make_unique<StripOmp<V>>(m.rest, m.nnz, std::move(strips), m.strips.rest);
    return std::make_unique<StripOmp<V>>(m.rest.clone(), m.nnz, std::move(strips), m.strips.rest,
                                         StripValueMap(m.strips, cuda::row_ptrs_of(m), 1));
}

template <Value V>
std::unique_ptr<Operator<V>> from_csr(const CsrForm<V>& form, bool updatable) {
    // The limit counts columns of 16 bits; rows that are left to CSR have 32.
    constexpr double most_bytes = static_cast<double>(sizeof(V) + sizeof(index_t)) / (sizeof(V) + 2);
    const CsrMatrix<V>& a = form.get();
    const cuda::Strips s = cuda::make_strips(a, {.value_bytes = sizeof(V), .together = 1, .most_bytes = most_bytes});
    auto strips = make_strip_rows(a.rows, a.cols, s, in_strips(s, a.row_ptrs, a.values), vector_lanes());
    if (!updatable && !form.is_unpacked()) {
        return std::make_unique<StripOmp<V>>(a, a.nnz(), std::move(strips), s.rest);
    }
    std::optional<StripValueMap> map;
    if (updatable) map.emplace(s, a.row_ptrs, 1);
    return std::make_unique<StripOmp<V>>(cuda::rows_in(a, s.rest), a.nnz(), std::move(strips), s.rest, std::move(map));
}

}  // namespace

template <Value V>
std::unique_ptr<Operator<V>> make_strip_omp(const MatrixForms<V>& forms, Options& options) {
    const bool updatable = options.flag("updatable", false);
    options.finish();
    const auto* const stored = forms.template find<StripMatrix<V>>();
    return stored != nullptr ? from_strips(*stored, updatable) : from_csr(CsrForm<V>(forms), updatable);
}

template std::unique_ptr<Operator<double>> make_strip_omp(const MatrixForms<double>&, Options&);
template std::unique_ptr<Operator<float>> make_strip_omp(const MatrixForms<float>&, Options&);

}  // namespace tilespmv::cpu
