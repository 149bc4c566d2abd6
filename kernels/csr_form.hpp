#pragma once

#include <optional>

#include "formats/convert.hpp"
#include "kernels/matrix_forms.hpp"
#include "kernels/strip/strip_matrix.hpp"

namespace tilespmv {

/// The CSR form of a matrix in the memory of the host: the one that was given, which must outlive it, else unpacked
/// from strips or tiles.
template <Value V>
class CsrForm {
public:
    /// Throws `Error` if none of these is among the forms.
    explicit CsrForm(const MatrixForms<V>& given) : csr_(given.template find<CsrMatrix<V>>()) {
        if (csr_ != nullptr) return;
        const auto* const strips = given.template find<StripMatrix<V>>();
        csr_ = &unpacked_.emplace(strips != nullptr ? to_csr(*strips) : unpack(given.tiles()));
    }
    CsrForm(const CsrForm&) = delete;
    CsrForm& operator=(const CsrForm&) = delete;
    ~CsrForm() = default;

    /// Valid as long as this object is.
    [[nodiscard]] const CsrMatrix<V>& get() const { return *csr_; }
    /// Whether it lives as long as this object only.
    [[nodiscard]] bool is_unpacked() const { return unpacked_.has_value(); }

private:
    std::optional<CsrMatrix<V>> unpacked_;
    const CsrMatrix<V>* csr_;
};

}  // namespace tilespmv
