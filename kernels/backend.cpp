#include "kernels/backend.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kernels/cuda/backend.hpp"
#include "tile/error.hpp"
#include "tile/options.hpp"

namespace tilespmv {
namespace {

std::string_view device_of(Backend backend) { return backend == Backend::cpu ? "CPU" : "GPU"; }
std::string_view option_of(Backend backend) { return backend == Backend::cpu ? "cpu" : "cuda"; }

template <Value V>
[[noreturn]] void refuse_name(Backend backend, const std::string& name) {
    const Backend other = backend == Backend::cpu ? Backend::cuda : Backend::cpu;
    if (std::ranges::count(operator_entries<V>(other), name, &OperatorEntry::name) > 0) {
        throw Error(
            fmt::format("operator '{}' runs on the {}: give --device {}", name, device_of(other), option_of(other)),
            ExitCode::usage);
    }
    std::string names;
    for (const auto& entry : operator_entries<V>(backend)) {
        names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
    }
    throw Error(fmt::format("unknown operator '{}'; for the {} there are {}", name, device_of(backend), names),
                ExitCode::usage);
}

template <Value V>
void require_accumulator(Backend backend, Accumulator accumulator) {
    if (backend == Backend::cuda) return with_accumulator<V>(accumulator, []<class A>() {});
    if (accumulator == Accumulator::float64) return;
    throw Error("operators of the CPU accumulate in float64 only", ExitCode::usage);
}

}  // namespace

template <Value V>
void require_values(Backend backend) {
    if (backend == Backend::cuda || CpuValue<V>) return;
    throw Error(fmt::format("products of {} values need a GPU: give --device cuda", value_name<V>()), ExitCode::usage);
}

template <Value V>
std::vector<OperatorEntry> operator_entries(Backend backend) {
    if (backend == Backend::cuda) return cuda::entries<V>();
    std::vector<OperatorEntry> all;
    for (const auto& info : operators<V>()) all.push_back({info.name, info.summary, info.needs_tiles});
    return all;
}

template <Value V>
OperatorEntry find_entry(Backend backend, std::string_view specification) {
    require_values<V>(backend);
    const std::string name = Options("operator", specification).name();
    const auto entries = operator_entries<V>(backend);
    const auto found = std::ranges::find(entries, name, &OperatorEntry::name);
    if (found == entries.end()) refuse_name<V>(backend, name);
    return *found;
}

template <Value V>
ChosenOperator<V> choose_operator(Backend backend, const std::string& specification,
                                  std::optional<Accumulator> accumulator) {
    const OperatorEntry entry = find_entry<V>(backend, specification);
    const Accumulator sums = accumulator.value_or(entry.accumulator);
    require_accumulator<V>(backend, sums);
    ChosenOperator<V> chosen{specification, entry.needs_tiles, {}, sums};
    if (backend == Backend::cpu) {
        Options("operator", specification).finish();
        chosen.make = find_operator<V>(entry.name).make;
    } else {
        chosen.make = [specification, sums](const OperatorSource<V>& source) {
            return cuda::make_host_vector_operator<V>(specification, source, sums);
        };
    }
    return chosen;
}

#define TILESPMV_INSTANTIATE(V)                                       \
    template void require_values<V>(Backend);                         \
    template std::vector<OperatorEntry> operator_entries<V>(Backend); \
    template OperatorEntry find_entry<V>(Backend, std::string_view);  \
    template ChosenOperator<V> choose_operator(Backend, const std::string&, std::optional<Accumulator>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
