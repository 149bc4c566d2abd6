#include "kernels/auto/host_auto.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include <omp.h>

#include "kernels/auto/candidates_here.hpp"
#include "kernels/auto/trial.hpp"
#include "kernels/auto/trial_x.hpp"
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

template <Value V>
std::unique_ptr<Operator<V>> make_auto(const Source<V>& source, Options& options, const MakeContext& context) {
    static_cast<void>(context);
    const AutoOptions given = read_auto_options(options);
    const auto make = [&](const std::string& specification) { return make_operator<V>(specification, source); };
    if (source.find_csr() == nullptr) {
        if (given.is_tried) {
            options.fail("tune=trial times operators that are made from CSR, and there are only tiles or strips");
        }
        return make(std::string(operator_on_stored(source.find_strips() != nullptr ? Form::strips : Form::tiles)));
    }
    if (given.columns > 1) return make("csr-omp");
    const PatternView pattern = pattern_of(source.csr());
    const auto ranked = rank_for_auto({.features = features_of(pattern),
                                       .gpu = {},
                                       .threads = omp_get_max_threads(),
                                       .lanes = vector_lanes(),
                                       .products = given.products,
                                       .has_tiles = source.find_tiles() != nullptr},
                                      given, processor_name());
    if (!given.is_tried || source.nnz() == 0) {
        return make_or_next(ranked.front().specification, make, [&] { return ranked; });
    }
    const TuneKey key{pattern_hash(pattern), std::string(value_name<V>()),
                      std::string(accumulator_name(Accumulator::float64)), processor_name(), source.forms()};
    return make(
        fastest_by_trial(ranked, registered_operators<V>(Backend::cpu), given.products, TuneCache(given.cache), key,
                         [&](const std::string& specification) { return seconds_of_trial(*make(specification)); }));
}

template double seconds_of_trial(const Operator<double>&);
template double seconds_of_trial(const Operator<float>&);
template std::unique_ptr<Operator<double>> make_auto(const Source<double>&, Options&, const MakeContext&);
template std::unique_ptr<Operator<float>> make_auto(const Source<float>&, Options&, const MakeContext&);

}  // namespace tilespmv::cpu
