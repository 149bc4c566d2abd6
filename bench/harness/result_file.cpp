#include "bench/harness/result_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/harness/json_node.hpp"
#include "tile/error.hpp"
#include "tile/io/json_text.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, name, memory_bytes, l2_bytes, driver, runtime)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Build, version, revision, compiler, type)

void to_json(nlohmann::json& json, const Machine& m) {
    json = {{"cpu", m.cpu},
            {"vectors", m.vectors},
            {"system", m.system},
            {"cores", m.cores},
            {"hardware_threads", m.hardware_threads},
            {"memory_bytes", m.memory_bytes},
            {"cache_bytes", m.cache_bytes},
            {"gpu", m.gpu}};
}

namespace {

constexpr const char* kFormat = "tilespmv-bench";
constexpr int kVersion = 1;

Gpu read_gpu(const JsonNode& json) {
    return {.name = json["name"].text(),
            .memory_bytes = json["memory_bytes"].whole<std::uint64_t>(),
            .l2_bytes = json["l2_bytes"].whole<std::uint64_t>(),
            .driver = json["driver"].whole<int>(),
            .runtime = json["runtime"].whole<int>()};
}

Machine read_machine(const JsonNode& json) {
    return {.cpu = json["cpu"].text(),
            .vectors = json.text_or("vectors", ""),
            .system = json["system"].text(),
            .cores = json["cores"].whole<int>(),
            .hardware_threads = json["hardware_threads"].whole<int>(),
            .memory_bytes = json["memory_bytes"].whole<std::uint64_t>(),
            .cache_bytes = json["cache_bytes"].whole<std::uint64_t>(),
            .gpu = read_gpu(json["gpu"])};
}

Build read_build(const JsonNode& json) {
    return {json["version"].text(), json["revision"].text(), json["compiler"].text(), json["type"].text()};
}

ResultSet parse_results(std::string_view text) {
    const auto json = parse_json<nlohmann::json>(text);
    const JsonNode root(json, "");
    if (json.is_discarded()) root.fail("it is no JSON, or was cut off");
    if (root["format"].text() != kFormat) root.fail("it is of another kind");
    if (root["version"].whole<int>() > kVersion) root.fail("it was written by a newer version");
    ResultSet set{read_machine(root["machine"]), read_build(root["build"]), {}};
    for (const JsonNode& one : root["results"].elements()) set.results.push_back(read_result(one));
    return set;
}

}  // namespace

const Result* ResultSet::find(const CaseId& id) const {
    const auto found = std::ranges::find(results, id, &Result::id);
    return found == results.end() ? nullptr : &*found;
}

bool ResultSet::finished(const CaseId& id) const {
    const Result* result = find(id);
    return result && (result->status == Status::ok || result->status == Status::skipped);
}

void ResultSet::put(Result result) {
    const auto found = std::ranges::find(results, result.id, &Result::id);
    if (found == results.end()) {
        results.push_back(std::move(result));
    } else {
        *found = std::move(result);
    }
}

ResultSet read_results(const std::filesystem::path& file) {
    const TextFile text = json_text(Input(file));
    try {
        return parse_results({text.begin(), text.end()});
    } catch (const Error& error) {
        throw Error(fmt::format("{}: not a result file of 'tilespmv bench --json' ({})", file.string(), error.what()));
    }
}

std::string results_json(const ResultSet& set) {
    const nlohmann::ordered_json json = {{"format", kFormat},
                                         {"version", kVersion},
                                         {"machine", nlohmann::json(set.machine)},
                                         {"build", nlohmann::json(set.build)},
                                         {"results", nlohmann::json(set.results)}};
    return json.dump(1) + "\n";
}

void write_results(const std::filesystem::path& file, const ResultSet& set) {
    OutputFile out(file);
    out.write(results_json(set));
    out.commit();
}

ResultSet resume_results(const std::filesystem::path& file, const Machine& machine, const Build& build) {
    if (!std::filesystem::is_regular_file(file)) return {.machine = machine, .build = build, .results = {}};
    ResultSet set = read_results(file);
    const auto refuse = [&](const std::string& whose) {
        throw Error(fmt::format("{}: holds results of {}; name another file, or give --restart to replace it",
                                file.string(), whose));
    };
    if (set.machine != machine) refuse(fmt::format("another machine ({})", describe(set.machine)));
    if (set.build != build) {
        refuse(fmt::format("another build (revision {}, {}, {}; this is {}, {}, {})", set.build.revision,
                           set.build.compiler, set.build.type, build.revision, build.compiler, build.type));
    }
    return set;
}

}  // namespace tilespmv::bench
