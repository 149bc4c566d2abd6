#include "kernels/auto/host_auto.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include <omp.h>

#include "kernels/auto/auto_options.hpp"
#include "kernels/auto/make_first.hpp"
#include "kernels/auto/trial.hpp"
#include "kernels/auto/trial_x.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/cpu/vectors.hpp"

namespace tilespmv::cpu {

template <Value V>
double seconds_of_trial(const Operator<V>& op) {
    constexpr int runs = 10;
    const Buffer<V> x = trial_x<V>(op.cols());
    std::vector<V> y(static_cast<std::size_t>(op.rows()));
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        op.apply(V{1}, x, V{0}, y);
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (i > 0) least = std::min(least, took.count());
    }
    return least;
}

/// The operator that `rank_operators` puts first, of the CSR form; for several columns at once `csr-omp`, which alone
/// has a vector lane for each. It is told by its own name. Where that needs tiles it takes those of the source. Of
/// tiles alone it is tile-omp, of strips alone strip-omp: to unpack them costs more than another operator could save; a
/// trial of those is refused.
template <Value V>
std::unique_ptr<Operator<V>> make_auto(const Source<V>& source, Options& options, const MakeContext& context) {
    static_cast<void>(context);
    const AutoOptions given = read_auto_options(options);
    const auto make = [&](const std::string& specification) { return make_operator<V>(specification, source); };
    if (source.find_csr() == nullptr) {
        if (given.is_tried) {
            options.fail("tune=trial times operators that are made from CSR, and there are only tiles or strips");
        }
        return make(
            std::string(operator_on<V>(Backend::cpu, source.find_strips() != nullptr ? Form::strips : Form::tiles)));
    }
    if (given.columns > 1) return make(specification_for_columns(Backend::cpu, source, given.columns));
    const PatternView pattern = pattern_of(source.csr());
    const auto ranked = rank_operators({.features = features_of(pattern),
                                        .gpu = {},
                                        .threads = omp_get_max_threads(),
                                        .lanes = vector_lanes(),
                                        .products = given.products,
                                        .has_tiles = source.find_tiles() != nullptr});
    if (!given.is_tried || source.nnz() == 0) {
        return make_first(ranked, make);
    }
    const TuneKey key{pattern_hash(pattern), std::string(value_name<V>()),
                      std::string(accumulator_name(Accumulator::float64)), processor_name(), source.forms()};
    return make(
        fastest_by_trial(ranked, registered_operators<V>(Backend::cpu), given.products, TuneCache(given.cache), key,
                         [&](const std::string& specification) { return seconds_of_trial(*make(specification)); }));
}

template <class V>
OperatorInfo<V> info_of_auto() {
    return {{.name = "auto",
             .summary = kAutoSummary,
             .new_values = NewValues::always,
             .takes_16_bit_values = false,
             .role = Role::chooser},
            make_auto<V>};
}

template double seconds_of_trial(const Operator<double>&);
template double seconds_of_trial(const Operator<float>&);
template OperatorInfo<double> info_of_auto();
template OperatorInfo<float> info_of_auto();

}  // namespace tilespmv::cpu
