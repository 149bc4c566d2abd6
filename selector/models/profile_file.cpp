#include "selector/models/profile_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "selector/models/carried_profiles.hpp"
#include "selector/models/json_text.hpp"
#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tile/io/user_cache.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

std::atomic<int> written = 0;  ///< profiles by this process

/// Profiles that were read, with the time of their files.
struct Cached {
    fs::file_time_type time;
    std::shared_ptr<const Profile> profile;
};

Profile parse(const Input& input) {
    const TextFile text = json_text(input);
    return parse_profile({text.begin(), text.end()}, text.name());
}

std::shared_ptr<const Profile> read_once(const fs::path& file) {
    static std::mutex mutex;
    static std::map<fs::path, Cached> known;
    std::error_code missing;
    const auto time = fs::last_write_time(file, missing);
    const std::scoped_lock lock(mutex);
    const auto found = known.find(file);
    if (!missing && found != known.end() && found->second.time == time) return found->second.profile;
    auto profile = std::make_shared<const Profile>(read_profile(file));
    known[file] = {time, profile};
    return profile;
}

std::shared_ptr<const Profile> read_once(const CarriedProfile& carried) {
    static std::mutex mutex;
    static std::map<std::string_view, std::shared_ptr<const Profile>> known;
    const std::scoped_lock lock(mutex);
    auto& profile = known[carried.machine];
    if (!profile) {
        const std::string name = fmt::format("{}.json.zst", carried.machine);
        profile = std::make_shared<const Profile>(parse(Input(name, carried.bytes)));
    }
    return profile;
}

FoundProfile carried_for(std::string_view machine) {
    const auto all = carried_profiles();
    const auto found = std::ranges::find(all, plain_machine_name(machine), &CarriedProfile::machine);
    if (found == all.end()) return {};
    return {read_once(*found), fmt::format("tilespmv's own of {}", machine)};
}

FoundProfile at_default_place(std::string_view machine) {
    const fs::path file = default_profile_file(machine);
    std::error_code unknown;
    if (file.empty() || !fs::exists(file, unknown)) return {};
    return {read_once(file), printable(file.string())};
}

/// Nobody asked for these: where one cannot be read, the carried one by a libarchive without Zstandard, too, there are
/// others, or the rules.
FoundProfile find_or_warn(FoundProfile (*find)(std::string_view), std::string_view machine) {
    try {
        return find(machine);
    } catch (const Error& error) {
        fmt::print(stderr, "tilespmv: warning: {}; nothing is chosen by it\n", printable(error.what()));
        return {};
    }
}

}  // namespace

Profile read_profile(const fs::path& file) { return parse(Input(file)); }

void write_profile(const fs::path& file, const Profile& profile) {
    if (file.has_parent_path()) {
        std::error_code failed;
        fs::create_directories(file.parent_path(), failed);
        if (failed) throw Error(fmt::format("{}: cannot be made: {}", file.parent_path().string(), failed.message()));
    }
    OutputFile out(file);
    out.write(profile_text(profile));
    out.commit();
    ++written;
}

std::string plain_machine_name(std::string_view machine) {
    std::string name;
    for (const char c : machine) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (is_plain)
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return name;
}

fs::path default_profile_file(std::string_view machine) {
    const fs::path folder = user_cache_folder();
    if (folder.empty()) return {};
    return folder / fmt::format("profile-{}.json", plain_machine_name(machine));
}

void visit_profiles(const fs::path& asked_for, std::string_view machine,
                    const std::function<bool(const FoundProfile&)>& visit) {
    const char* const variable = std::getenv("TILESPMV_PROFILE");
    const std::string named = variable == nullptr ? "" : variable;
    const fs::path file = asked_for.empty() ? fs::path(named) : asked_for;
    if (asked_for.empty() && named == "none") return;
    if (!file.empty()) {
        visit({read_once(file), printable(file.string()), true});
        return;
    }
    for (const auto find : {at_default_place, carried_for}) {
        const FoundProfile found = find_or_warn(find, machine);
        if (found.profile && visit(found)) return;
    }
}

std::optional<Probe> probe_of_profile(std::string_view machine) {
    for (const auto find : {at_default_place, carried_for}) {
        if (const FoundProfile found = find_or_warn(find, machine); found.profile) return found.profile->probe;
    }
    return {};
}

namespace {

FoundProfile find_anew(const fs::path& asked_for, std::string_view machine, const NumberSizes& sizes) {
    FoundProfile first;
    visit_profiles(asked_for, machine, [&](FoundProfile found) {
        found.decides = found.decides || decides(*found.profile, sizes);
        if (!first.profile || found.decides) first = found;
        return found.decides;
    });
    return first;
}

/// What `find_profile` has found, and what it depends on.
struct LastFound {
    using Clock = std::chrono::steady_clock;

    std::string machine;
    NumberSizes sizes;
    std::array<std::string, 3> variables;  ///< of the environment
    int writes = 0;
    Clock::time_point time;
    FoundProfile found;

    /// Whether it still holds. Files that another process has written are seen after a second: to ask for them takes as
    /// long as to choose for a small matrix.
    [[nodiscard]] bool is_of(std::string_view which, const NumberSizes& bytes) const {
        constexpr std::chrono::seconds kFresh(1);
        return found.profile && machine == which && sizes == bytes && writes == written && has_same_variables() &&
               Clock::now() - time < kFresh;
    }
    static std::array<const char*, 3> variables_now() {
        std::array<const char*, 3> now{std::getenv("TILESPMV_PROFILE"), std::getenv("XDG_CACHE_HOME"),
                                       std::getenv("HOME")};
        for (const char*& value : now) value = value == nullptr ? "" : value;
        return now;
    }

private:
    [[nodiscard]] bool has_same_variables() const {
        return std::ranges::equal(variables, variables_now(), [](const auto& a, const char* b) { return a == b; });
    }
};

}  // namespace

FoundProfile find_profile(const fs::path& asked_for, std::string_view machine, const NumberSizes& sizes) {
    if (!asked_for.empty()) return find_anew(asked_for, machine, sizes);
    static std::mutex mutex;
    static LastFound last;
    const std::scoped_lock lock(mutex);
    if (last.is_of(machine, sizes)) return last.found;
    const int writes = written;
    const auto found = find_anew(asked_for, machine, sizes);
    const auto now = LastFound::variables_now();
    last = {std::string(machine), sizes, {now[0], now[1], now[2]}, writes, LastFound::Clock::now(), found};
    return found;
}

}  // namespace tilespmv
