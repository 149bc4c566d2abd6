#include "bench/harness/result_file.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tile/io/text_file.hpp"

namespace tilespmv::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, name, memory_bytes, l2_bytes, driver, runtime)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu, vectors, system, cores, hardware_threads, memory_bytes, cache_bytes,
                                   gpu)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Build, version, revision, compiler, type)

namespace {

using nlohmann::json;

constexpr const char* kFormat = "tilespmv-bench";
constexpr int kVersion = 1;
constexpr int kDeepest = 32;  // files of ours stay far below; values are freed one inside another

/// Texts of a file may be somebody else's and are shown on terminals, so they are made `printable`.
json parse(const TextFile& text) {
    const auto keep = [](int depth, json::parse_event_t event, json& value) {
        if (depth > kDeepest) throw Error("values are nested too deep");
        if (event == json::parse_event_t::value && value.is_string())
            value = printable(value.get_ref<const std::string&>());
        return true;
    };
    json parsed = json::parse(text.begin(), text.end(), keep, false);
    if (parsed.is_discarded()) throw Error("it is no JSON, or was cut off");
    return parsed;
}

ResultSet results_of(const json& root) {
    if (root.at("format") != kFormat) throw Error("it is of another kind");
    if (root.at("version").get<int>() > kVersion) throw Error("it was written by a newer version");
    return {root.at("machine"), root.at("build"), root.at("results")};
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
    const TextFile text{Input(file)};
    try {
        return results_of(parse(text));
    } catch (const std::exception& error) {
        throw Error(fmt::format("{}: not a result file of 'tilespmv bench --json' ({})", file.string(), error.what()));
    }
}

std::string results_json(const ResultSet& set) {
    const nlohmann::ordered_json file = {{"format", kFormat},
                                         {"version", kVersion},
                                         {"machine", json(set.machine)},
                                         {"build", json(set.build)},
                                         {"results", json(set.results)}};
    return file.dump(1) + "\n";
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
