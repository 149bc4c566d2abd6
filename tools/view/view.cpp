#include "tools/view/view.hpp"

#include <algorithm>

#include "selector/paths.hpp"
#include "tools/view/view_assets.hpp"
#include "tools/view/view_data.hpp"

namespace tilespmv::tools {
namespace {

/// Tiles of all formats in turn.
std::vector<TilePlace> examples_of(const std::vector<ViewedFormat>& formats) {
    std::vector<TilePlace> examples;
    for (std::size_t i = 0, before = 1; before != examples.size(); ++i) {
        before = examples.size();
        for (const ViewedFormat& format : formats) {
            if (i < format.examples.size()) examples.push_back(format.examples[i]);
        }
    }
    return examples;
}

struct FittedData {
    std::string data;
    offset_t detailed_tiles = 0;
};

/// Summaries of the cells of the lowest level that fit into `room` bytes, and about as many tiles as fit beside them.
FittedData fitting_sample(const ViewedMatrix& matrix, const std::vector<ViewedFormat>& formats, std::size_t room) {
    constexpr double kWellFilled = 0.75;
    const auto examples = examples_of(formats);
    const auto make = [&](const SummedLevel& cells, double tiles) {
        const auto tree =
            sampled_quadtree(matrix.list, matrix.levels(), cells, static_cast<std::size_t>(tiles), examples);
        return FittedData{view_data(matrix, formats, tree), tree.detailed_tiles};
    };
    for (int level = lowest_level(matrix.list, matrix.levels(), room / 4);; ++level) {
        const SummedLevel cells = sum_up(matrix.list, level);
        FittedData best = make(cells, 0);
        if (best.data.size() > room / 4 * 3 && level < matrix.levels()) continue;
        double tiles = static_cast<double>(room - std::min(room, best.data.size())) / 24;
        for (int attempt = 0; attempt < 3 || (best.detailed_tiles == 0 && tiles >= 1); ++attempt) {
            FittedData made = make(cells, tiles);
            const double filled = static_cast<double>(made.data.size()) / static_cast<double>(room);
            if (filled <= 1) best = std::move(made);
            if (filled <= 1 && filled > kWellFilled) break;
            tiles *= 0.9 / filled;
        }
        return best;
    }
}

/// The data in at most `room` bytes: all tiles if they fit, else a sample.
FittedData fitting_data(const ViewedMatrix& matrix, std::size_t room) {
    const auto formats = viewed_formats(matrix.list);
    if (const auto tree = whole_quadtree(matrix.list, matrix.levels(), room / 3)) {
        FittedData whole{view_data(matrix, formats, *tree), tree->detailed_tiles};
        if (whole.data.size() <= room) return whole;
    }
    return fitting_sample(matrix, formats, room);
}

}  // namespace

template <Value V>
ViewPage view_page(const CsrMatrix<V>& a, const TileMatrix<V>& tiles, const ViewOptions& options) {
    ViewedMatrix matrix{.options = options,
                        .value_type = value_name<V>(),
                        .value_bytes = sizeof(V),
                        .rows = a.rows,
                        .cols = a.cols,
                        .nnz = a.nnz(),
                        .csr_bytes = a.nnz() * static_cast<offset_t>(sizeof(V) + sizeof(index_t)) +
                                     (offset_t{a.rows} + 1) * static_cast<offset_t>(sizeof(std::int32_t)),
                        .tiled_bytes = static_cast<offset_t>(tiles.bytes()),
                        .scattered_share = scattered_share(tiles),
                        .list = list_tiles(a, tiles),
                        .strips = strip_rows(a)};
    ViewPage page;
    page.tiles = std::ssize(matrix.list.tiles.cols);
    const std::size_t around = fill_page(kViewParts, "").size();
    const std::size_t room = options.most_bytes - std::min(options.most_bytes, around);
    const FittedData fitted = fitting_data(matrix, room);
    page.detailed_tiles = fitted.detailed_tiles;
    page.html = fill_page(kViewParts, fitted.data);
    return page;
}

#define TILESPMV_INSTANTIATE(V) \
    template ViewPage view_page(const CsrMatrix<V>&, const TileMatrix<V>&, const ViewOptions&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::tools
