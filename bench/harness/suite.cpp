#include "bench/harness/suite.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::bench {

std::span<const Suite> suites() {
    static const std::vector<Suite> all{
        // Large enough for tiles of 8.7 bytes a nonzero to be larger than a cache of 260 MiB.
        {.name = "cpu-classes",
         .summary = "one generated matrix of about 36 million nonzeros for each class of matrices",
         .sources = {"gen:laplace2d:n=2700", "gen:laplace3d:n=174", "gen:stencil27:n=111", "gen:fem:n=54,dof=3",
                     "gen:fem:n=34,dof=6", "gen:banded:n=710000,half=25",
                     "gen:block-dense:n=282000,block=16,blocks_per_row=8", "gen:uniform:n=2250000,per_row=16",
                     "gen:rmat:scale=21,degree=18", "gen:powerlaw:n=2250000,degree=16", "gen:circuit:n=5800000",
                     "gen:delaunay:n=6000000", "gen:rgg:n=2250000,degree=16", "gen:road-like:n=2000,chain=2",
                     "gen:kkt:n=3300000", "gen:qcd:n=16,nt=20", "gen:dense:rows=6000,cols=6000"}},
    };
    return all;
}

const Suite& find_suite(std::string_view name) {
    const auto found = std::ranges::find(suites(), name, &Suite::name);
    if (found != suites().end()) return *found;
    std::vector<std::string_view> names;
    for (const Suite& suite : suites()) names.push_back(suite.name);
    throw Error(fmt::format("unknown suite '{}'; there are {}", name, fmt::join(names, ", ")), ExitCode::usage);
}

}  // namespace tilespmv::bench
