#include <algorithm>
#include <array>

#include "tile/generate/generator.hpp"

/// Patterns that nothing random shapes: full bands, arrows, dense matrices.
namespace tilespmv::synthetic {
namespace {

void append_range(std::int64_t first, std::int64_t last, std::vector<index_t>& out) {
    for (auto col = first; col < last; ++col) out.push_back(static_cast<index_t>(col));
}

Generated banded(const Parameters& p) {
    const std::int64_t n = p.integer("n"), half = p.integer("half");
    const auto size = p.index("n");
    const double band = static_cast<double>(std::min(n, 2 * half + 1));
    auto pattern = build_rows(size, size, band * size, [&](index_t row, std::vector<index_t>& out) {
        append_range(std::max<std::int64_t>(row - half, 0), std::min(row + half + 1, n), out);
    });
    return {std::move(pattern), {}};
}

Generated arrow(const Parameters& p) {
    p.require_at_most("width", p.real("n"));
    const std::int64_t n = p.integer("n"), width = p.integer("width"), half = p.integer("half");
    const double a_row = static_cast<double>(std::min(n, 2 * width + 2 * half + 1));
    const auto size = p.index("n");
    auto pattern = build_rows(size, size, a_row * size, [&](index_t row, std::vector<index_t>& out) {
        if (row < width) return append_range(0, n, out);
        append_range(0, width, out);
        append_range(std::max(width, row - half), std::min(row + half + 1, n), out);
    });
    return {std::move(pattern), {ValueRule::Kind::symmetric}};
}

Generated dense(const Parameters& p) {
    const index_t rows = p.index("rows"), cols = p.index("cols");
    auto pattern = build_rows(rows, cols, static_cast<double>(rows) * cols,
                              [&](index_t, std::vector<index_t>& out) { append_range(0, cols, out); });
    return {std::move(pattern), {}};
}

constexpr std::array kBandedParameters{
    GeneratorParameter{"n", 20000, 0, kMaxIndex, true, "rows and columns"},
    GeneratorParameter{"half", 25, 0, kMaxIndex, true, "diagonals on each side of the main one"}, kSeed};
constexpr std::array kArrowParameters{
    GeneratorParameter{"n", 150000, 0, kMaxIndex, true, "rows and columns"},
    GeneratorParameter{"width", 2, 0, kMaxIndex, true, "full first rows and columns"},
    GeneratorParameter{"half", 1, 0, kMaxIndex, true, "diagonals on each side of the main one"}, kSeed};
constexpr std::array kDenseParameters{GeneratorParameter{"rows", 1000, 0, kMaxIndex, true, "rows"},
                                      GeneratorParameter{"cols", 1000, 0, kMaxIndex, true, "columns"}, kSeed};

}  // namespace

constinit const Generator kBanded{
    {"banded", "full band around the diagonal: n rows, n (2 half + 1) - half (half + 1) nonzeros",
     "nemeth01 to nemeth26, linverse", kBandedParameters},
    banded};
constinit const Generator kArrow{
    {"arrow", "band plus full first rows and columns, symmetric: n rows, about n (2 width + 2 half + 1) nonzeros",
     "boyd1, ins2, lp1, blockqp1", kArrowParameters},
    arrow};
constinit const Generator kDense{
    {"dense", "every entry is a nonzero: rows x cols nonzeros",
     "mouse_gene, human_gene1 and exdata_1 where they are densest; dense2 of Williams et al. (SC 2007)",
     kDenseParameters},
    dense};

}  // namespace tilespmv::synthetic
