#pragma once

#include <algorithm>
#include <optional>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "kernels/csr_form.hpp"
#include "kernels/matrix_forms.hpp"
#include "kernels/strip/strip_matrix.hpp"
#include "selector/policy.hpp"

namespace tilespmv {

/// The forms that candidates of `auto` on a GPU are made from. CSR is unpacked if only tiles or strips were given;
/// `strip` takes strips that were given. Tiles are converted when a candidate first asks for them, unless those that
/// were given are full ones stored as dense, for which alone it takes an operator on tiles. The forms given must
/// outlive it.
template <Value V>
class CandidateForms {
public:
    /// Throws `Error` if no such form is among them.
    explicit CandidateForms(const MatrixForms<V>& given)
        : csr_(given), tiles_(given.template find<TileMatrix<V>>()), strips_(given.template find<StripMatrix<V>>()) {
        if (tiles_ != nullptr && !are_full(*tiles_)) tiles_ = nullptr;
    }
    CandidateForms(const CandidateForms&) = delete;
    CandidateForms& operator=(const CandidateForms&) = delete;
    ~CandidateForms() = default;

    [[nodiscard]] const CsrMatrix<V>& csr() const { return csr_.get(); }
    /// Whether full tiles were given, or tiles have been converted.
    [[nodiscard]] bool has_tiles() const { return tiles_ != nullptr; }
    /// For an operator made from `form`, CSR in any case. Valid as long as this object is.
    [[nodiscard]] MatrixForms<V> of(Form form) {
        if (form != Form::tiles) return MatrixForms<V>(&csr(), strips_);
        // Its first rule makes full tiles dense.
        if (tiles_ == nullptr) tiles_ = &converted_.emplace(convert(csr(), *make_policy("paper")));
        return MatrixForms<V>(&csr(), tiles_);
    }

private:
    static bool are_full(const TileMatrix<V>& a) {
        return a.deferred.nnz() == 0 && std::ranges::all_of(a.tiles, [](TileEntry tile) {
                   return tile.format() == formats::id_of<formats::Dense> && tile.nnz() == TileEntry::kMaxValues;
               });
    }

    CsrForm<V> csr_;
    std::optional<TileMatrix<V>> converted_;
    const TileMatrix<V>* tiles_;
    const StripMatrix<V>* strips_;
};

}  // namespace tilespmv
