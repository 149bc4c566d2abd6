#include <algorithm>
#include <array>
#include <cmath>

#include "tile/generate/generator.hpp"
#include "tile/generate/random.hpp"

/// Graphs with hubs.
namespace tilespmv::synthetic {
namespace {

/// Shares of the four quadrants (upper left, upper right, lower left; the rest is the lower right), cumulated, in
/// units of 2^-16.
struct Quadrants {
    std::uint64_t a, ab, abc;
};

Quadrants quadrants(double a, double b, double c) {
    const auto units = [](double share) { return static_cast<std::uint64_t>(std::floor(share * 65536 + 0.5)); };
    return {units(a), units(a) + units(b), units(a) + units(b) + units(c)};
}

/// One edge of R-MAT (Chakrabarti, Zhan and Faloutsos, SDM 2004): at each of `scale` levels a random quadrant.
Entry rmat_edge(const Quadrants& q, std::int64_t scale, Random random) {
    std::uint32_t row = 0, col = 0;
    std::uint64_t bits = 0;
    for (std::int64_t level = 0; level < scale; ++level) {
        if (level % 4 == 0) bits = random.next();
        const std::uint64_t draw = bits & 0xffff;
        bits >>= 16;
        row = row << 1 | (draw >= q.ab);
        col = col << 1 | ((draw >= q.a) ^ (draw >= q.ab) ^ (draw >= q.abc));
    }
    return {static_cast<index_t>(row), static_cast<index_t>(col)};
}

Generated rmat(const Parameters& p) {
    const double a = p.real("a"), b = p.real("b"), c = p.real("c");
    if (a + b + c > 1) p.fail("a + b + c is more than 1");
    const Quadrants q = quadrants(a, b, c);
    const std::int64_t scale = p.integer("scale"), edges = p.integer("degree") << scale;
    const auto n = static_cast<index_t>(std::int64_t{1} << scale);
    auto pattern = build_entries(n, n, edges, static_cast<double>(edges), [&](auto k, std::vector<Entry>& out) {
        out.push_back(rmat_edge(q, scale, Random(p.seed(), 0, k)));
    });
    return {std::move(pattern), {}};
}

Generated kronecker(const Parameters& p) {
    const Quadrants q = quadrants(0.57, 0.19, 0.19);
    const std::int64_t scale = p.integer("scale"), edges = p.integer("degree") << scale;
    const auto n = static_cast<index_t>(std::int64_t{1} << scale);
    const Shuffle label(p.seed(), static_cast<std::uint64_t>(n));
    auto pattern = build_entries(n, n, edges, 2.0 * static_cast<double>(edges), [&](auto k, std::vector<Entry>& out) {
        const auto [row, col] = rmat_edge(q, scale, Random(p.seed(), 0, k));
        if (row == col) return;
        add_symmetric(out, static_cast<std::int64_t>(label(row)), static_cast<std::int64_t>(label(col)));
    });
    return {std::move(pattern), {ValueRule::Kind::symmetric}};
}

/// x^(sixteenths / 16) for x > 0. `pow` would differ in its last bit from one library to the next; sqrt does not.
double power(double x, int sixteenths) {
    int exponent = sixteenths;
    for (int denominator = 16; denominator > 1; denominator /= 2) {
        if (exponent % 2 == 0) {
            exponent /= 2;
        } else {
            x = std::sqrt(x);
        }
    }
    double result = 1;
    for (; exponent > 0; exponent /= 2, x *= x) {
        if (exponent % 2 == 1) result *= x;
    }
    return result;
}

/// The Zipf law k^-s for ranks k = 1 to n, with s in sixteenths below 16.
class Zipf {
public:
    Zipf(double n, double s) : n_(n), s_(static_cast<int>(std::floor(s * 16 + 0.5))) {
        // Euler-Maclaurin for the sum of k^-s over all ranks.
        const double integral = 16.0 / (16 - s_) * (power(n, 16 - s_) - 1);
        total_ = integral + (1 + 1 / power(n, s_)) / 2;
    }
    /// Share of rank k (from 0) in the whole.
    [[nodiscard]] double share(double k) const { return 1 / (power(k + 1, s_) * total_); }
    /// The rank (from 0) of a uniform u in (0, 1): the inverse of the cumulative distribution, its exponent rounded to
    /// sixteenths.
    [[nodiscard]] std::uint64_t rank(double u) const {
        const int inverse = (256 + (16 - s_) / 2) / (16 - s_);
        return static_cast<std::uint64_t>(std::min(n_ * power(u, inverse), n_ - 1));
    }

private:
    double n_;
    int s_;
    double total_;
};

Generated powerlaw(const Parameters& p) {
    const index_t n = p.index("n");
    const Zipf zipf(n, p.real("exponent"));
    const double nnz = p.real("degree") * n;
    const auto size = static_cast<std::uint64_t>(n);
    const Shuffle row_rank(p.seed(), size), col_label(p.seed() + 1, size);
    auto pattern =
        build_rows(n, n, std::min(nnz, static_cast<double>(n) * n), [&](index_t row, std::vector<index_t>& out) {
            Random random(p.seed(), 0, row);
            const double share = zipf.share(static_cast<double>(row_rank(static_cast<std::uint64_t>(row))));
            const auto draws = static_cast<std::int64_t>(std::min<double>(n, nnz * share + 0.5));
            for (std::int64_t i = 0; i < draws; ++i) {
                out.push_back(static_cast<index_t>(col_label(zipf.rank(random.unit()))));
            }
        });
    return {std::move(pattern), {}};
}

/// Appends a run of columns that begins within the row's site, early ones more often, or a hub.
class Links {
public:
    Links(const Parameters& p, const Zipf& zipf)
        : n_(p.index("n")),
          site_(p.index("site")),
          run_(p.integer("run")),
          near_(p.real("near")),
          zipf_(&zipf),
          label_(p.seed() + 1, static_cast<std::uint64_t>(n_)) {}

