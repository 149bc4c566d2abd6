#include "bench/harness/suite.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::bench {

std::span<const Suite> suites() {
    static const std::vector<Suite> all{
        {.name = "cpu-classes",
         .summary = "one generated matrix of about 30 million nonzeros for each class of matrices",
         .sources = {"gen:laplace2d:n=2450", "gen:laplace3d:n=163", "gen:stencil27:n=104", "gen:fem:n=50,dof=3",
                     "gen:fem:n=32,dof=6", "gen:banded:n=588000,half=25",
                     "gen:block-dense:n=235000,block=16,blocks_per_row=8", "gen:uniform:n=1875000,per_row=16",
                     "gen:rmat:scale=20,degree=30", "gen:powerlaw:n=1875000,degree=16", "gen:circuit:n=4850000",
                     "gen:delaunay:n=5000000", "gen:rgg:n=1875000,degree=16", "gen:road-like:n=1830,chain=2",
                     "gen:kkt:n=2700000", "gen:qcd:n=16", "gen:dense:rows=5477,cols=5477"}},
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
