#include <omp.h>

#include "kernels/auto/auto_options.hpp"
#include "kernels/auto/machine_ranking.hpp"
#include "kernels/auto/make_first.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cpu/vectors.hpp"
#include "selector/auto/features_of.hpp"

namespace tilespmv::cpu {

/// The operator that `rank_operators` puts first, of the CSR form; for several columns at once `csr-omp`, which alone
/// has a vector lane for each. It is told by its own name. Where that needs tiles it takes those of the source. Of
/// tiles alone it is tile-omp: to unpack them costs more than another operator could save.
template <Value V>
std::unique_ptr<Operator<V>> make_auto(const Source<V>& source, Options& options, const MakeContext& /*context*/) {
    const AutoOptions given = read_auto_options(options);
    const auto make = [&](const std::string& specification) { return make_operator<V>(specification, source); };
    if (source.find_csr() == nullptr) {
        return make(std::string(operator_on<V>(Backend::cpu, Form::tiles)));
    }
    if (given.columns > 1) return make(specification_for_columns(Backend::cpu, source, given.columns));
    return make_first(rank_all_operators<V>({.features = features_of(pattern_of(source.csr())),
                                             .gpu = {},
                                             .threads = omp_get_max_threads(),
                                             .lanes = vector_lanes(),
                                             .products = given.products,
                                             .has_tiles = source.find_tiles() != nullptr}),
                      make);
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

template OperatorInfo<double> info_of_auto();
template OperatorInfo<float> info_of_auto();

}  // namespace tilespmv::cpu
