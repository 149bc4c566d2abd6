#include "kernels/operators/list.hpp"
#include "selector/auto/cost_table.hpp"

/// What `auto` knows of operators is in `choice.cpp` of their folders.
namespace tilespmv {

// Costs on a GPU.
//
// How near they are to what was measured: "auto" and "Rules and fitted models" in `bench/NOTES.md`. In float64 fitted
// by `bench/fit_auto.py` to every other one of 89 matrices; then those of csr-vector were searched for on 91 matrices
// by what is chosen, so that it wins where all take the time of a launch, those of strip, dia, csr-inode and ell on the
// 78 others, the launches of csr-merge and csr-vector on 267. In float32 searched for on 616
// matrices with sums in float64, by what is chosen, but for strip and dia, which are fitted to regular matrices with
// sums in float32; csr-merge costs what it does in float64. Those of float32 with sums in float32 (a 4
// at the end) start from them and are searched for on 768 matrices. In 16 bits strip and dia are fitted to regular
// matrices, csr-inode to one figure, renumbered FEM with 3 unknowns (87 us). Those of sell, of strip and dia in
// float64, and of dia and csr-inode in 16 bits were searched for again on 168 generated matrices, by what is chosen,
// with times that models had learned, and checked on 84 others and 55 real ones. Those of tile are not fitted: memory
// costs what its bandwidth says, and 5 us beside put it at 0.83 to 1.05 of what was measured on 16 x 16 blocks and on
// dense 4096 in float64, float32 and float16, but for 2 us in float32; of its preparation, the map for new values is
// guessed. Of dia the cost of a group of diagonals in the chain is set by what is chosen, in float64, of 915 matrices,
// and taken over to the others. Preparations are those of "Costs of preparation".
//
// Costs on a CPU.
//
// Of one thread of an EPYC, halved, fitted by `bench/fit_auto.py` to 111 matrices in the cache, small and middle ones
// apart (68 others were held out). Beyond the cache, in float64, to the geometric means of an EPYC and a Xeon on the
// 17 matrices of "On the CPU" in `bench/RESULTS.md`, of about 36 million nonzeros each, none of which was held out;
// those of strip-omp are not fitted: bytes cost it what they cost csr-omp, which puts it at 1.5 of csr-omp on grids,
// where 1.3 to 1.8 were measured. Those of tile-omp and hyb-omp in float64 and in the cache are 1.15 and 1.1 times
// what fits: mixed formats and a second pass gain less by many threads ("auto on a CPU" in `bench/RESULTS.md`). In
// float32 to 10 matrices of 7 to 18 million nonzeros. Preparation of tiles in float32 beyond the cache is that of
// float64.
//
// What operators cost more without AVX-512, where csr-omp takes about as long as with it, for matrices up to kNear,
// up to kCached, and larger ones. Those at which auto was not slower than csr-omp on a Xeon held to AVX2, with one
// thread on 96 matrices and with 12 on 62: 1 to 1.4 times the geometric means of measured over predicted times ("AVX2"
// in `bench/NOTES.md`).

#define TILESPMV_DECLARE(name) KnownOperator known_of_##name();
TILESPMV_FOR_EACH_OPERATOR(TILESPMV_DECLARE, TILESPMV_DECLARE, TILESPMV_DECLARE)

#define TILESPMV_LIST(name) known_of_##name(),
#define TILESPMV_SKIP(name)
std::span<const KnownOperator> known_operators(bool on_gpu) {
    static const std::vector<KnownOperator> gpu{
        TILESPMV_FOR_EACH_OPERATOR(TILESPMV_LIST, TILESPMV_SKIP, TILESPMV_LIST)};
    static const std::vector<KnownOperator> cpu{
        TILESPMV_FOR_EACH_OPERATOR(TILESPMV_SKIP, TILESPMV_LIST, TILESPMV_SKIP)};
    return on_gpu ? gpu : cpu;
}

}  // namespace tilespmv
