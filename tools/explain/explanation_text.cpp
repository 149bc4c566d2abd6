#include <algorithm>

#include <fmt/format.h>

#include "tools/explain/explanation.hpp"
#include "tools/options/source.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

std::string time_text(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.1f} us", 1e6 * seconds);
    return fmt::format("{:.3f} ms", 1e3 * seconds);
}

std::string after_text(const RankedOperator& one, const RankedOperator& soonest) {
    if (&one == &soonest) return "-";
    const double products = pays_after(one, soonest);
    return products < 0 ? "never" : grouped(static_cast<std::int64_t>(std::min(products, 1e18)));
}

std::string features_text(const MatrixFeatures& f) {
    const double longest = f.mean_row > 0 ? static_cast<double>(f.longest_row) / f.mean_row : 0;
    std::string text = fmt::format(
        "rows       mean {:.2f} nonzeros, deviation {:.2f}, longest {} ({:.1f} x), {} of them empty; {:.1f} in a row "
        "with the same columns\n",
        f.mean_row, f.row_deviation, grouped(f.longest_row), longest, percent(f.empty_rows), f.inode_rows);
    text += fmt::format("columns    {:.2f} sectors of x a nonzero\n", f.x_sectors);
    text += fmt::format("tiles      {:.1f} nonzeros a tile, {} of the nonzeros in tile rows of full ones\n",
                        f.tile_nonzeros, percent(f.full_tile_share));
    text += fmt::format("tile rows  {:.1f} slots each, {} full, {} of them like one before\n", f.strip_slots,
                        percent(f.strip_fill), percent(f.repeated_strips));
    text += fmt::format(
        "diagonals  at least {} with nonzeros; HYB has {} nonzeros of a row in its ELL part, {} of all in COO\n",
        grouped(f.diagonals), grouped(f.hyb_width), percent(f.hyb_rest));
    return text;
}

std::string products_text(offset_t products) {
    return products == 0 ? "many products" : fmt::format("{} product{}", grouped(products), products == 1 ? "" : "s");
}

}  // namespace

std::string explanation_text(const Explanation& e) {
    const MatrixFeatures& f = e.question.features;
    const RankedOperator& chosen = e.ranked.front();
    const auto& soonest = *std::ranges::min_element(e.ranked, {}, &RankedOperator::preparation_seconds);
    std::string text = fmt::format("{}: {}, {} accumulated in {}, {}\n", e.matrix, describe_size(f.rows, f.cols, f.nnz),
                                   e.values, e.sums, e.device);
    if (!e.stored.empty()) {
        text += fmt::format("taken: {}, which multiplies what the archive holds as it is; of the same matrix as CSR:\n",
                            e.stored);
    }
    text += fmt::format("chosen for {}: {} ({})\n\n", products_text(e.question.products), chosen.specification,
                        why(chosen, f.nnz));
    text += features_text(f);
    TextTable table;
    table.add({"operator", "product", "over the chosen", "preparation", "pays after", "bytes/nnz"});
    for (const auto& one : e.ranked) {
        table.add({one.specification, time_text(one.seconds),
                   fmt::format("{:.2f} x", chosen.seconds > 0 ? one.seconds / chosen.seconds : 1),
                   time_text(one.preparation_seconds), after_text(one, soonest),
                   fmt::format("{:.2f}", f.nnz == 0 ? 0 : one.matrix_bytes / static_cast<double>(f.nnz))});
    }
    text += "\npredicted:\n" + table.str();
    return text +
           fmt::format("\npays after: products until its preparation is paid for over {}\ncosts measured on: {} ({})\n",
                       soonest.specification, e.costs->machine, e.costs->measured_by);
}

}  // namespace tilespmv::tools
