#include "kernels/auto/device_auto.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "kernels/auto/candidate_forms.hpp"
#include "kernels/auto/candidates_here.hpp"
#include "kernels/auto/forms_name.hpp"
#include "kernels/auto/trial.hpp"
#include "kernels/auto/trial_x.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/sent_arrays.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_probe.hpp"
#include "kernels/tile/full_tile_operator.hpp"

namespace tilespmv::cuda {
namespace {

/// Nonzeros up to which columns and values are copied while an operator is chosen: all of them need at least one of
/// both. Of larger matrices all threads copy when it is, and sooner than the one that has time before.
constexpr offset_t kMostSent = 400'000;

template <class V>
std::unique_ptr<DeviceOperator<V>> make_ranked(const std::string& specification, CandidateForms<V>& forms,
                                               Accumulator accumulator, const DeviceContext& on) {
    Options options("operator", specification);
    const OperatorInfo<V>& info = find_operator<V>(Backend::cuda, specification);
    auto made = info.name == "tile" ? make_full_tile_operator(forms.csr(), accumulator, on) : nullptr;
    if (!made) made = info.make_on_device(forms.of(info.made_from), options, accumulator, on);
    made->set_specification(specification);
    return made;
}

template <class T>
std::span<const std::byte> bytes_of(const Buffer<T>& array) {
    return std::as_bytes(std::span<const T>(array.data(), array.size()));
}

/// The least mean of some batches of products, back to back, after one batch that warms up.
template <class V>
double seconds_of_product(const DeviceOperator<V>& op, const DeviceContext& on) {
    constexpr int batches = 4;
    constexpr int products = 10;
    const Buffer<V> host_x = trial_x<V>(op.cols());
    const DeviceBuffer<V> x(host_x, on);
    DeviceBuffer<V> y(static_cast<std::size_t>(op.rows()), on);
    Event start;
    Event end;
    double least = std::numeric_limits<double>::infinity();
    for (int batch = 0; batch <= batches; ++batch) {
        start.record(on.stream);
        for (int i = 0; i < products; ++i) op.apply(1, x.span(), 0, y.span(), on.stream);
        end.record(on.stream);
        end.synchronize();
        const double took = end.seconds_since(start) / products;
        if (batch > 0) least = std::min(least, took);
    }
    return least;
}

/// Asked for once: all properties of a device take long.
const std::string& device_name() {
    thread_local std::map<int, std::string> names;
    int device = 0;
    TILESPMV_CUDA(cudaGetDevice(&device));
    const auto known = names.find(device);
    return known != names.end() ? known->second : names[device] = require_device().name;
}

}  // namespace

template <class V>
std::unique_ptr<DeviceOperator<V>> make_auto_operator(const MatrixForms<V>& given, Options& options,
                                                      Accumulator accumulator, const DeviceContext& on) {
    const AutoOptions read = read_auto_options(options);
    CandidateForms<V> forms(given);
    const CsrMatrix<V>& csr = forms.csr();
    PatternView pattern = pattern_of(csr);
    pattern.sum_bytes = accumulator_bytes(accumulator);
    std::optional<SentArrays> sent;
    DeviceContext with_sent = on;
    if (!read.is_tried && pattern.nnz() <= kMostSent) {  // a trial makes several operators, each with its own copies
        with_sent.sent = &sent.emplace(std::vector{bytes_of(csr.col_idxs), bytes_of(csr.values)}, on);
    }
    // Tiles that are there save little: full ones are made from CSR; of others plan, upload and the map for new values
    // take longer than a conversion.
    OperatorQuestion question{.features = {}, .gpu = gpu_to_choose_for(sizeof(V)), .products = read.products};
    const auto rank = [&] {
        question.features = features_of(pattern);
        return rank_for_auto(question, read, device_name());
    };
    if (!read.is_tried || pattern.nnz() == 0) {
        const auto make = [&](const std::string& specification) {
            return make_ranked(specification, forms, accumulator, with_sent);
        };
        return make_or_next(choose_for_auto(pattern, question, read, device_name()), make, rank);
    }
    const auto ranked = rank();
    const TuneKey key{pattern_hash(pattern), std::string(value_name<V>()), std::string(accumulator_name(accumulator)),
                      require_device().name, forms_name(given)};
    const auto seconds_of = [&](const std::string& specification) {
        const auto made = make_ranked(specification, forms, accumulator, on);
        made->make_own_workspace(on);
        return seconds_of_product(*made, on);
    };
    return make_ranked(fastest_by_trial(ranked, registered_operators<V>(Backend::cuda), read.products,
                                        TuneCache(read.cache), key, seconds_of),
                       forms, accumulator, on);
}

#define TILESPMV_INSTANTIATE(V)                                                                                  \
    template std::unique_ptr<DeviceOperator<V>> make_auto_operator(const MatrixForms<V>&, Options&, Accumulator, \
                                                                   const DeviceContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::cuda
