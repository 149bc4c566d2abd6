#include "bench/harness/result_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"

namespace tilespmv::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, name, memory_bytes, l2_bytes, driver, runtime)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu, system, cores, hardware_threads, memory_bytes, cache_bytes, gpu)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Build, version, revision, compiler, type)

namespace {

constexpr const char* kFormat = "tilespmv-bench";
constexpr int kVersion = 1;

// Names in a file of somebody else's are shown on the terminal and drawn.
bool make_printable(int, nlohmann::json::parse_event_t, nlohmann::json& value) {
    if (value.is_string()) value = printable(value.get_ref<const std::string&>());
    return true;
}

ResultSet parse_results(const nlohmann::json& json) {
    if (json.at("format") != kFormat) throw Error("it is of another kind");
    if (json.at("version").get<int>() > kVersion) throw Error("it was written by a newer version");
    return {.machine = json.at("machine"), .build = json.at("build"), .results = json.at("results")};
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
    const auto refuse = [&](const std::string& reason) {
        throw Error(fmt::format("{}: cannot be read: {}", file.string(), reason));
    };
    std::ifstream in(file);
    if (!in) refuse(std::generic_category().message(errno));
    if (std::filesystem::is_directory(file)) refuse("found a directory, expected a file");
    try {
        return parse_results(nlohmann::json::parse(in, make_printable));
    } catch (const std::exception& error) {
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
