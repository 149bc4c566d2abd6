#include "kernels/auto/machine_ranking.hpp"

#include <omp.h>

#include "kernels/cpu/vectors.hpp"
#include "kernels/cuda/this_gpu.hpp"

namespace tilespmv {

std::vector<RankedOperator> rank_on_this_machine(const PatternView& a, Backend backend, offset_t products) {
    OperatorQuestion question{.features = features_of(a),
                              .threads = omp_get_max_threads(),
                              .lanes = cpu::vector_lanes(),
                              .products = products};
    if (backend == Backend::cuda) question.gpu = cuda::this_gpu(a.value_bytes);
    return rank_operators(question);
}

}  // namespace tilespmv
