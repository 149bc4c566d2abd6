#include "kernels/auto/tune_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <system_error>

#include <fmt/format.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "kernels/auto/build_fingerprint.hpp"
#include "tile/error.hpp"
#include "tile/io/file_lock.hpp"
#include "tile/io/json_text.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tile/io/user_cache.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void warn(const std::string& what) { fmt::print(stderr, "tilespmv: warning: {}\n", printable(what)); }

template <class T>
void add_array(XXH3_state_t* state, std::span<const T> array, std::size_t most_bytes) {
    constexpr std::size_t pieces = 256;
    if (array.size_bytes() <= most_bytes) {
        XXH3_128bits_update(state, array.data(), array.size_bytes());
        return;
    }
    const std::size_t length = most_bytes / sizeof(T) / pieces;
    for (std::size_t i = 0; i < pieces; ++i) {
        const auto piece = array.subspan((array.size() - length) * i / (pieces - 1), length);
        XXH3_128bits_update(state, piece.data(), piece.size_bytes());
    }
}

constexpr const char* kFormat = "tilespmv-tuning";
constexpr int kVersion = 1;

Json nothing_known() { return {{"format", kFormat}, {"version", kVersion}, {"entries", Json::array()}}; }

bool is_cache(const Json& json) {
    const auto is = [&](const char* name, const Json& value) {
        const auto found = json.find(name);
        return found != json.end() && *found == value;
    };
    const auto entries = json.find("entries");
    return is("format", kFormat) && is("version", kVersion) && entries != json.end() && entries->is_array();
}

/// None of a file that is damaged, after a warning.
std::optional<Json> read(const fs::path& file) {
    std::error_code unknown;
    if (!fs::exists(file, unknown)) return nothing_known();
    try {
        const TextFile text = json_text(Input(file));
        auto json = parse_json<Json>({text.begin(), text.end()});
        if (is_cache(json)) return json;
    } catch (const Error& error) {
        warn(fmt::format("{}; no time is known from it", error.what()));
        return {};
    }
    warn(fmt::format("{}: is no cache of tuned operators and is ignored; delete it, or name another with cache=FILE",
                     file.string()));
    return {};
}

Json key_json(const TuneKey& key) {
    return {{"pattern", key.pattern},      {"values", key.values}, {"accumulator", key.accumulator},
            {"device", key.device},        {"forms", key.forms},   {"tilespmv", TILESPMV_VERSION},
            {"build", build_fingerprint()}};
}

bool is_of(const Json& entry, const Json& key) {
    if (!entry.is_object()) return false;
    for (const auto& [name, value] : key.items()) {
        const auto found = entry.find(name);
        if (found == entry.end() || *found != value) return false;
    }
    return true;
}

ProductTimes times_of(const Json& entry) {
    ProductTimes times;
    const auto seconds = entry.find("seconds");
    if (seconds == entry.end() || !seconds->is_object()) return times;
    for (const auto& [name, value] : seconds->items()) {
        if (value.is_number() && value.get<double>() > 0) times[name] = value.get<double>();
    }
    return times;
}

void add(const fs::path& file, const TuneKey& key, const ProductTimes& times) {
    if (file.has_parent_path()) fs::create_directories(file.parent_path());
    const FileLock lock(file, FileLock::IfTaken::wait);
    auto json = read(file);
    if (!json) return;
    const Json wanted = key_json(key);
    Json& entries = (*json)["entries"];
    auto entry = std::ranges::find_if(entries, [&](const Json& one) { return is_of(one, wanted); });
    if (entry == entries.end()) {
        entries.push_back(wanted);
        entry = entries.end() - 1;
    }
    auto all = times_of(*entry);
    for (const auto& [name, seconds] : times) all[name] = seconds;
    (*entry)["seconds"] = all;
    OutputFile out(file);
    out.write(json->dump(2) + "\n");
    out.commit();
}

}  // namespace

std::string pattern_hash(const PatternView& a) {
    constexpr std::size_t most_bytes = std::size_t{8} << 20;  // of either array
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
    XXH3_128bits_reset(state.get());
    const std::array<std::int64_t, 3> size{a.rows, a.cols, a.nnz()};
    XXH3_128bits_update(state.get(), size.data(), sizeof size);
    add_array(state.get(), a.row_ptrs, most_bytes);
    add_array(state.get(), a.col_idxs, most_bytes);
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

fs::path TuneCache::default_file() {
    const fs::path folder = user_cache_folder();
    return folder.empty() ? fs::path() : folder / "tuning.json";
}

ProductTimes TuneCache::find(const TuneKey& key) const {
    if (file_.empty()) return {};
    const auto json = read(file_);
    if (!json) return {};
    const Json wanted = key_json(key);
    for (const Json& entry : (*json)["entries"]) {
        if (is_of(entry, wanted)) return times_of(entry);
    }
    return {};
}

void TuneCache::store(const TuneKey& key, const ProductTimes& times) const {
    if (file_.empty()) return;
    try {
        add(file_, key, times);
    } catch (const std::exception& error) {
        warn(fmt::format("times are not remembered: {}", error.what()));
    }
}

}  // namespace tilespmv
