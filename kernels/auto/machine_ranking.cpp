#include "kernels/auto/machine_ranking.hpp"

#include <omp.h>

#include "kernels/cpu/processor.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/this_probe.hpp"

namespace tilespmv {

std::vector<RankedOperator> rank_on_this_machine(const PatternView& a, Backend backend, const AutoOptions& options) {
    OperatorQuestion question{.features = features_of(a),
                              .threads = omp_get_max_threads(),
                              .lanes = cpu::vector_lanes(),
                              .products = options.products};
    if (backend == Backend::cpu) return rank_for_auto(question, options, cpu::processor_name());
    const auto device = cuda::require_device();
    question.gpu = cuda::gpu_to_choose_for(a.value_bytes);
    return rank_for_auto(question, options, device.name);
}

}  // namespace tilespmv
