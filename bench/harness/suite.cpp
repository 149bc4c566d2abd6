#include "bench/harness/suite.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::bench {

namespace {

using Names = std::vector<std::string_view>;

// One matrix for each class, of the sizes that published figures for GPUs are given on.
const Names kGpuClasses{"gen:laplace2d:n=2048",
                        "gen:laplace3d:n=160",
                        "gen:stencil27:n=128",
                        "gen:fem:n=64,dof=3",
                        "gen:fem:n=40,dof=6",
                        "gen:banded:n=400000,half=25",
                        "gen:block-dense:n=400000,block=16,blocks_per_row=8",
                        "gen:rmat:scale=20,degree=16",
                        "gen:uniform:n=2000000,per_row=8",
                        "gen:dense:rows=4096,cols=4096",
                        "gen:laplace2d:n=256"};

// Large enough for tiles of 8.7 bytes a nonzero to be larger than a cache of 260 MiB.
const Names kCpuClasses{"gen:laplace2d:n=2700",
                        "gen:laplace3d:n=174",
                        "gen:stencil27:n=111",
                        "gen:fem:n=54,dof=3",
                        "gen:fem:n=34,dof=6",
                        "gen:banded:n=710000,half=25",
                        "gen:block-dense:n=282000,block=16,blocks_per_row=8",
                        "gen:uniform:n=2250000,per_row=16",
                        "gen:rmat:scale=21,degree=18",
                        "gen:powerlaw:n=2250000,degree=16",
                        "gen:circuit:n=5800000",
                        "gen:delaunay:n=6000000",
                        "gen:rgg:n=2250000,degree=16",
                        "gen:road-like:n=2000,chain=2",
                        "gen:kkt:n=3300000",
                        "gen:qcd:n=16,nt=20",
                        "gen:dense:rows=6000,cols=6000"};

// 4.2 nonzeros a row first, then from short rows to long ones.
const Names kRowLengths{"gen:circuit:n=1000000,near=1,far=0.6,rails=0",
                        "gen:road-like:n=700,chain=2",
                        "gen:laplace2d:n=1000",
                        "gen:delaunay:n=700000",
                        "gen:laplace3d:n=100",
                        "gen:uniform:n=500000,per_row=8",
                        "gen:powerlaw:n=500000,degree=16",
                        "gen:rgg:n=500000,degree=16",
                        "gen:rmat:scale=18,degree=16",
                        "gen:stencil27:n=64",
                        "gen:qcd:n=10,nt=16",
                        "gen:fem:n=32,dof=3",
                        "gen:banded:n=200000,half=25",
                        "gen:fem:n=20,dof=6",
                        "gen:dense:rows=2048,cols=2048"};

// From even rows near the diagonal to hubs anywhere.
const Names kEvenToWebLike{"gen:banded:n=400000,half=8",  "gen:laplace2d:n=1500",
                           "gen:stencil27:n=80",          "gen:fem:n=40,dof=3",
                           "gen:delaunay:n=1500000",      "gen:kkt:n=1000000",
                           "gen:rgg:n=700000,degree=16",  "gen:uniform:n=700000,per_row=16",
                           "gen:circuit:n=2000000",       "gen:powerlaw:n=700000,degree=16",
                           "gen:rmat:scale=20,degree=12", "gen:kronecker:scale=19,degree=10"};

// What other libraries are compared on: grids and meshes from tiny to large, graphs, optimization, networks, extremes.
// Renumbered meshes trade numbers within windows of 512 nodes, which is what the generator can.
const Names kPeers{"gen:laplace2d:n=2048",
                   "gen:laplace2d:n=256",
                   "gen:laplace2d:n=64",
                   "gen:laplace3d:n=160",
                   "gen:stencil27:n=128",
                   "gen:fem:n=64,dof=3",
                   "gen:fem:n=12,dof=3",
                   "gen:fem:n=40,dof=6",
                   "gen:fem:n=64,dof=3,jitter=1",
                   "gen:fem:n=60,dof=1,jitter=1",
                   "gen:banded:n=400000,half=25",
                   "gen:block-dense:n=400000,block=16,blocks_per_row=8",
                   "gen:rmat:scale=20,degree=16",
                   "gen:rmat:scale=22,degree=8",
                   "gen:uniform:n=2000000,per_row=8",
                   "gen:road-like:n=700,chain=2",
                   "gen:powerlaw:n=300000,degree=16",
                   "gen:kronecker:scale=17,degree=10",
                   "gen:arrow:n=600000",
                   "gen:kkt:n=500000",
                   "gen:qcd:n=8",
                   "gen:delaunay:n=1500000",
                   "gen:rgg:n=700000,degree=16",
                   "gen:circuit:n=2000000",
                   "gen:hypersparse:n=10000000,nnz=1000000",
                   "gen:uniform:n=2000,cols=50000,per_row=200",
                   "gen:dense:rows=4096,cols=4096",
                   "gen:dense:rows=512,cols=512"};

// Of kinds and sizes that the benchmark set of `tilespmv tune` lacks, of more than 100,000 nonzeros.
const Names kUnseen{"gen:laplace2d:n=700",
                    "gen:laplace3d:n=60",
                    "gen:laplace3d:n=110",
                    "gen:stencil27:n=36",
                    "gen:stencil27:n=64",
                    "gen:fem:n=20,dof=3",
                    "gen:fem:n=18,dof=6",
                    "gen:fem:n=60,dof=1,jitter=1",
                    "gen:fem:n=24,dof=3,jitter=1",
                    "gen:elasticity:n=16",
                    "gen:banded:n=60000,half=12",
                    "gen:banded:n=700000,half=3",
                    "gen:block-dense:n=60000,block=16,blocks_per_row=8",
                    "gen:block-dense:n=80000,block=4,blocks_per_row=6",
                    "gen:qcd:n=6,nt=12",
                    "gen:uniform:n=300000,per_row=10",
                    "gen:uniform:n=40000,cols=400000,per_row=30",
                    "gen:rmat:scale=16,degree=12",
                    "gen:rmat:scale=19,degree=8",
                    "gen:kronecker:scale=17,degree=12",
                    "gen:powerlaw:n=200000,degree=10",
                    "gen:circuit:n=600000",
                    "gen:road-like:n=600,chain=3",
                    "gen:delaunay:n=300000",
                    "gen:rgg:n=250000,degree=12",
                    "gen:kkt:n=300000",
                    "gen:arrow:n=300000",
                    "gen:hypersparse:n=4000000,nnz=900000",
                    "gen:dense:rows=1600,cols=1600"};

const Names kConfigurations{"paper-csr", "paper-tuned", "paper-tuned-deferred", "bytes"};
const Names kConfigurationsAndFormats{
    "paper-csr", "paper-adaptive", "paper-deferred", "paper-tuned", "paper-tuned-deferred", "only:dense",
    "only:coo",  "only:csr",       "only:ell",       "only:hyb",    "only:dense_row",       "only:dense_col"};

}  // namespace

