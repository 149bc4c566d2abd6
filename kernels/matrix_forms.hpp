#pragma once

#include <variant>
#include <vector>

#include "kernels/cuda/device_csr_view.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"
#include "tile/tile_matrix.hpp"

namespace tilespmv {

template <Value V>
struct StripMatrix;

/// A representation of a whole matrix that operators are made from: CSR, in the memory of the host or of a GPU, or
/// tiles or strips in that of the host.
enum class Form { csr, tiles, strips };

/// The forms of one matrix that are at hand. They belong to the caller; each operator says how long it needs them.
template <Value V>
class MatrixForms {
public:
    MatrixForms() = default;
    /// Null pointers are forms that are not there.
    template <class... M>
    MatrixForms(const M*... forms) {  // NOLINT(google-explicit-constructor): {&csr, &tiles} is a list of forms
        (add(forms), ...);
    }

    /// The form of this type, `CsrMatrix<V>`, `TileMatrix<V>` or `StripMatrix<V>`, null if it is not there.
    template <class M>
    [[nodiscard]] const M* find() const {
        for (const auto& form : forms_) {
            if (const auto* const* found = std::get_if<const M*>(&form)) return *found;
        }
        return nullptr;
    }
    /// Throws `Error` if it is not there.
    template <class M>
    [[nodiscard]] const M& get() const {
        if (const M* form = find<M>()) return *form;
        throw Error("an operator was to be made without the form of the matrix that it is made from");
    }
    /// This form alone, or none if it is not there.
    [[nodiscard]] MatrixForms only(Form form) const {
        if (form == Form::tiles) return MatrixForms(find<TileMatrix<V>>());
        if (form == Form::strips) return MatrixForms(find<StripMatrix<V>>());
        return MatrixForms(find<CsrMatrix<V>>(), find<cuda::DeviceCsrView<V>>());
    }
    /// As `get`.
    [[nodiscard]] const CsrMatrix<V>& csr() const { return get<CsrMatrix<V>>(); }
    [[nodiscard]] const TileMatrix<V>& tiles() const { return get<TileMatrix<V>>(); }

private:
    template <class M>
    void add(const M* form) {
        if (form != nullptr) forms_.emplace_back(form);
    }

    using AnyForm =
        std::variant<const CsrMatrix<V>*, const TileMatrix<V>*, const StripMatrix<V>*, const cuda::DeviceCsrView<V>*>;

    std::vector<AnyForm> forms_;
};

}  // namespace tilespmv
