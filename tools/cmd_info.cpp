#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/targets.h>
#include <nlohmann/json.hpp>

#include "bench/harness/machine.hpp"
#include "formats/list.hpp"
#include "kernels/operator.hpp"
#include "selector/policy.hpp"
#include "tile/generate.hpp"
#include "tools/command.hpp"
#include "tools/options.hpp"

namespace tilespmv::tools {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> target_names(std::int64_t targets) {
    std::vector<std::string> names;
    for (; targets != 0; targets &= targets - 1) names.emplace_back(hwy::TargetName(targets & -targets));
    return names;
}

Json describe_build() {
    const auto build = bench::this_build();
    const std::string no_cuda = why_no_device("cuda");
    return {{"compiler", build.compiler},        {"type", build.type},
            {"revision", build.revision},        {"values", {value_name<double>(), value_name<float>()}},
            {"simd", target_names(HWY_TARGETS)}, {"cuda", no_cuda.empty() ? "yes" : no_cuda}};
}

Json describe_machine() {
    const auto machine = bench::this_machine();
    return {{"cpu", machine.cpu},
            {"cores", machine.cores},
            {"threads", machine.hardware_threads},
            {"last_level_cache_bytes", machine.cache_bytes},
            {"memory_bytes", machine.memory_bytes},
            {"simd", target_names(HWY_TARGETS & hwy::SupportedTargets()).front()},
            {"system", machine.system}};
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
    return {{"version", bench::this_build().version},  {"build", describe_build()},
            {"machine", describe_machine()},           {"formats", formats},
            {"selectors", describe_list(selectors())}, {"operators", describe_list(operators<double>())},
            {"generators", describe_generators()}};
}

std::string joined(const Json& words) {
    return fmt::format("{}", fmt::join(words.get<std::vector<std::string>>(), " "));
}

void print_list(const char* title, const Json& list) {
    fmt::print("\n{}\n", title);
    for (const auto& [name, summary] : list.items()) fmt::print("  {:<16} {}\n", name, summary.get<std::string>());
}

void print_text(const Json& info) {
    const Json& build = info["build"];
    const Json& machine = info["machine"];
    constexpr double mib = 1 << 20;
    fmt::print("tilespmv {} ({})\n", info["version"].get<std::string>(), build["revision"].get<std::string>());
    const auto line = [](const char* what, const std::string& text) { fmt::print("{:<10} {}\n", what, text); };
    line("compiler", fmt::format("{}, {}", build["compiler"].get<std::string>(), build["type"].get<std::string>()));
    line("values", joined(build["values"]));
    line("SIMD", fmt::format("{} (compiled: {})", machine["simd"].get<std::string>(), joined(build["simd"])));
    line("CUDA", build["cuda"]);
    line("CPU", fmt::format("{}, {} cores, {} threads", machine["cpu"].get<std::string>(), machine["cores"].get<int>(),
                            machine["threads"].get<int>()));
    line("memory", fmt::format("{:.0f} MiB, last-level cache {:.1f} MiB", machine["memory_bytes"].get<double>() / mib,
                               machine["last_level_cache_bytes"].get<double>() / mib));
    line("system", machine["system"]);
    line("formats", joined(info["formats"]));
    print_list("selectors (--selector)", info["selectors"]);
    print_list("operators (--operator)", info["operators"]);
    fmt::print("\ngenerators (gen:KIND)\n");
    for (const auto& [name, kind] : info["generators"].items())
        fmt::print("  {:<16} {}\n", name, kind["summary"].get<std::string>());
}

}  // namespace

void add_info(CLI::App& app) {
    auto as_json = std::make_shared<bool>(false);
    auto* command = app.add_subcommand("info", "Say what this build and this machine can do");
    command->add_flag("--json", *as_json, "Print JSON");
    set_examples(*command, {"tilespmv info", "tilespmv info --json"});
    command->callback([as_json] {
        const Json info = describe();
        *as_json ? fmt::print("{}\n", info.dump(2)) : print_text(info);
    });
}

}  // namespace tilespmv::tools