std::span<const Suite> suites() {
    static const std::vector<Suite> all{
        {.name = "cpu-classes",
         .summary = "one generated matrix of about 36 million nonzeros for each class of matrices",
         .sources = kCpuClasses},
        {.name = "gpu-classes",
         .summary =
             "eleven generated matrices, every operator of the GPU, tiles all csr, by the tuned rules without and "
             "with deferral, and of the fewest bytes",
         .sources = kGpuClasses,
         .selectors = kConfigurations},
        {.name = "threads-per-vector",
         .summary = "csr-vector with 2 to 32 threads a row and with its own choice, against the best of these",
         .sources = kRowLengths,
         .operators = {"csr-vector", "csr-vector:threads=all"},
         .baselines = {"csr-vector"}},
        {.name = "csr-vs-cusparse",
         .summary = "csr-vector and csr-merge against cuSPARSE, from even matrices near the diagonal to web-like ones",
         .sources = kEvenToWebLike,
         .operators = {"csr-vector", "csr-merge"},
         .baselines = {"cusparse-csr", "cusparse"}},
        {.name = "multiround",
         .summary = "csr-multiround, which needs no preprocessing, against csr-scalar and csr-vector",
         .sources = kEvenToWebLike,
         .operators = {"csr-multiround", "csr-scalar", "csr-vector"},
         .baselines = {"csr-scalar", "csr-vector"}},
        {.name = "tilespmv",
         .summary =
             "tiles in the three published configurations, by the tuned rules and in every single format, against "
             "merge CSR and cuSPARSE CSR and BSR",
         .sources = kGpuClasses,
         .operators = {"tile"},
         .selectors = kConfigurationsAndFormats,
         .baselines = {"csr-merge", "cusparse-csr", "cusparse-bsr"}},
        {.name = "peers",
         .summary =
             "28 generated matrices of 20 thousand to 62 million nonzeros, every operator of the GPU, dia and ell "
             "too, against the fastest form of cuSPARSE, summed up for fewer than 1, up to 6 and more million "
             "nonzeros; meshes are renumbered within windows of 512 nodes",
         .sources = kPeers,
         .more_operators = {"dia", "ell"},
         .baselines = {"cusparse"},
         .groups = {.middle = 1'000'000, .most = 6'000'000}},
        {.name = "unseen",
         .summary = "29 generated matrices that the benchmark set of `tilespmv tune` lacks, to check its models on",
         .sources = kUnseen,
         .baselines = {"cusparse"}},
        {.name = "trees",
         .summary = "no matrices, 50 sizes of vectors, to check the launch shapes by `tilespmv tune` on"},
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
