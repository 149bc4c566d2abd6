#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/harness/cuda_device.hpp"
#include "bench/harness/machine.hpp"
#include "formats/list.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cpu/vectors.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/solver/preconditioner/preconditioner.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"
#include "tile/generate/generate.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/text/gpu_text.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

Json describe_build() {
    const auto build = bench::this_build();
    return {{"compiler", build.compiler}, {"type", build.type},         {"revision", build.revision},
            {"values", kValueNames},      {"simd", cpu::vector_sets()}, {"cuda", TILESPMV_HAS_CUDA != 0}};
}

Json describe_machine() {
    const auto machine = bench::this_machine();
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"threads", machine.hardware_threads},
            {"last_level_cache_bytes", machine.cache_bytes},
            {"memory_bytes", machine.memory_bytes},
            {"simd", machine.vectors},
            {"system", machine.system}};
}

// What matters of the GPU, or why there is none: {"error": ...}.
Json describe_gpu() {
    try {
        const auto gpu = cuda::require_device();
        const auto bandwidth = bench::make_cuda_device()->bandwidth();
        return {{"name", gpu.name},
                {"compute_capability", gpu.compute_capability},
                {"compiled_for", gpu.compiled_for},
                {"multiprocessors", gpu.multiprocessors},
                {"warps_per_multiprocessor", gpu.max_warps_per_multiprocessor},
                {"registers_per_multiprocessor", gpu.registers_per_multiprocessor},
                {"shared_bytes_per_multiprocessor", gpu.shared_bytes_per_multiprocessor},
                {"l2_bytes", gpu.l2_bytes},
                {"memory_bytes", gpu.memory_bytes},
                {"driver", gpu.driver_version},
                {"runtime", gpu.runtime_version},
                {"read_bytes_per_s", bandwidth.read},
                {"copy_bytes_per_s", bandwidth.copy}};
    } catch (const Error& error) {
        return Json::object({{"error", error.what()}});
    }
}

template <class Entries>
Json describe_list(const Entries& entries) {
    Json list = Json::object();
    for (const auto& entry : entries) list[std::string(entry.name)] = entry.summary;
    return list;
}

Json describe_generators() {
    Json list = Json::object();
    for (const auto& kind : generators()) {
        Json parameters = Json::object();
        for (const auto& p : kind.parameters)
            parameters[std::string(p.name)] = {{"default", p.default_value}, {"meaning", p.meaning}};
        list[std::string(kind.name)] = {
            {"summary", kind.summary}, {"resembles", kind.resembles}, {"parameters", parameters}};
    }
    return list;
}

Json describe() {
    Json formats = Json::array();
    for (const auto& format : formats::format_table()) formats.push_back(format.name);
    return {{"version", bench::this_build().version},
            {"build", describe_build()},
            {"machine", describe_machine()},
            {"gpu", describe_gpu()},
            {"formats", formats},
            {"selectors", describe_list(selectors())},
            {"operators", describe_list(operators<double>(Backend::cpu))},
            {"gpu_operators", describe_list(operators<double>(Backend::cuda))},
            {"preconditioners", describe_list(solver::preconditioners<double>())},
            {"generators", describe_generators()}};
}

std::string joined(const Json& words) {
    return fmt::format("{}", fmt::join(words.get<std::vector<std::string>>(), " "));
}

void print_list(const char* title, const Json& list) {
    fmt::print("\n{}\n", title);
    for (const auto& [name, summary] : list.items()) fmt::print("  {:<20} {}\n", name, summary.get<std::string>());
}

void print_line(std::string_view what, std::string_view text) { fmt::print("{}", info_line(what, text)); }

void print_text(const Json& info) {
    const Json& build = info["build"];
    const Json& machine = info["machine"];
    constexpr double mib = 1 << 20;
    fmt::print("tilespmv {} ({})\n", info["version"].get<std::string>(), build["revision"].get<std::string>());
    print_line("compiler",
               fmt::format("{}, {}", build["compiler"].get<std::string>(), build["type"].get<std::string>()));
    print_line("values", joined(build["values"]));
    print_line("SIMD", fmt::format("{} (--vectors: {})", machine["simd"].get<std::string>(), joined(build["simd"])));
    print_line("CPU", fmt::format("{}, {} cores, {} threads", machine["cpu"].get<std::string>(),
                                  machine["cores"].get<int>(), machine["threads"].get<int>()));
    print_line("memory",
               fmt::format("{:.0f} MiB, last-level cache {:.1f} MiB", machine["memory_bytes"].get<double>() / mib,
                           machine["last_level_cache_bytes"].get<double>() / mib));
    print_line("system", machine["system"].get<std::string>());
    fmt::print("{}", gpu_text(info["gpu"]));
    print_line("formats", joined(info["formats"]));
    print_list("selectors (--selector)", info["selectors"]);
    print_list("operators (--operator)", info["operators"]);
    if (!info["gpu_operators"].empty()) print_list("operators for the GPU (--device cuda)", info["gpu_operators"]);
    print_list("preconditioners (--precond)", info["preconditioners"]);
    fmt::print("\ngenerators (gen:KIND)\n");
    for (const auto& [name, kind] : info["generators"].items())
        fmt::print("  {:<20} {}\n", name, kind["summary"].get<std::string>());
}

}  // namespace

void add_info(CLI::App& app) {
    auto json = std::make_shared<std::string>();
    auto* command = app.add_subcommand("info", "Say what this build and this machine can do");
    add_output_or_stdout(*command, "--json", *json, "Write it as JSON to this file");
    set_examples(*command, {"tilespmv info", "tilespmv info --json info.json"});
    command->callback([json] {
        const Json info = describe();
        if (!json->empty()) write_text(*json, info.dump(2) + "\n");
        if (*json != kStdout) print_text(info);
    });
}

}  // namespace tilespmv::tools
