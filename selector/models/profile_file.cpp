#include "selector/models/profile_file.hpp"

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/io/printable.hpp"
#include "tile/io/user_cache.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

/// Profiles that were read, with the time of their files.
struct Cached {
    fs::file_time_type time;
    std::shared_ptr<const Profile> profile;
};

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

FoundProfile at_default_place(std::string_view machine) {
    const fs::path file = default_profile_file(machine);
    std::error_code unknown;
    if (file.empty() || !fs::exists(file, unknown)) return {};
    try {
        auto profile = read_once(file);
        const bool is_better = decides(*profile);
        return {std::move(profile), file, is_better};
    } catch (const Error& error) {
        fmt::print(stderr, "tilespmv: warning: {}; the rules decide\n", printable(error.what()));
        return {};
    }
}

}  // namespace

Profile read_profile(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return parse_profile(text, file.string());
}

void write_profile(const fs::path& file, const Profile& profile) {
    if (file.has_parent_path()) {
        std::error_code failed;
        fs::create_directories(file.parent_path(), failed);
        if (failed) throw Error(fmt::format("{}: cannot be made: {}", file.parent_path().string(), failed.message()));
    }
    OutputFile out(file);
    out.write(profile_text(profile));
    out.commit();
}

fs::path default_profile_file(std::string_view machine) {
    const fs::path folder = user_cache_folder();
    if (folder.empty()) return {};
    std::string name;
    for (const char c : machine) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (is_plain)
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (!name.empty() && name.back() == '-') name.pop_back();
    return folder / fmt::format("profile-{}.json", name);
}

FoundProfile find_profile(const fs::path& asked_for, std::string_view machine) {
    if (!asked_for.empty()) return {read_once(asked_for), asked_for, true};
    const char* const named = std::getenv("TILESPMV_PROFILE");
    if (named == nullptr || *named == '\0') return at_default_place(machine);
    if (std::strcmp(named, "none") == 0) return {};
    return {read_once(named), named, true};
}

std::shared_ptr<const Profile> deciding_profile(const fs::path& asked_for, std::string_view machine) {
    const auto found = find_profile(asked_for, machine);
    return found.decides ? found.profile : nullptr;
}

}  // namespace tilespmv
