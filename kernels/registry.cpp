#include "kernels/registry.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "kernels/choose_operator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "kernels/operators/list.hpp"
#include "selector/auto/cost_table.hpp"
#include "tile/error.hpp"
#if TILESPMV_HAS_CUDA
#include "kernels/cuda/device_operator.hpp"
#include "kernels/cuda/stream.hpp"
#endif

namespace tilespmv {

#define TILESPMV_DECLARE(name) \
    template <class V>         \
    OperatorInfo<V> info_of_##name();
#define TILESPMV_SKIP(name)
#if TILESPMV_HAS_CUDA
#define TILESPMV_ADD_ON_GPU(name) all.push_back(cuda::info_of_##name<V>());
#else
#define TILESPMV_ADD_ON_GPU(name)
#endif
#if TILESPMV_HAS_CUSPARSE
#define TILESPMV_ADD_OF_LIBRARY(name) TILESPMV_ADD_ON_GPU(name)
#else
#define TILESPMV_ADD_OF_LIBRARY(name)
#endif
#define TILESPMV_ADD_ON_CPU(name) \
    if constexpr (CpuValue<V>) all.push_back(cpu::info_of_##name<V>());

namespace cpu {
TILESPMV_DECLARE(reference)
TILESPMV_DECLARE(auto)
TILESPMV_FOR_EACH_OPERATOR(TILESPMV_SKIP, TILESPMV_DECLARE, TILESPMV_SKIP)
}  // namespace cpu
namespace cuda {
TILESPMV_DECLARE(auto)
TILESPMV_FOR_EACH_OPERATOR(TILESPMV_DECLARE, TILESPMV_SKIP, TILESPMV_DECLARE)
}  // namespace cuda

namespace {

/// The table: every operator of every backend, in the order in which lists show them.
template <Value V>
std::vector<OperatorInfo<V>> every_operator() {
    std::vector<OperatorInfo<V>> all;
    TILESPMV_ADD_ON_CPU(reference)
    TILESPMV_ADD_ON_CPU(auto)
    TILESPMV_ADD_ON_GPU(auto)
    TILESPMV_FOR_EACH_OPERATOR(TILESPMV_ADD_ON_GPU, TILESPMV_ADD_ON_CPU, TILESPMV_ADD_OF_LIBRARY)
    if (sizeof(V) == 2) std::erase_if(all, [](const OperatorEntry& entry) { return !entry.takes_16_bit_values; });
    return all;
}

std::string_view device_of(Backend backend) { return backend == Backend::cpu ? "CPU" : "GPU"; }
std::string_view option_of(Backend backend) { return backend == Backend::cpu ? "cpu" : "cuda"; }

/// Whether a specification, where options follow a name, can name an operator so.
bool can_be_named(std::string_view name) {
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    return !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
}

template <Value V>
bool has_operator(Backend backend, std::string_view name) {
    return std::ranges::count(operators<V>(backend), name, &OperatorEntry::name) > 0;
}

/// Where there is no GPU that serves, the reason: another device on the command line would not help.
void require_device_for(std::string_view name) {
    try {
        static_cast<void>(cuda::require_device());
    } catch (const Error& error) {
        throw Error(fmt::format("operator '{}' runs on a GPU: {}", name, error.what()), error.code());
    }
}

template <Value V>
[[noreturn]] void refuse_name(Backend backend, const std::string& name) {
    if (is_operator_name<V>(Backend::cuda, name)) {
        require_device_for(name);
        if (has_operator<double>(Backend::cuda, name) && !has_operator<V>(Backend::cuda, name)) {
            throw Error(fmt::format("operator '{}' takes no {} values", name, value_name<V>()), ExitCode::usage);
        }
        if (!has_operator<V>(Backend::cuda, name)) {
            throw Error(fmt::format("operator '{}' is one of cuSPARSE, which this build lacks", name),
                        ExitCode::unavailable);
        }
    }
    const Backend other = backend == Backend::cpu ? Backend::cuda : Backend::cpu;
    if (has_operator<V>(other, name)) {
        throw Error(
            fmt::format("operator '{}' runs on the {}: give --device {}", name, device_of(other), option_of(other)),
            ExitCode::usage);
    }
    std::string names;
    for (const auto& info : operators<V>(backend)) names += fmt::format("{}{}", names.empty() ? "" : ", ", info.name);
    throw Error(fmt::format("unknown operator '{}'; for the {} there are {}", name, device_of(backend), names),
                ExitCode::usage);
}

/// On a stream of its own if none is given.
template <Value V>
std::unique_ptr<Operator<V>> make_on_gpu(std::string_view specification, const Source<V>& source,
                                         const MakeContext& context) {
    static_cast<void>(cuda::this_gpu(sizeof(V)));  // throws if there is none
    const auto sums = context.accumulator.value_or(default_accumulator(find_operator<V>(Backend::cuda, specification)));
#if TILESPMV_HAS_CUDA
    if (context.device != nullptr) {
        return cuda::make_device_operator<V>(specification, source, sums, *context.device);
    }
    auto stream = std::make_unique<cuda::Stream>();
    auto made = cuda::make_device_operator<V>(specification, source, sums, stream->get());
    made->keep_stream(std::move(stream));
    return made;
#else
    static_cast<void>(source);
    static_cast<void>(sums);
    return nullptr;
#endif
}

/// Of this backend.
template <Value V>
std::vector<OperatorInfo<V>>& table(Backend backend) {
    static auto by_backend = [] {
        std::array<std::vector<OperatorInfo<V>>, 2> lists;
        for (const auto& info : every_operator<V>()) lists[static_cast<std::size_t>(info.backend)].push_back(info);
        return lists;
    }();
    return by_backend[static_cast<std::size_t>(backend)];
}

}  // namespace

template <Value V>
std::span<const OperatorInfo<V>> operators(Backend backend) {
    return table<V>(backend);
}

template <Value V>
void register_operator(const OperatorInfo<V>& info) {
    if (!can_be_named(info.name)) {
        throw Error(fmt::format("an operator cannot be called '{}': expected letters, digits, '-' and '_'", info.name),
                    ExitCode::usage);
    }
    if (std::ranges::count(operators<V>(info.backend), info.name, &OperatorEntry::name) > 0) {
        throw Error(fmt::format("there is an operator '{}' for the {} already", info.name, device_of(info.backend)),
                    ExitCode::usage);
    }
    if (info.make == nullptr) {
        throw Error(fmt::format("the operator '{}' has no function that makes it", info.name), ExitCode::usage);
    }
    if (info.predict != nullptr && info.new_values != NewValues::always) {
        throw Error(fmt::format("the operator '{}' predicts its time for auto, whose operators always take new values",
                                info.name),
                    ExitCode::usage);
    }
    table<V>(info.backend).push_back(info);
}

template <Value V>
void require_values(Backend backend) {
    if (backend == Backend::cuda || CpuValue<V>) return;
    throw Error(fmt::format("products of {} values need a GPU: give --device cuda", value_name<V>()), ExitCode::usage);
}

std::vector<std::string_view> gpu_operator_names() {
    std::vector<std::string_view> names{"auto"};
    for (const KnownOperator& one : known_operators(true)) names.push_back(one.name);
    return names;
}

template <Value V>
bool is_operator_name(Backend backend, std::string_view name) {
    if (has_operator<V>(backend, name)) return true;
    return backend == Backend::cuda && std::ranges::count(gpu_operator_names(), name) > 0;
}

template <Value V>
const OperatorInfo<V>& find_operator(Backend backend, std::string_view specification) {
    require_values<V>(backend);
    const std::string name = Options("operator", specification).name();
    const auto all = operators<V>(backend);
    const auto found = std::ranges::find(all, name, &OperatorEntry::name);
    if (found == all.end()) refuse_name<V>(backend, name);
    return *found;
}

template <Value V>
std::unique_ptr<Operator<V>> make_operator(std::string_view specification, const Source<V>& source,
                                           const MakeContext& context) {
    if (context.backend == Backend::cuda) return make_on_gpu<V>(specification, source, context);
    const OperatorInfo<V>& info = find_operator<V>(Backend::cpu, specification);
    if (!source.is_on_host()) {
        throw Error("the matrix is in the memory of a GPU: an operator on the CPU needs it in that of the host");
    }
    if (context.accumulator) require_accumulator<V>(Backend::cpu, *context.accumulator);
    source.validate();
    if (source.find_csr() != nullptr) validate_row_ptrs(*source.find_csr());
    Options options("operator", specification);
    auto made = info.make(source, options, {.accumulator = context.accumulator.value_or(default_accumulator(info))});
    if (info.role != Role::chooser) made->set_specification(specification);
    return made;
}

#define TILESPMV_INSTANTIATE(V)                                                  \
    template std::span<const OperatorInfo<V>> operators<V>(Backend);             \
    template void register_operator(const OperatorInfo<V>&);                     \
    template void require_values<V>(Backend);                                    \
    template bool is_operator_name<V>(Backend, std::string_view);                \
    template const OperatorInfo<V>& find_operator<V>(Backend, std::string_view); \
    template std::unique_ptr<Operator<V>> make_operator(std::string_view, const Source<V>&, const MakeContext&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