    void append(index_t row, Random& random, std::vector<index_t>& out) const {
        if (!random.chance(near_)) return out.push_back(static_cast<index_t>(label_(zipf_->rank(random.unit()))));
        const double u = random.unit();
        const auto first = std::min<std::int64_t>(row - row % site_ + static_cast<std::int64_t>(u * u * site_), n_ - 1);
        const auto end = std::min<std::int64_t>(first + 1 + random.below(2 * run_ - 1), n_);
        for (auto col = first; col < end; ++col) out.push_back(static_cast<index_t>(col));
    }

private:
    index_t n_;
    index_t site_;
    std::int64_t run_;
    double near_;
    const Zipf* zipf_;
    Shuffle label_;
};

Generated web(const Parameters& p) {
    const index_t n = p.index("n");
    const Zipf zipf(n, p.real("exponent"));
    const double nnz = p.real("degree") * n;
    const Shuffle row_rank(p.seed(), static_cast<std::uint64_t>(n));
    const Links links(p, zipf);
    auto pattern =
        build_rows(n, n, std::min(nnz, static_cast<double>(n) * n), [&](index_t row, std::vector<index_t>& out) {
            Random random(p.seed(), 0, row);
            const double share = zipf.share(static_cast<double>(row_rank(static_cast<std::uint64_t>(row))));
            const auto wanted = static_cast<std::size_t>(std::min<double>(n, nnz * share + random.unit()));
            while (out.size() < wanted) links.append(row, random, out);
        });
    return {std::move(pattern), {}};
}

constexpr GeneratorParameter kScale{"scale", 16, 0, 30, true, "2^scale rows and columns"};
constexpr GeneratorParameter kDegree{"degree", 16, 0, 65536, true, "edges drawn per row"};

constexpr std::array kRmatParameters{kScale,
                                     kDegree,
                                     GeneratorParameter{"a", 0.57, 0, 1, false, "share of the upper left quadrant"},
                                     GeneratorParameter{"b", 0.19, 0, 1, false, "share of the upper right quadrant"},
                                     GeneratorParameter{"c", 0.19, 0, 1, false, "share of the lower left quadrant"},
                                     kSeed};
constexpr std::array kKroneckerParameters{kScale, GeneratorParameter{"degree", 10, 0, 65536, true, kDegree.meaning},
                                          kSeed};
constexpr std::array kPowerlawParameters{
    GeneratorParameter{"n", 65536, 1, kMaxIndex, true, "rows and columns"},
    GeneratorParameter{"degree", 16, 0, kMaxIndex, true, "mean of the columns drawn per row"},
    GeneratorParameter{"exponent", 0.5, 0, 0.9375, false,
                       "the k-th longest row and the k-th most frequent column go with k^-exponent (to 1/16)"},
    kSeed};
constexpr std::array kWebParameters{
    GeneratorParameter{"n", 80000, 1, kMaxIndex, true, "pages, rows and columns"},
    GeneratorParameter{"degree", 16, 0, kMaxIndex, true, "mean links of a page, before duplicates are merged"},
    GeneratorParameter{"exponent", 0.5, 0, 0.9375, false,
                       "the k-th longest row and the k-th most frequent hub go with k^-exponent (to 1/16)"},
    GeneratorParameter{"site", 200, 1, kMaxIndex, true, "pages of a site, numbered one after the other"},
    GeneratorParameter{"near", 0.8, 0, 1, false, "share of links, or runs of them, that begin in the site"},
    GeneratorParameter{"run", 3, 1, 1e6, true, "mean length of these runs of consecutive columns"},
    kSeed};

}  // namespace

constinit const Generator kRmat{
    {"rmat", "R-MAT, a directed graph: 2^scale rows, degree 2^scale nonzeros before duplicates (about 10%) are merged",
     "soc-LiveJournal1, soc-Slashdot0902, wiki-Talk, GAP-twitter", kRmatParameters},
    rmat};
constinit const Generator kKronecker{
    {"kronecker",
     "stochastic Kronecker graph as in Graph500 (a, b, c = 0.57, 0.19, 0.19; undirected, shuffled labels, no loops): "
     "2^scale rows, 2 degree 2^scale nonzeros before duplicates (about 10%) are merged",
     "kron_g500-logn16 to kron_g500-logn21, GAP-kron", kKroneckerParameters},
    kronecker};
constinit const Generator kPowerlaw{
    {"powerlaw",
     "rows and columns of Zipf lengths, hubs anywhere: n rows, degree n nonzeros before duplicates (about 1%) are "
     "merged",
     "web-Google, webbase-1M, in-2004, eu-2005", kPowerlawParameters},
    powerlaw};
constinit const Generator kWeb{
    {"web",
     "pages of sites: rows of Zipf lengths, of runs of columns nearby and of hubs anywhere: n rows, about degree n "
     "nonzeros before duplicates are merged",
     "cnr-2000, in-2004, uk-2002, Stanford, webbase-1M", kWebParameters},
    web};

}  // namespace tilespmv::synthetic
