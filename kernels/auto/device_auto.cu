#include <cstddef>
#include <memory>
#include <string>

#include "kernels/auto/auto_options.hpp"
#include "kernels/auto/machine_ranking.hpp"
#include "kernels/auto/make_first.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/sampled_pattern.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "selector/auto/features_of.hpp"

namespace tilespmv::cuda {
namespace {

template <class V>
std::unique_ptr<Operator<V>> make_ranked(const std::string& specification, const Source<V>& source,
                                         const MakeContext& context) {
    Options options("operator", specification);
    const OperatorInfo<V>& info = find_operator<V>(Backend::cuda, specification);
    auto made = info.make_for_auto != nullptr ? info.make_for_auto(source, options, context) : nullptr;
    if (!made) made = info.make(source, options, context);
    made->set_specification(specification);
    return made;
}

/// Tiles that are there save little: full ones are made from CSR; of others plan, upload and the map for new values
/// take longer than a conversion. Of a matrix in device memory alone nothing is copied to the host here.
template <class V>
Source<V> candidates_source(const Source<V>& given) {
    const auto* const there = given.find_device_csr();
    if (there == nullptr) return Source<V>(given.csr()).with_selector("paper");
    if (given.is_on_host()) return Source<V>(given.csr(), *there).with_selector("paper");
    const auto arrays = there->arrays == DeviceArrays::by_operator ? DeviceArrays::copied : there->arrays;
    return given.with_selector("paper").with_device_arrays(arrays);
}

template <class V>
MatrixFeatures features_on(const Source<V>& source, Accumulator accumulator, const DeviceContext& on) {
    const std::size_t sum_bytes = accumulator_bytes(accumulator);
    if (source.is_on_host()) {
        PatternView pattern = pattern_of(source.pattern());
        pattern.sum_bytes = sum_bytes;
        return features_of(pattern);
    }
    SampledPattern<V> sampled(source, on);
    return features_of({.value_bytes = sizeof(V),
                        .sum_bytes = sum_bytes,
                        .rows = source.rows(),
                        .cols = source.cols(),
                        .nnz = source.nnz()},
                       sampled);
}

}  // namespace

/// The operator that `rank_operators` puts first for the current GPU, made from CSR in host memory; `tile` of full
/// tiles alone straight from CSR (`make_full_tile_operator`), else from tiles by the selector `paper`, whose first rule
/// makes full tiles dense, to which nothing is converted for another operator. It is told by its own name. Of a matrix
/// in device memory it has a copy, whatever it is.
template <class V>
std::unique_ptr<Operator<V>> make_auto_operator(const Source<V>& given, Options& options, const MakeContext& context) {
    const DeviceContext& on = *context.device;
    const AutoOptions read = read_auto_options(options);
    if (!given.preferred().empty()) return make_ranked(given.preferred(), given, context);
    const Source<V> source = candidates_source(given);
    if (read.columns > 1) {
        return make_ranked(specification_for_columns(Backend::cuda, source, read.columns), source, context);
    }
    const auto ranked = rank_all_operators<V>({.features = features_on(source, *context.accumulator, on),
                                               .gpu = this_gpu(sizeof(V)),
                                               .products = read.products});
    return make_first(ranked,
                      [&](const std::string& specification) { return make_ranked(specification, source, context); });
}

template <class V>
OperatorInfo<V> info_of_auto() {
    return on_device<V>({.name = "auto", .summary = kAutoSummary, .role = Role::chooser}, make_auto_operator<V>);
}

#define TILESPMV_INSTANTIATE(V) template OperatorInfo<V> info_of_auto();
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
