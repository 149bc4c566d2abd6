#pragma once

#include <optional>

#include "formats/convert.hpp"
#include "kernels/csr_form.hpp"
#include "kernels/matrix_forms.hpp"
#include "kernels/strip/strip_matrix.hpp"
#include "selector/policy.hpp"

namespace tilespmv {

/// The forms that candidates of `auto` on a GPU are made from. CSR is unpacked if only tiles or strips were given;
/// `strip` takes strips that were given. Tiles are converted when a candidate first asks for them. The forms given must
/// outlive it.
template <Value V>
class CandidateForms {
public:
    /// Throws `Error` if no such form is among them.
    explicit CandidateForms(const MatrixForms<V>& given)
        : csr_(given), strips_(given.template find<StripMatrix<V>>()) {}
    CandidateForms(const CandidateForms&) = delete;
    CandidateForms& operator=(const CandidateForms&) = delete;
    ~CandidateForms() = default;

    [[nodiscard]] const CsrMatrix<V>& csr() const { return csr_.get(); }
    /// For an operator made from `form`, CSR in any case. Valid as long as this object is.
    [[nodiscard]] MatrixForms<V> of(Form form) {
        if (form != Form::tiles) return MatrixForms<V>(&csr(), strips_);
        // Its first rule makes full tiles dense.
        if (!tiles_) tiles_ = convert(csr(), *make_policy("paper"));
        return MatrixForms<V>(&csr(), &*tiles_);
    }

private:
    CsrForm<V> csr_;
    std::optional<TileMatrix<V>> tiles_;
    const StripMatrix<V>* strips_;
};

}  // namespace tilespmv
