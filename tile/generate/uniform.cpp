#include <algorithm>
#include <array>

#include "tile/generate/generator.hpp"
#include "tile/generate/random.hpp"

/// Patterns without any structure beyond their density.
namespace tilespmv::synthetic {
namespace {

Generated uniform(const Parameters& p) {
    const index_t rows = p.index("n"), cols = p.index("cols") > 0 ? p.index("cols") : rows;
    p.require_at_most("per_row", cols);
    const index_t per_row = p.index("per_row");
    const double spread = p.real("spread");
    auto pattern = build_rows(rows, cols, p.real("per_row") * rows, [&](index_t row, std::vector<index_t>& out) {
        Random random(p.seed(), 0, row);
        const double factor = spread > 0 ? 1 + spread * (2 * Random(p.seed(), 1, row).unit() - 1) : 1;
        sample_distinct(random, cols, std::min(static_cast<index_t>(per_row * factor + 0.5), cols), out);
    });
    return {std::move(pattern), {}};
}

Generated block_dense(const Parameters& p) {
    const index_t n = p.index("n"), block = p.index("block");
    const auto blocks = static_cast<index_t>(div_up(n, block));
    p.require_at_most("blocks_per_row", blocks);
    const index_t per_row = p.index("blocks_per_row");
    const double nnz = static_cast<double>(per_row) * block * n;
    auto pattern = build_rows(n, n, nnz, [&](index_t row, std::vector<index_t>& out) {
        Random random(p.seed(), 0, row / block);
        std::vector<index_t> chosen;
        sample_distinct(random, blocks, per_row, chosen);
        for (const std::int64_t c : chosen) {
            const auto end = std::min<std::int64_t>((c + 1) * block, n);
            for (auto col = c * block; col < end; ++col) out.push_back(static_cast<index_t>(col));
        }
    });
    return {std::move(pattern), {}};
}

Generated hypersparse(const Parameters& p) {
    const index_t n = p.index("n");
    if (n == 0) p.require_at_most("nnz", 0);
    auto pattern = build_entries(n, n, p.integer("nnz"), p.real("nnz"), [&](std::int64_t k, std::vector<Entry>& out) {
        Random random(p.seed(), 0, k);
        const auto row = static_cast<index_t>(random.below(n));
        out.push_back({row, static_cast<index_t>(random.below(n))});
    });
    return {std::move(pattern), {}};
}

constexpr std::array kUniformParameters{
    GeneratorParameter{"n", 62500, 0, kMaxIndex, true, "rows"},
    GeneratorParameter{"cols", 0, 0, kMaxIndex, true, "columns, 0 for n"},
    GeneratorParameter{"per_row", 16, 0, kMaxIndex, true, "nonzeros in every row, at most the columns"},
    GeneratorParameter{"spread", 0, 0, 1, false, "rows differ from that by up to this share of it"}, kSeed};
constexpr std::array kBlockDenseParameters{
    GeneratorParameter{"n", 8000, 0, kMaxIndex, true, "rows and columns; the last block is cut there"},
    GeneratorParameter{"block", 16, 1, kMaxIndex, true, "edge of a block"},
    GeneratorParameter{"blocks_per_row", 8, 0, kMaxIndex, true, "blocks in every row of blocks, at most n / block"},
    kSeed};
constexpr std::array kHypersparseParameters{
    GeneratorParameter{"n", 1e7, 0, kMaxIndex, true, "rows and columns"},
    GeneratorParameter{"nnz", 1e6, 0, 0x1p53, true, "nonzeros, before the few duplicates are merged"}, kSeed};

}  // namespace

constinit const Generator kUniform{
    {"uniform", "columns drawn evenly and without repetition: n per_row nonzeros", "GAP-urand", kUniformParameters},
    uniform};
constinit const Generator kBlockDense{
    {"block-dense", "full blocks at random places of a block grid: n rows, n block blocks_per_row nonzeros",
     "TSOPF_RS_b2383, exdata_1, pdb1HYS, rma10", kBlockDenseParameters},
    block_dense};
constinit const Generator kHypersparse{
    {"hypersparse", "far fewer nonzeros than rows, anywhere: n rows, nnz nonzeros",
     "wiki-Talk, email-EuAll, mawi_201512020330 (most rows empty or nearly so)", kHypersparseParameters},
    hypersparse};

}  // namespace tilespmv::synthetic
