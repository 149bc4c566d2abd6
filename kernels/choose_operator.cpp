#include "kernels/choose_operator.hpp"

#include <algorithm>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

/// Of the CPU, which are read when an operator is made: of nothing, before a matrix is read for it.
template <Value V>
void refuse_wrong_options(const std::string& specification) {
    const CsrMatrix<V> csr;
    const TileMatrix<V> tiles;
    static_cast<void>(make_operator<V>(specification, {csr, tiles}));
}

}  // namespace

template <Value V>
void require_accumulator(Backend backend, Accumulator accumulator) {
    if (backend == Backend::cuda) return with_accumulator<V>(accumulator, []<class A>() {});
    if (accumulator == Accumulator::float64) return;
    throw Error("operators of the CPU accumulate in float64 only", ExitCode::usage);
}

template <Value V>
ChosenOperator<V> choose_operator(Backend backend, const std::string& specification,
                                  std::optional<Accumulator> accumulator) {
    const OperatorInfo<V>& info = find_operator<V>(backend, specification);
    const Accumulator sums = accumulator.value_or(default_accumulator(info));
    require_accumulator<V>(backend, sums);
    if (backend == Backend::cpu) refuse_wrong_options<V>(specification);
    const MakeContext context{.backend = backend, .accumulator = sums};
    const auto make = [=](const Source<V>& source) { return make_operator<V>(specification, source, context); };
    return {specification, info.made_from, make, sums};
}

template <Value V>
std::string_view operator_on(Backend backend, Form form) {
    const auto all = operators<V>(backend);
    return std::ranges::find_if(all,
                                [&](const OperatorEntry& entry) {
                                    return entry.made_from == form && (form == Form::tiles || entry.reads_csr_in_place);
                                })
        ->name;
}

template <Value V>
std::string specification_for_columns(Backend backend, const Source<V>& source, int columns) {
    const auto all = operators<V>(backend);
    const auto found = std::ranges::find_if(all, [&](const OperatorInfo<V>& info) {
        return info.pass_columns > 0 && (info.suits_columns == nullptr || info.suits_columns(source, columns));
    });
    return std::string(found->name);
}

#define TILESPMV_INSTANTIATE(V)                                                        \
    template std::string_view operator_on<V>(Backend, Form);                           \
    template std::string specification_for_columns<V>(Backend, const Source<V>&, int); \
    template void require_accumulator<V>(Backend, Accumulator);                        \
    template ChosenOperator<V> choose_operator(Backend, const std::string&, std::optional<Accumulator>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
