#include "kernels/auto/host_auto.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <vector>

#include <omp.h>

#include "kernels/auto/candidates_here.hpp"
#include "kernels/auto/forms_name.hpp"
#include "kernels/auto/trial.hpp"
#include "kernels/auto/trial_x.hpp"
#include "kernels/cpu/host_operator.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/cpu/vectors.hpp"
#include "selector/policy.hpp"

namespace tilespmv::cpu {
namespace {

/// An operator on tiles that nobody else has.
template <Value V>
class Converted final : public HostOperator<V> {
public:
    Converted(const std::string& specification, const CsrMatrix<V>& a)
        : tiles_(convert(a, *make_policy(kDefaultSelector))), operator_(make_operator<V>(specification, {&tiles_})) {
        this->set_facts(operator_->facts());
    }

    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return operator_->executed(); }
    void multiply(V alpha, std::span<const V> x, V beta, std::span<V> y) const override {
        operator_->apply(alpha, x, beta, y);
    }
    bool take_new_values(const CsrMatrix<V>& a) override {
        if (!map_) map_.emplace(a, tiles_);
        map_->update(tiles_, std::span<const V>(a.values.begin(), a.values.end()));
        return true;
    }

private:
    TileMatrix<V> tiles_;
    std::optional<ValueMap> map_;  ///< made when there are new values first
    std::unique_ptr<Operator<V>> operator_;
};

}  // namespace

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
std::unique_ptr<Operator<V>> make_converting(const std::string& specification, const MatrixForms<V>& forms) {
    const bool needs_tiles = find_operator<V>(Backend::cpu, specification).made_from == Form::tiles;
    if (needs_tiles && forms.template find<TileMatrix<V>>() == nullptr) {
        auto made = std::make_unique<Converted<V>>(specification, forms.csr());
        made->set_specification(specification);
        return made;
    }
    return make_operator<V>(specification, forms);
}

template <Value V>
std::unique_ptr<Operator<V>> make_auto(const MatrixForms<V>& forms, Options& options) {
    const AutoOptions given = read_auto_options(options);
    const auto* const csr = forms.template find<CsrMatrix<V>>();
    if (csr == nullptr) {
        if (given.is_tried) {
            options.fail("tune=trial times operators that are made from CSR, and there are only tiles or strips");
        }
        const bool has_strips = forms.template find<StripMatrix<V>>() != nullptr;
        return make_operator<V>(std::string(operator_on_stored(has_strips ? Form::strips : Form::tiles)), forms);
    }
    const auto ranked = rank_for_auto({.features = features_of(pattern_of(*csr)),
                                       .gpu = {},
                                       .threads = omp_get_max_threads(),
                                       .lanes = vector_lanes(),
                                       .products = given.products,
                                       .has_tiles = forms.template find<TileMatrix<V>>() != nullptr},
                                      given, processor_name());
    const auto make = [&](const std::string& specification) { return make_converting(specification, forms); };
    if (!given.is_tried || csr->nnz() == 0) {
        return make_or_next(ranked.front().specification, make, [&] { return ranked; });
    }
    const TuneKey key{pattern_hash(pattern_of(*csr)), std::string(value_name<V>()),
                      std::string(accumulator_name(Accumulator::float64)), processor_name(), forms_name(forms)};
    return make(
        fastest_by_trial(ranked, registered_operators<V>(Backend::cpu), given.products, TuneCache(given.cache), key,
                         [&](const std::string& specification) { return seconds_of_trial(*make(specification)); }));
}

template std::unique_ptr<Operator<double>> make_converting(const std::string&, const MatrixForms<double>&);
template std::unique_ptr<Operator<float>> make_converting(const std::string&, const MatrixForms<float>&);
template double seconds_of_trial(const Operator<double>&);
template double seconds_of_trial(const Operator<float>&);
template std::unique_ptr<Operator<double>> make_auto(const MatrixForms<double>&, Options&);
template std::unique_ptr<Operator<float>> make_auto(const MatrixForms<float>&, Options&);

}  // namespace tilespmv::cpu
