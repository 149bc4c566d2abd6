#include "kernels/auto/machine_ranking.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "kernels/cpu/vectors.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "tile/error.hpp"

namespace tilespmv {

template <Value V>
std::vector<RankedOperator> rank_all_operators(OperatorQuestion question) {
    for (const OperatorEntry& entry : operators<V>(question.gpu ? Backend::cuda : Backend::cpu)) {
        if (entry.predict == nullptr) continue;
        const std::optional<Prediction> said = entry.predict(question.features);
        if (!said) continue;
        const auto& [seconds, preparation, bytes] = *said;
        if (!std::isfinite(seconds) || !std::isfinite(preparation) || seconds < 0 || preparation < 0) {
            throw Error(fmt::format("operator '{}' predicts {} seconds for a product and {} for its preparation",
                                    entry.name, seconds, preparation));
        }
        question.registered.push_back({.specification = std::string(entry.name),
                                       .seconds = seconds,
                                       .preparation_seconds = preparation,
                                       .matrix_bytes = bytes});
    }
    return rank_operators(question);
}

template <Value V>
std::vector<RankedOperator> rank_on_this_machine(const PatternView& a, Backend backend, offset_t products) {
    OperatorQuestion question{.features = features_of(a),
                              .threads = omp_get_max_threads(),
                              .lanes = cpu::vector_lanes(),
                              .products = products};
    if (backend == Backend::cuda) question.gpu = cuda::this_gpu(a.value_bytes);
    return rank_all_operators<V>(std::move(question));
}

#define TILESPMV_INSTANTIATE(V)                                                   \
    template std::vector<RankedOperator> rank_all_operators<V>(OperatorQuestion); \
    template std::vector<RankedOperator> rank_on_this_machine<V>(const PatternView&, Backend, offset_t);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
