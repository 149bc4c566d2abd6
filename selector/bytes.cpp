#include "selector/bytes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/list.hpp"

namespace tilespmv {
namespace {

template <formats::Format... F>
TileChoice smallest(formats::FormatList<F...>, const TilePattern& pattern, int value_bytes, bool walked) {
    TileChoice best;
    int best_bytes = -1;
    const auto offer = [&]<class G>() {
        if (!formats::has_vector_routine<G> && !walked) return;
        const std::optional<formats::TileSize> size = G::size(pattern, value_bytes);
        if (!size || (best_bytes >= 0 && size->bytes(value_bytes) >= best_bytes)) return;
        best_bytes = size->bytes(value_bytes);
        best.format = formats::id_of<G>;
        best.size = *size;
    };
    (offer.template operator()<F>(), ...);
    return best;
}

}  // namespace

TileChoice BytesPolicy::choose(const TilePattern& pattern, int value_bytes) const {
    TileChoice choice;
    // Most tiles of scattered matrices and grids: nothing beats a byte for the place of each of so few nonzeros.
    if (2 * pattern.nnz <= std::min(pattern.rows, pattern.cols)) {
        choice.format = formats::id_of<formats::Coo>;
        choice.size = *formats::Coo::size(pattern, value_bytes);
    } else {
        choice = smallest(formats::Formats{}, pattern, value_bytes, walked_);
    }
    const int tiled = choice.size.bytes(value_bytes) + static_cast<int>(sizeof(TileEntry));
    const int csr = pattern.nnz * (value_bytes + static_cast<int>(sizeof(index_t)));
    choice.defer = may_defer_ && tiled + saving_ > csr;
    return choice;
}

std::string BytesPolicy::reason(const TilePattern& pattern, int value_bytes) const {
    if (!choose(pattern, value_bytes).defer) return "it takes the fewest bytes of all formats";
    const std::string most = saving_ == 0 ? "" : fmt::format(" or would save less than {} bytes", saving_);
    return fmt::format("a tile, its entry of {} bytes included, would take more bytes than CSR rows{}",
                       sizeof(TileEntry), most);
}

}  // namespace tilespmv
