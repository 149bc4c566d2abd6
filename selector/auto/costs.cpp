#include "selector/auto/costs.hpp"

#include <array>

namespace tilespmv {
namespace {

/// How near they are to what was measured: "auto" and "Models of `tune`" in `bench/NOTES.md`. In float64 fitted by
/// `bench/fit_auto.py` to every other one of 89 matrices; then those of csr-vector were searched for on 91 matrices by
/// what is chosen, so that it wins where all take the time of a launch, those of strip, dia, csr-inode and ell on the
/// 78 matrices that `tilespmv tune` had, those of sell and the launches of csr16, csr-merge, csr-adaptive and
/// csr-vector on the 192 of its set `short` and 75 others, and two of sell on its set `full`. In float32 searched for
/// on 616 matrices with sums in float64, by what is chosen, but for strip and dia, which are fitted to regular matrices
/// with sums in float32; csr-merge and csr-adaptive cost what they do in float64. Those of float32 with sums in float32
/// (a 4 at the end) start from them and are searched for on 768 matrices, by what rules and models with rules choose.
/// In 16 bits strip and dia are fitted to regular matrices, csr-inode to one figure, renumbered FEM with 3 unknowns (87
/// us). Those of tile are not fitted: memory costs what its bandwidth says, and 5 us beside put it at 0.83 to 1.05 of
/// what was measured on 16 x 16 blocks and on dense 4096 in float64, float32 and float16, but for 2 us in float32; of
/// its preparation, the map for new values is guessed. Of dia the cost of a group of diagonals in the chain is set by
/// what is chosen, in float64, of 915 matrices, and taken over to the others. Preparations are those of "Costs of
/// preparation".
constexpr std::array kGpuCosts{
    Cost{"csr16", 8, {3.5e-7, 0.86, 4.0e-13, 5.5e-12, 1.9e-12, 5.8e-8}, {8.3e-5, 4.5e-10, 1.6e-9, 0}},
    Cost{"csr16", 4, {3.2e-7, 1.10, 4.0e-13, 4.8e-12, 1.9e-12, 4.8e-8}, {8.3e-5, 3.6e-10, 1.5e-9, 0}},
    Cost{"csr16", 4, {3.3e-7, 0.89, 4e-13, 4.8e-12, 1.8e-12, 3e-8}, {8.3e-5, 3.6e-10, 1.5e-9, 0}, 4},
    Cost{"strip", 8, {4.0e-7, 0.80, 4.0e-13, 2.2e-12, 0, 9.0e-7}, {4e-4, 4.2e-10, 6e-10, 0}},
    Cost{"strip", 4, {2.0e-7, 0.78, 4.2e-13, 1.0e-12, 0, 1.6e-6}, {4e-4, 3.4e-10, 6e-10, 0}},
    Cost{"strip", 4, {1.2e-7, 0.73, 4.6e-13, 9e-13, 0, 1.5e-6}, {4e-4, 3.4e-10, 6e-10, 0}, 4},
    Cost{"strip", 2, {2.0e-7, 1.99, 0, 1.0e-12, 0, 2.76e-6}, {4e-4, 3.0e-10, 6e-10, 0}},
    Cost{"tile", 8, {5.0e-6, 1.00, 0, 4.0e-12, 0, 0}, {9e-4, 4.0e-9, 0, 0}},
    Cost{"tile", 4, {2.0e-6, 1.00, 0, 4.0e-12, 0, 0}, {9e-4, 4.0e-9, 0, 0}, 4},
    Cost{"sell", 8, {2.8e-7, 1.02, 0, 4.1e-12, 3.0e-12, 1.2e-6}, {2e-4, 3e-10, 1.2e-9, 0}},
    Cost{"sell", 4, {3.3e-7, 1.00, 0, 3.9e-12, 1.9e-12, 1.3e-6}, {2e-4, 2.2e-10, 1.2e-9, 0}},
    Cost{"sell", 4, {3.3e-7, 1.00, 0, 3.7e-12, 1.8e-12, 1.3e-6}, {2e-4, 2.2e-10, 1.2e-9, 0}, 4},
    Cost{"csr-merge", 8, {3.3e-7, 0.86, 5.2e-13, 5.3e-12, 2.2e-12, 1.0e-7}, {4.4e-5, 2.6e-10, 2e-10, 0}},
    Cost{"csr-merge", 4, {8.4e-7, 0.70, 5.2e-13, 4.2e-12, 2.2e-12, 1e-7}, {4.4e-5, 1.8e-10, 2e-10, 0}, 4},
    Cost{"csr-adaptive", 8, {3.6e-7, 0.86, 3.9e-13, 5.2e-12, 1.9e-12, 5.2e-8}, {5.8e-5, 2.8e-10, 1.05e-9, 0}},
    Cost{"csr-adaptive", 4, {6.1e-7, 0.95, 3.9e-13, 4.2e-12, 3e-12, 3.1e-8}, {5.8e-5, 2e-10, 1.05e-9, 0}, 4},
    Cost{"csr-vector", 8, {1.7e-7, 0.99, 0, 4.5e-12, 5.1e-12, 5e-8}, {6.6e-5, 2.6e-10, 3e-10, 0}},
    Cost{"csr-vector", 4, {1.7e-7, 0.99, 0, 4.5e-12, 5.5e-12, 4.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}},
    Cost{"csr-vector", 4, {1.7e-7, 0.99, 0, 5.9e-12, 4.5e-12, 4.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}, 4},
    Cost{"csr-scalar", 8, {1.0e-7, 0.90, 0, 4.5e-12, 0, 3e-8}, {6.6e-5, 2.6e-10, 3e-10, 0}},
    Cost{"csr-scalar", 4, {2.5e-7, 0.50, 0, 6.8e-12, 0, 2.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}},
    Cost{"csr-scalar", 4, {2.4e-7, 0.50, 0, 7.5e-12, 0, 1.6e-8}, {6.6e-5, 1.8e-10, 3e-10, 0}, 4},
    Cost{"csr-inode", 8, {2.0e-7, 1.08, 0, 4.8e-12, 2.8e-11, 0}, {8e-5, 5e-10, 7e-9, 0}},
    Cost{"csr-inode", 4, {1.5e-7, 1.10, 0, 6.4e-12, 2.8e-11, 0}, {8e-5, 3e-10, 7e-9, 0}},
    Cost{"csr-inode", 4, {1.6e-7, 1.10, 0, 8e-12, 2.8e-11, 0}, {8e-5, 3e-10, 7e-9, 0}, 4},
    Cost{"csr-inode", 2, {2.0e-7, 1.50, 0, 4.8e-12, 2.8e-11, 0}, {8e-5, 3e-10, 7e-9, 0}},
    Cost{"ell", 8, {3.0e-7, 1.00, 0, 2.35e-12, 0, 5e-8}, {2e-4, 3.0e-10, 2.5e-9, 0}},
    Cost{"ell", 4, {7.9e-8, 2.40, 0, 1.8e-12, 0, 2.4e-8}, {2e-4, 2.2e-10, 2.5e-9, 0}},
    Cost{"ell", 4, {7.5e-8, 2.40, 0, 1.1e-12, 0, 2.6e-8}, {2e-4, 2.2e-10, 2.5e-9, 0}, 4},
    Cost{"dia", 8, {5e-8, 0.82, 0, 0, 3.0e-12, 1.25e-7}, {3e-4, 6.0e-10, 9e-10, 0}},
    Cost{"dia", 4, {5e-8, 0.92, 0, 0, 2.3e-12, 1.25e-7}, {3e-4, 5.2e-10, 9e-10, 0}},
    Cost{"dia", 4, {5e-8, 0.91, 0, 0, 2.0e-12, 1.25e-7}, {3e-4, 5.2e-10, 9e-10, 0}, 4},
    Cost{"dia", 2, {5e-8, 0.20, 0, 0, 5.7e-12, 1.25e-7}, {3e-4, 4.8e-10, 9e-10, 0}},
};

/// Of one thread of an EPYC, halved, fitted by `bench/fit_auto.py` to 111 matrices in the cache, small and middle ones
/// apart (68 others were held out). Beyond the cache, in float64, to the geometric means of an EPYC and a Xeon on the
/// 17 matrices of "On the CPU" in `bench/RESULTS.md`, of about 36 million nonzeros each, none of which was held out;
/// those of strip-omp are not fitted: bytes cost it what they cost csr-omp, which puts it at 1.5 of csr-omp on grids,
/// where 1.3 to 1.8 were measured. Those of tile-omp and hyb-omp in float64 and in the cache are 1.15 and 1.1 times
/// what fits: mixed formats and a second pass gain less by many threads ("auto on a CPU" in `bench/RESULTS.md`). In
/// float32 to 10 matrices of 7 to 18 million nonzeros. Preparation of tiles in float32 beyond the cache is that of
/// float64.
constexpr std::array kCpuCosts{
    Cost{"csr-omp", 8, {0, 0, 2.6e-10, 3.3e-11, 1.1e-9, 0}, {2.1e-5, 2.1e-11, 2.6e-10, 0}, 8, kNear},
    Cost{"csr-omp", 8, {0, 1.3e-11, 1.1e-10, 3.6e-11, 1.1e-9, 0}, {2.6e-5, 0, 3.5e-10, 0}, 8, kCached},
    Cost{"csr-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 1.62e-9, 0}, {1e-5, 0, 1e-10, 0}},
    Cost{"csr-omp", 4, {0, 0, 3e-10, 6.2e-11, 1e-9, 0}, {2.1e-5, 3.5e-12, 2.1e-10, 0}, 8, kNear},
    Cost{"csr-omp", 4, {0, 4e-11, 0, 5.1e-11, 4.3e-10, 0}, {2.9e-5, 0, 2.5e-10, 0}, 8, kCached},
    Cost{"csr-omp", 4, {0, 4.6e-11, 0, 1.7e-10, 8.7e-10, 0}, {1e-5, 0, 2.3e-10, 0}},
    Cost{"strip-omp", 8, {0, 2.7e-12, 4.8e-11, 0, 9.5e-10, 0}, {2e-5, 1.8e-9, 0, 0}, 8, kNear},
    Cost{"strip-omp", 8, {0, 7.4e-12, 3.3e-11, 0, 0, 0}, {0, 2.1e-9, 0, 0}, 8, kCached},
    Cost{"strip-omp", 8, {0, 2.50e-11, 0, 5.6e-10, 4.0e-10, 0}, {1e-5, 3.0e-9, 0, 0}},
    Cost{"strip-omp", 4, {0, 6.1e-12, 4e-11, 3.8e-11, 5.3e-10, 0}, {2.1e-5, 1.7e-9, 0, 0}, 8, kNear},
    Cost{"strip-omp", 4, {0, 7.8e-12, 4.2e-11, 0, 0, 0}, {0, 1.7e-9, 0, 0}, 8, kCached},
    Cost{"strip-omp", 4, {0, 0, 1.1e-10, 7.4e-10, 0, 0}, {1e-5, 1.8e-9, 0, 0}},
    Cost{"tile-omp", 8, {0, 5.5e-12, 1.0e-10, 1.02e-10, 2.65e-9, 0}, {3e-5, 9.7e-10, 2.8e-9, 4.7e-8}, 8, kNear},
    Cost{"tile-omp", 8, {0, 7.4e-12, 7.4e-11, 3.3e-11, 3.3e-9, 0}, {0, 1.8e-9, 2.1e-10, 4.5e-8}, 8, kCached},
    Cost{"tile-omp", 8, {0, 2.27e-11, 0, 5.4e-10, 1.84e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
    Cost{"tile-omp", 4, {0, 5.4e-12, 1.1e-10, 1.5e-10, 1.9e-9, 0}, {3.3e-5, 1e-9, 2.9e-9, 4.1e-8}, 8, kNear},
    Cost{"tile-omp", 4, {0, 5.3e-12, 8.9e-11, 1.2e-10, 2.3e-9, 0}, {0.00044, 1.1e-9, 1.6e-9, 4e-8}, 8, kCached},
    Cost{"tile-omp", 4, {0, 2.0e-12, 0, 1.7e-9, 1.6e-9, 0}, {1e-5, 2.2e-9, 3.3e-8, 8.4e-9}},
    Cost{"dia-omp", 8, {0, 7e-12, 1.3e-11, 0, 6.4e-11, 0}, {0, 2.2e-9, 0, 0}, 8, kNear},
    Cost{"dia-omp", 8, {0, 0, 1e-10, 0, 2.9e-10, 0}, {0, 2.5e-9, 0, 0}, 8, kCached},
    Cost{"dia-omp", 4, {0, 1.1e-11, 1.6e-13, 0, 1.2e-10, 0}, {5e-7, 1.8e-9, 1.6e-9, 0}, 8, kNear},
    Cost{"dia-omp", 4, {0, 6.3e-12, 2.8e-11, 0, 2.1e-10, 0}, {0, 2e-9, 2.2e-9, 0}, 8, kCached},
    Cost{"ell-omp", 8, {0, 7.2e-12, 1.7e-10, 3.1e-11, 0, 1e-9}, {0, 3.3e-10, 2.4e-10, 0}, 8, kNear},
    Cost{"ell-omp", 8, {0, 0, 3.2e-10, 0, 0, 0}, {0, 6e-10, 0, 0}, 8, kCached},
    Cost{"ell-omp", 4, {0, 1.7e-11, 5.9e-11, 1.6e-11, 0, 1.8e-10}, {0, 3.2e-10, 2.6e-10, 0}, 8, kNear},
    Cost{"ell-omp", 4, {0, 2.4e-11, 3.4e-11, 8.9e-11, 0, 2.8e-7}, {0, 4.9e-10, 2.9e-10, 0}, 8, kCached},
    Cost{"hyb-omp", 8, {0, 1.87e-11, 5.3e-11, 2.5e-11, 0, 0}, {0, 3.4e-10, 1.6e-9, 0}, 8, kNear},
    Cost{"hyb-omp", 8, {0, 2.3e-11, 7.4e-11, 0, 6.6e-11, 0}, {0, 6.2e-10, 2e-9, 0}, 8, kCached},
    Cost{"hyb-omp", 4, {0, 1.2e-11, 1.1e-10, 1.1e-11, 1.5e-10, 0}, {0, 3.9e-10, 2.3e-9, 0}, 8, kNear},
    Cost{"hyb-omp", 4, {0, 0, 2.4e-10, 6.6e-11, 3.1e-10, 0}, {0, 6.8e-10, 2.1e-9, 0}, 8, kCached},
};

/// What operators cost more without AVX-512, where csr-omp takes about as long as with it, for matrices up to kNear,
/// up to kCached, and larger ones. Those at which auto was not slower than csr-omp on a Xeon held to AVX2, with one
/// thread on 96 matrices and with 12 on 62: 1 to 1.4 times the geometric means of measured over predicted times ("AVX2"
/// in `bench/NOTES.md`).
struct NarrowFactor {
    std::string_view name;
    double near;
    double cached;
    double beyond;
};
constexpr std::array kNarrowFactors{NarrowFactor{"strip-omp", 1.5, 1.9, 1.0}, NarrowFactor{"tile-omp", 2.6, 2.6, 1.9},
                                    NarrowFactor{"dia-omp", 2.8, 3.5, 3.5}, NarrowFactor{"ell-omp", 1.5, 2.0, 2.0},
                                    NarrowFactor{"hyb-omp", 1.5, 1.7, 1.7}};

constexpr auto kNarrowCpuCosts = [] {
    auto costs = kCpuCosts;
    for (Cost& cost : costs) {
        for (const NarrowFactor& factor : kNarrowFactors) {
            if (factor.name != cost.name) continue;
            const double by = cost.most_bytes <= kNear     ? factor.near
                              : cost.most_bytes <= kCached ? factor.cached
                                                           : factor.beyond;
            for (double& seconds : cost.seconds) seconds *= by;
        }
    }
    return costs;
}();

}  // namespace

std::span<const Cost> gpu_operator_costs() { return kGpuCosts; }
std::span<const Cost> cpu_operator_costs() { return kCpuCosts; }
std::span<const Cost> narrow_cpu_operator_costs() { return kNarrowCpuCosts; }

}  // namespace tilespmv
