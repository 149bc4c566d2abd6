// Ranks the pages of a web graph by PageRank: A has a row for each page, with a nonzero for each of its links, and
// every step multiplies by the transpose of A.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <tilespmv/kernels/registry.hpp>
#include <tilespmv/kernels/transpose.hpp>
#include <tilespmv/tile/error.hpp>
#include <tilespmv/tile/generate/generate.hpp>
#include <tilespmv/tile/matrix_market/matrix_market.hpp>
using namespace tilespmv;

namespace {

/// Every link of a page gets the same share of its rank. Returns the pages without links.
std::vector<std::size_t> share_ranks(CsrMatrix<double>& a) {
    std::vector<std::size_t> dangling;
    for (std::size_t page = 0; page < static_cast<std::size_t>(a.rows); ++page) {
        const auto first = a.values.begin() + a.row_ptrs[page], last = a.values.begin() + a.row_ptrs[page + 1];
        std::fill(first, last, 1.0 / static_cast<double>(last - first));
        if (first == last) dangling.push_back(page);
    }
    return dangling;
}

}  // namespace

int main(int argc, char** argv) try {
    auto a = argc > 1 ? read_matrix_market<double>(argv[1]) : generate<double>("web:n=20000");
    const std::vector<std::size_t> dangling = share_ranks(a);
    const auto make = [](const Source<double>& m) { return make_operator<double>("auto", m); };
    const auto links = with_transpose<double>(make(a), a, make);  // holds a second form of A
    Run transposed;
    transposed.op = Op::transpose;

    constexpr double kDamping = 0.85;
    const std::size_t pages = static_cast<std::size_t>(a.rows);
    std::vector<double> rank(pages, 1.0 / static_cast<double>(pages)), next(pages);
    double change = 1;
    int steps = 0;
    for (; change > 1e-10 && steps < 200; ++steps) {
        double lost = 0;  // of pages without links, which link to all
        for (const std::size_t page : dangling) lost += rank[page];
        std::fill(next.begin(), next.end(), (1 - kDamping + kDamping * lost) / static_cast<double>(pages));
        links->apply(kDamping, rank, 1.0, next, transposed);  // next += damping * A^T * rank
        change = 0;
        for (std::size_t page = 0; page < pages; ++page) change += std::abs(next[page] - rank[page]);
        rank.swap(next);
    }
    double sum = 0;
    for (const double r : rank) sum += r;
    const auto best = std::max_element(rank.begin(), rank.end());
    std::cout << "page " << best - rank.begin() + 1 << " of " << pages << " ranks first with " << *best << " after "
              << steps << " steps\n";
    return change <= 1e-10 && std::abs(sum - 1) < 1e-8 ? 0 : 1;
} catch (const Error& error) {
    std::cerr << "page_rank: " << error.what() << '\n';
    return static_cast<int>(error.code());
}
