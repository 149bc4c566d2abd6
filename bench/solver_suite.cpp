#include "bench/solver_suite.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"
#include "tile/io/printable.hpp"

namespace tilespmv::bench {
namespace {

std::string file_of(std::string_view name, const std::filesystem::path& folder) {
    for (const char* ending : {".mtx", ".mtx.gz", ".mtx.xz", ".mtx.zst"}) {
        const auto file = folder / fmt::format("{}{}", name, ending);
        if (std::filesystem::exists(file)) return file.string();
    }
    throw Error(fmt::format("{}: has no {}.mtx, .mtx.gz, .mtx.xz or .mtx.zst; say with --matrices where these are",
                            printable(folder.string()), name));
}

}  // namespace

std::span<const SolverSuite> solver_suites() {
    static const std::vector<SolverSuite> all{
        {.name = "systems",
         .summary = "ten generated systems of a thousand to four million unknowns",
         .generated = {"laplace2d:n=32", "laplace2d:n=100", "laplace2d:n=300", "laplace2d:n=1000", "laplace3d:n=30",
                       "laplace3d:n=60", "laplace3d:n=160", "stencil27:n=20", "elasticity:n=20", "elasticity:n=50"}},
        {.name = "real",
         .summary = "six real systems, which SuiteSparse has, from the folder --matrices",
         .matrices = {"ibmpg1", "ibmpg2", "bcsstk16", "bcsstk25", "bcsstk28", "fem_cylhead_poisson"}},
        {.name = "two-gpus",
         .summary = "two generated systems of 100 million nonzeros on one GPU and on two",
         .generated = {"laplace3d:n=244", "stencil27:n=156"},
         .gpus = 2},
    };
    return all;
}

const SolverSuite& find_solver_suite(std::string_view name) {
    const auto found = std::ranges::find(solver_suites(), name, &SolverSuite::name);
    if (found != solver_suites().end()) return *found;
    std::vector<std::string_view> names;
    for (const SolverSuite& suite : solver_suites()) names.push_back(suite.name);
    throw Error(fmt::format("unknown suite '{}'; there are {}", printable(name), fmt::join(names, ", ")),
                ExitCode::usage);
}

std::vector<std::string> systems_of(const SolverSuite& suite, const std::filesystem::path& folder) {
    std::vector<std::string> systems(suite.generated.begin(), suite.generated.end());
    for (const auto name : suite.matrices) systems.push_back(file_of(name, folder));
    return systems;
}

}  // namespace tilespmv::bench
