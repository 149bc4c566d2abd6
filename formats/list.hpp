#pragma once

#include <array>
#include <span>
#include <utility>

#include "formats/convert.hpp"
#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/dense.hpp"
#include "formats/dense_col.hpp"
#include "formats/dense_row.hpp"
#include "formats/ell.hpp"
#include "formats/hyb.hpp"

namespace tilespmv::formats {

/// A list of formats, at compile time.
template <Format... F>
struct FormatList {
    static constexpr int size = sizeof...(F);
    static_assert(size <= TileEntry::kMaxFormats);
    template <Format... More>
    using With = FormatList<F..., More...>;
};

/// The seven formats of TileSpMV (Niu et al., IPDPS 2021), which the selectors `paper` choose from.
using PublishedFormats = FormatList<Dense, Coo, Csr, Ell, Hyb, DenseRow, DenseCol>;

/// Every format there is. A format's id is its index in this list; files keep names, so the order may change. To add a
/// format: one file beside this one, included above, and its name between these angle brackets.
using Formats = PublishedFormats::With<>;

inline constexpr int kFormatCount = Formats::size;

namespace detail {

template <class F, class... G>
constexpr int id_in(FormatList<G...>) {
    constexpr std::array<bool, sizeof...(G)> same{std::same_as<F, G>...};
    for (int i = 0; i < static_cast<int>(same.size()); ++i) {
        if (same[i]) return i;
    }
    return -1;
}

template <class Visitor, class... F>
TILESPMV_HD bool visit(FormatList<F...>, int id, Visitor&& visitor) {
    int i = 0;
    return ((i++ == id ? (visitor.template operator()<F>(), true) : false) || ...);
}

template <class... F>
constexpr auto table_of(FormatList<F...>) {
    return std::array<FormatInfo, sizeof...(F)>{FormatInfo{F::name, &pass_valid<F>, &holds<F>, &mask_bytes<F>}...};
}

inline constexpr auto kTable = table_of(Formats{});

template <class... F>
constexpr auto vector_routines_of(FormatList<F...>) {
    return std::array<bool, sizeof...(F)>{has_vector_routine<F>...};
}

}  // namespace detail

/// Id of a format of the list.
template <Format F>
inline constexpr int id_of = detail::id_in<F>(Formats{});

/// By id: `has_vector_routine` of every format.
inline constexpr auto kVectorRoutines = detail::vector_routines_of(Formats{});

/// Calls visitor.operator()<F>() for the format with this id; false if there is none. Device code may call it.
template <class Visitor>
TILESPMV_HD bool visit_format(int id, Visitor&& visitor) {
    return detail::visit(Formats{}, id, std::forward<Visitor>(visitor));
}

/// The entries of the published formats, which come first.
inline std::span<const FormatInfo> published_formats() { return format_table().first(PublishedFormats::size); }

}  // namespace tilespmv::formats
