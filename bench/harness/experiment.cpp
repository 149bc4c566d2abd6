#include "bench/harness/experiment.hpp"

#include <exception>
#include <limits>
#include <utility>

#include <omp.h>

#include "bench/harness/cuda_device.hpp"
#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tile/statistics.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::bench {
namespace {

template <Value V>
void describe(Result& result, const CsrMatrix<V>& a, double row_variation, Device& device) {
    result.rows = a.rows;
    result.cols = a.cols;
    result.nnz = a.nnz();
    result.row_variation = row_variation;
    result.value_bytes = sizeof(V);
    result.cache_bytes = device.cache_bytes();
    result.bandwidth = device.bandwidth();
}

template <Value V>
std::vector<Contender> make_contenders(const Experiment<V>& experiment, Device& device) {
    std::vector<Contender> contenders;
    for (const Candidate<V>& candidate : experiment.candidates) {
        Contender c{.result = {}, .build = {}, .device = &device};
        c.result.id = case_id(experiment.matrix, candidate, device);
        c.result.columns = candidate.kind.columns;
        contenders.push_back(std::move(c));
    }
    return contenders;
}

template <Value V>
ExpectedProduct expected_of(const CsrMatrix<V>& a, const ProductKind& kind, std::span<const V> x) {
    if (!kind.is_transposed) return expected_product<V>(a, 1, kind.block(x), 0, {});
    return expected_product<V>(transposed(a).matrix, 1, kind.block(x), 0, {});
}

template <Value V>
void load_and_run(const Experiment<V>& experiment, std::span<Contender> contenders, const MeasureOptions& options,
                  Device& device) {
    options.progress("loading");
    const CsrMatrix<V> a = experiment.load();
    const ProductKind kind = experiment.candidates.empty() ? ProductKind{} : experiment.candidates.front().kind;
    const offset_t x_size = offset_t{kind.x_rows(a.rows, a.cols)} * kind.columns;
    if (x_size > std::numeric_limits<index_t>::max())
        throw Error("x has more values than can be measured; give fewer --columns");
    const Buffer<V> x = make_x<V>(static_cast<index_t>(x_size));
    const std::span<const V> x_span(x.data(), x.size());
    options.progress("computing the expected product");
    const ExpectedProduct expected = expected_of<V>(a, kind, x_span);
    std::vector<double> scales;
    if (needs_chain_scales(options, a.rows, a.cols)) scales = chain_scales<V>(a, x_span);
    const double row_variation = matrix_statistics(a).row_length.variation;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        describe(contenders[i].result, a, row_variation, device);
        contenders[i].build = experiment.candidates[i].bind(a, x_span);
    }
    run_contest(contenders, expected, scales, options);
    for (Contender& c : contenders) {  // they refer to `a` and `x`
        c.product = nullptr;
        c.build = nullptr;
    }
}

}  // namespace

template <Value V>
Candidate<V> make_candidate(Device& device, const std::string& specification, const std::string& selector,
                            std::optional<Accumulator> accumulator, const ProductKind& kind) {
    const auto chosen = choose_operator<V>(device.backend(), specification, accumulator);
    const Accumulator sums = chosen.accumulator;
    Candidate<V> candidate{specification, chosen.made_from == Form::tiles ? selector : "", sums, {}, kind};
    candidate.bind = [=, &device](const CsrMatrix<V>& a, std::span<const V> x) {
        return device.backend() == Backend::cpu
                   ? host_product_builder(chosen, selector, a, x, kind)
                   : cuda_product_builder(device, specification, selector, sums, a, x, kind);
    };
    return candidate;
}

template <Value V>
std::vector<Result> measure(const Experiment<V>& experiment, const MeasureOptions& options, Device& device) {
    std::vector<Contender> contenders = make_contenders(experiment, device);
    try {
        load_and_run<V>(experiment, contenders, options, device);
    } catch (const std::exception& error) {
        for (Contender& c : contenders) c.fail(Status::failed, error.what());
    }
    std::vector<Result> results;
    for (Contender& c : contenders) results.push_back(std::move(c.result));
    return results;
}

template <Value V>
CaseId case_id(const std::string& matrix, const Candidate<V>& candidate, const Device& device) {
    return {.matrix = escaped(matrix),
            .operator_name = candidate.operator_name,
            .selector = candidate.selector,
            .values = std::string(value_name<V>()),
            .accumulator = std::string(accumulator_name(candidate.accumulator)),
            .device = std::string(device.name()),
            .threads = omp_get_max_threads(),
            .vectors = candidate.kind.text()};
}

#define TILESPMV_INSTANTIATE(V)                                                                                       \
    template Candidate<V> make_candidate(Device&, const std::string&, const std::string&, std::optional<Accumulator>, \
                                         const ProductKind&);                                                         \
    template std::vector<Result> measure(const Experiment<V>&, const MeasureOptions&, Device&);                       \
    template CaseId case_id(const std::string&, const Candidate<V>&, const Device&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
