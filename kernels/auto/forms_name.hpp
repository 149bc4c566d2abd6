#pragma once

#include <string>

#include "kernels/matrix_forms.hpp"

namespace tilespmv {

/// The forms of a matrix that are at hand, for a `TuneKey`: "csr", "csr, tiles of 2048 bytes". By their bytes tiles of
/// one selector are told from those of another, which take other times.
template <Value V>
std::string forms_name(const MatrixForms<V>& forms) {
    std::string name;
    const auto add = [&](const std::string& form) { name += (name.empty() ? "" : ", ") + form; };
    if (forms.template find<CsrMatrix<V>>() != nullptr) add("csr");
    if (const auto* tiles = forms.template find<TileMatrix<V>>()) {
        add("tiles of " + std::to_string(tiles->bytes()) + " bytes");
    }
    if (forms.template find<StripMatrix<V>>() != nullptr) add("strips");
    return name;
}

}  // namespace tilespmv
