#include "tile/matrix_market/mirror.hpp"

#include <cmath>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv::matrix_market {
namespace {

constexpr std::int64_t kMirrorGrain = 1024;

template <Value V>
bool is_same(V a, V b, bool negated) {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return (negated ? -x : x) == y || (std::isnan(x) && std::isnan(y));
}

template <Value V>
void add_row(const CsrMatrix<V>& a, index_t row, bool negated, MirrorImage& image) {
    const auto note = [&](std::optional<MirrorImage::Place>& first, index_t col) {
        if (!first) first = {row, col};
    };
    for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
        const index_t col = a.col_idxs[p];
        if (col == row) continue;
        ++image.entries;
        const V* across = entry_at(a, col, row);
        if (across == nullptr) {
            note(image.alone, col);
            continue;
        }
        ++image.pairs;
        note(image.paired, col);
        const bool same = is_same(a.values[p], *across, negated);
        image.equal += same;
        if (!same) note(image.unequal, col);
    }
}

}  // namespace

template <Value V>
MirrorImage mirror_image(const CsrMatrix<V>& a, bool negated) {
    std::vector<MirrorImage> parts(static_cast<std::size_t>(div_up(a.rows, kMirrorGrain)));
    parallel_ranges(0, a.rows, kMirrorGrain, [&](std::int64_t first, std::int64_t last) {
        auto& part = parts[static_cast<std::size_t>(first / kMirrorGrain)];
        for (auto row = first; row < last; ++row) add_row(a, static_cast<index_t>(row), negated, part);
    });
    MirrorImage image;
    for (const auto& part : parts) {
        image.entries += part.entries;
        image.pairs += part.pairs;
        image.equal += part.equal;
        if (!image.alone) image.alone = part.alone;
        if (!image.paired) image.paired = part.paired;
        if (!image.unequal) image.unequal = part.unequal;
    }
    return image;
}

#define TILESPMV_INSTANTIATE(V) template MirrorImage mirror_image(const CsrMatrix<V>&, bool);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::matrix_market
