#include "bench/harness/suite.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tile/error.hpp"

namespace tilespmv::bench {

namespace {

using Names = std::vector<std::string_view>;

Names words(std::string_view text) {
    Names all;
    for (std::size_t at = 0; at < text.size(); at += all.back().size() + 1)
        all.push_back(text.substr(at, std::min(text.find(' ', at), text.size()) - at));
    return all;
}

// One matrix for each class, of the sizes that published figures for GPUs are given on.
const Names kGpuClasses = words(
    "gen:laplace2d:n=2048 gen:laplace3d:n=160 gen:stencil27:n=128 gen:fem:n=64,dof=3 gen:fem:n=40,dof=6 "
    "gen:banded:n=400000,half=25 gen:block-dense:n=400000,block=16,blocks_per_row=8 gen:rmat:scale=20,degree=16 "
    "gen:uniform:n=2000000,per_row=8 gen:dense:rows=4096,cols=4096 gen:laplace2d:n=256");

// Large enough for tiles of 8.7 bytes a nonzero to be larger than a cache of 260 MiB.
const Names kCpuClasses = words(
    "gen:laplace2d:n=2700 gen:laplace3d:n=174 gen:stencil27:n=111 gen:fem:n=54,dof=3 gen:fem:n=34,dof=6 "
    "gen:banded:n=710000,half=25 gen:block-dense:n=282000,block=16,blocks_per_row=8 "
    "gen:uniform:n=2250000,per_row=16 gen:rmat:scale=21,degree=18 gen:powerlaw:n=2250000,degree=16 "
    "gen:circuit:n=5800000 gen:delaunay:n=6000000 gen:rgg:n=2250000,degree=16 gen:road-like:n=2000,chain=2 "
    "gen:kkt:n=3300000 gen:qcd:n=16,nt=20 gen:dense:rows=6000,cols=6000");

// 4.2 nonzeros a row first, then from short rows to long ones.
const Names kRowLengths = words(
    "gen:circuit:n=1000000,near=1,far=0.6,rails=0 gen:road-like:n=700,chain=2 gen:laplace2d:n=1000 "
    "gen:delaunay:n=700000 gen:laplace3d:n=100 gen:uniform:n=500000,per_row=8 gen:powerlaw:n=500000,degree=16 "
    "gen:rgg:n=500000,degree=16 gen:rmat:scale=18,degree=16 gen:stencil27:n=64 gen:qcd:n=10,nt=16 "
    "gen:fem:n=32,dof=3 gen:banded:n=200000,half=25 gen:fem:n=20,dof=6 gen:dense:rows=2048,cols=2048");

// From even rows near the diagonal to hubs anywhere.
const Names kEvenToWebLike = words(
    "gen:banded:n=400000,half=8 gen:laplace2d:n=1500 gen:stencil27:n=80 gen:fem:n=40,dof=3 gen:delaunay:n=1500000 "
    "gen:kkt:n=1000000 gen:rgg:n=700000,degree=16 gen:uniform:n=700000,per_row=16 gen:circuit:n=2000000 "
    "gen:powerlaw:n=700000,degree=16 gen:rmat:scale=20,degree=12 gen:kronecker:scale=19,degree=10");

// What other libraries are compared on: grids and meshes from tiny to large, graphs, optimization, networks, extremes.
// Renumbered meshes trade numbers within windows of 512 nodes, which is what the generator can.
const Names kPeers = words(
    "gen:laplace2d:n=2048 gen:laplace2d:n=256 gen:laplace2d:n=64 gen:laplace3d:n=160 gen:stencil27:n=128 "
    "gen:fem:n=64,dof=3 gen:fem:n=12,dof=3 gen:fem:n=40,dof=6 gen:fem:n=64,dof=3,jitter=1 "
    "gen:fem:n=60,dof=1,jitter=1 gen:banded:n=400000,half=25 gen:block-dense:n=400000,block=16,blocks_per_row=8 "
    "gen:rmat:scale=20,degree=16 gen:rmat:scale=22,degree=8 gen:uniform:n=2000000,per_row=8 "
    "gen:road-like:n=700,chain=2 gen:powerlaw:n=300000,degree=16 gen:kronecker:scale=17,degree=10 "
    "gen:arrow:n=600000 gen:kkt:n=500000 gen:qcd:n=8 gen:delaunay:n=1500000 gen:rgg:n=700000,degree=16 "
    "gen:circuit:n=2000000 gen:hypersparse:n=10000000,nnz=1000000 gen:uniform:n=2000,cols=50000,per_row=200 "
    "gen:dense:rows=4096,cols=4096 gen:dense:rows=512,cols=512");

// Drawn at random, of 50,000 to 1.2 million nonzeros.
const Names kUnseenSmall = words(
    "gen:laplace2d:nx=680,ny=167 gen:laplace3d:nx=67,ny=54,nz=19 gen:stencil27:nx=21,ny=33,nz=20 "
    "gen:fem:dof=1,nx=19,ny=33,nz=17 gen:fem:jitter=0.02,dof=6,nx=5,ny=9,nz=12 gen:banded:n=127913,half=1 "
    "gen:block-dense:n=14228,block=6,blocks_per_row=6 gen:block-dense:n=30899,block=7,blocks_per_row=4 "
    "gen:dense:rows=93,cols=2027 gen:dense:rows=1152,cols=928 gen:uniform:n=9098,cols=334244,per_row=15 "
    "gen:uniform:n=6678,cols=8595,per_row=20 gen:uniform:n=8435,cols=119635,per_row=26 "
    "gen:uniform:n=298,cols=229415,per_row=370 gen:uniform:n=10975,cols=50219,per_row=10 "
    "gen:uniform:n=1865,cols=1613,per_row=380,spread=0.36 gen:uniform:n=8661,cols=1842,per_row=31,spread=0.57 "
    "gen:uniform:n=19794,cols=92771,per_row=10 gen:uniform:n=41321,cols=119074,per_row=6 "
    "gen:rmat:scale=15,degree=3,a=0.431,b=0.250,c=0.250 gen:rmat:scale=12,degree=14,a=0.490,b=0.224,c=0.224 "
    "gen:kronecker:scale=14,degree=21 gen:powerlaw:n=6652,degree=56,exponent=0.60 "
    "gen:powerlaw:n=20369,degree=3,exponent=0.71 gen:powerlaw:n=315067,degree=2,exponent=0.34 "
    "gen:circuit:n=22984,near=1,far=0.15,rails=0,fill=0.0017,reach=469 "
    "gen:circuit:n=178942,near=1,far=0.09,rails=0,fill=0.0098,reach=35 "
    "gen:circuit:n=14929,near=2,far=0.52,rails=0,fill=0.0145,reach=6 gen:road-like:n=73,chain=7 "
    "gen:delaunay:n=147948 gen:rgg:n=3539,degree=40 gen:rgg:n=55503,degree=20 "
    "gen:kkt:n=23779,m=18401,coupling=9,per_row=3,reach=206 gen:kkt:n=20648,m=20200,coupling=2,per_row=7,reach=138 "
    "gen:kkt:n=19873,m=17554,coupling=2,per_row=16,reach=159 gen:arrow:n=78473,width=1,half=1 "
    "gen:arrow:n=7277,width=10,half=2 gen:hypersparse:n=655178,nnz=97627 "
    "gen:web:n=54469,degree=7,exponent=0.62,site=445,near=0.99,run=4 "
    "gen:web:n=6766,degree=36,exponent=0.26,site=35,near=0.87,run=4 "
    "gen:pose-graph:n=1643,dof=4,closures=2.49,lap=233 gen:pose-graph:n=13808,dof=4,closures=0.30,lap=0 "
    "gen:volumes:n=20070,dof=2,jitter=0.92");

// Of many kinds, of more than 100,000 nonzeros.
const Names kUnseen = words(
    "gen:laplace2d:n=700 gen:laplace3d:n=60 gen:laplace3d:n=110 gen:stencil27:n=36 gen:stencil27:n=64 "
    "gen:fem:n=20,dof=3 gen:fem:n=18,dof=6 gen:fem:n=60,dof=1,jitter=1 gen:fem:n=24,dof=3,jitter=1 "
    "gen:elasticity:n=16 gen:banded:n=60000,half=12 gen:banded:n=700000,half=3 "
    "gen:block-dense:n=60000,block=16,blocks_per_row=8 gen:block-dense:n=80000,block=4,blocks_per_row=6 "
    "gen:qcd:n=6,nt=12 gen:uniform:n=300000,per_row=10 gen:uniform:n=40000,cols=400000,per_row=30 "
    "gen:rmat:scale=16,degree=12 gen:rmat:scale=19,degree=8 gen:kronecker:scale=17,degree=12 "
    "gen:powerlaw:n=200000,degree=10 gen:circuit:n=600000 gen:road-like:n=600,chain=3 gen:delaunay:n=300000 "
    "gen:rgg:n=250000,degree=12 gen:kkt:n=300000 gen:arrow:n=300000 gen:hypersparse:n=4000000,nnz=900000 "
    "gen:dense:rows=1600,cols=1600");

const Names kConfigurations = words("paper-csr paper-tuned paper-tuned-deferred bytes");
const Names kConfigurationsAndFormats = words(
    "paper-csr paper-adaptive paper-deferred paper-tuned paper-tuned-deferred only:dense only:coo only:csr only:ell "
    "only:hyb only:dense_row only:dense_col");
const Names kCompetitors = words("csr-merge cusparse-csr cusparse-bsr csr5");

}  // namespace

std::span<const Suite> suites() {
    static const std::vector<Suite> all{
        {.name = "cpu-classes",
         .summary = "one generated matrix of about 36 million nonzeros for each class of matrices",
         .sources = kCpuClasses,
         .is_for_gpu = false},
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
        {.name = "tilespmv",
         .summary =
             "tiles (tile, tile-warp) in the three published configurations, by the tuned rules and in every single "
             "format, against merge CSR, CSR5 and cuSPARSE CSR and BSR",
         .sources = kGpuClasses,
         .operators = {"tile", "tile-warp"},
         .selectors = kConfigurationsAndFormats,
         .baselines = kCompetitors},
        {.name = "paper",
         .summary = "no matrices of its own: the operators and selectors of `tilespmv` on those that are given",
         .operators = {"tile", "tile-warp"},
         .selectors = kConfigurationsAndFormats,
         .baselines = kCompetitors},
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
         .summary = "29 generated matrices of many kinds, to check choices on",
         .sources = kUnseen,
         .baselines = {"cusparse"}},
        {.name = "unseen-small",
         .summary = "43 random matrices of 50,000 to 1.2 million nonzeros, to check choices on",
         .sources = kUnseenSmall,
         .baselines = {"cusparse"}},
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
