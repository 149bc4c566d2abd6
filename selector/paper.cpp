#include "selector/paper.hpp"

#include <fmt/format.h>

#include "formats/list.hpp"

namespace tilespmv {
namespace {

using namespace formats;

/// Square of the variation (population standard deviation over mean) of the row lengths, from integers:
/// (rows * sum of squares - nnz^2) / nnz^2.
double squared_variation(const TilePattern& p) {
    int squares = 0;
    for (const int count : p.row_counts) squares += count * count;
    return static_cast<double>(p.rows * squares - p.nnz * p.nnz) / (p.nnz * p.nnz);
}

template <Format F>
TileChoice in_format(const TilePattern& p, int value_bytes) {
    return {id_of<F>, *F::size(p, value_bytes)};
}

}  // namespace

PaperRules PaperRules::tuned() {
    PaperRules rules;
    rules.ell_fill = 0.75;
    rules.hyb_rest = kTileSize * kTileSize;
    rules.hyb_coo = 0.5;
    return rules;
}

void PaperRules::read(Options& options) {
    dense = options.number("dense", dense, 0, 2, {{"published", kDensePublished}, {"cpu-code", kDenseCpuCode}});
    coo = static_cast<int>(options.whole("coo", coo, 0, 256));
    ell = options.number("ell", ell, -1, 16);
    ell_fill = options.number("ell_fill", ell_fill, 0, 1);
    hyb = options.number("hyb", hyb, 0, 16);
    hyb_rest = static_cast<int>(options.whole("hyb_rest", hyb_rest, 0, 256));
    hyb_coo = options.number("hyb_coo", hyb_coo, 0, 1);
    defer_hyb = options.flag("defer_hyb", defer_hyb);
}

TileChoice PaperPolicy::choose(const TilePattern& p, int value_bytes) const {
    const auto decide = [&]() -> TileChoice {
        if (p.nnz >= rules_.dense * p.rows * p.cols) return in_format<Dense>(p, value_bytes);
        if (p.nnz <= rules_.coo) return in_format<Coo>(p, value_bytes);
        if (p.only_full_rows()) return in_format<DenseRow>(p, value_bytes);
        if (p.only_full_cols()) return in_format<DenseCol>(p, value_bytes);
        const double variation = squared_variation(p);
        if (rules_.ell >= 0 && variation <= rules_.ell * rules_.ell &&
            p.nnz >= rules_.ell_fill * p.rows * p.longest_row) {
            return in_format<Ell>(p, value_bytes);
        }
        if (variation >= rules_.hyb * rules_.hyb) {
            TileChoice hyb = in_format<Hyb>(p, value_bytes);
            const int width = hyb.size.parameter;
            const int rest = hyb.size.values - p.rows * width;
            if (rest <= rules_.hyb_rest && rest <= rules_.hyb_coo * p.nnz) {
                if (rules_.defer_hyb && rest > 0) hyb.part = {static_cast<std::int8_t>(width), id_of<Ell>};
                return hyb;
            }
        }
        return in_format<Csr>(p, value_bytes);
    };
    TileChoice choice = decide();
    choice.defer = p.nnz <= rules_.defer;
    return choice;
}

std::string PaperPolicy::reason(const TilePattern& p, int value_bytes) const {
    const TileChoice choice = choose(p, value_bytes);
    if (choice.defer) return fmt::format("tiles of at most {} nonzeros are left to CSR rows", rules_.defer);
    switch (choice.format) {
        case id_of<Dense>:
            return fmt::format("at least {:g}% of its places hold nonzeros", 100 * rules_.dense);
        case id_of<Coo>:
            return fmt::format("it has at most {} nonzeros", rules_.coo);
        case id_of<DenseRow>:
            return "every row is empty or full";
        case id_of<DenseCol>:
            return "every column is empty or full";
        case id_of<Ell>:
            return fmt::format("its rows are even: their lengths vary by at most {:g}{}", rules_.ell,
                               rules_.ell_fill > 0 ? fmt::format(", and at least {:g}% of the block are nonzeros",
                                                                 100 * rules_.ell_fill)
                                                   : "");
        case id_of<Hyb>:
            return fmt::format(
                "its rows are uneven: their lengths vary by at least {:g}, and few nonzeros are outside "
                "the block",
                rules_.hyb);
        default:
            return "none of the rules for other formats applies";
    }
}

}  // namespace tilespmv
