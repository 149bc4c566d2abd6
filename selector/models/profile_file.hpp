#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "selector/models/profile.hpp"

/// Profiles as files: JSON for people to see, share and delete; `PROFILE.md` says what is in it.
namespace tilespmv {

/// The text of a profile.
std::string profile_text(const Profile& profile);

/// `text`: that of a file, by whose `name` errors begin. Throws `Error` that says which entry is wrong and how, for a
/// newer version and a term of work that this build does not have, too.
Profile parse_profile(std::string_view text, const std::string& name);

/// Of JSON, plain or compressed (gzip, xz or Zstandard). Throws `Error` if the file cannot be read, and as
/// `parse_profile` does.
Profile read_profile(const std::filesystem::path& file);

/// Replaces the file as a whole, in a folder that is made if it is missing. Throws `Error` if it cannot be written.
void write_profile(const std::filesystem::path& file, const Profile& profile);

/// The name of a machine in lower case, with '-' for all but letters and digits.
std::string plain_machine_name(std::string_view machine);

/// $XDG_CACHE_HOME/tilespmv/profile-NAME.json or that in ~/.cache, NAME the machine's
/// (`plain_machine_name`); empty where neither folder is known.
std::filesystem::path default_profile_file(std::string_view machine);

/// A profile of a machine.
struct FoundProfile {
    std::shared_ptr<const Profile> profile;  ///< null: there is none
    std::string name;                        ///< for people: that of its file, or whose it is
    bool decides = false;                    ///< whether operators are chosen by it
};

/// Shows the profiles of a machine to `visit` until that says that it needs no further one: `asked_for`, else the file
/// that $TILESPMV_PROFILE names ("none": no profile), which decide, alone; else that of the default place, then that
/// which the library carries for the machine (`carried_profiles`). Each is read when it is shown, once a process, files
/// until they change. Throws as `read_profile` does for one that was asked for; one of the others that cannot be read
/// costs a warning on stderr.
void visit_profiles(const std::filesystem::path& asked_for, std::string_view machine,
                    const std::function<bool(const FoundProfile&)>& visit);

/// What was measured on a machine, as the profile of the default place or the carried one says; none if neither does.
std::optional<Probe> probe_of_profile(std::string_view machine);

/// The first of these that decides on products of such numbers, as it was asked for or its check speaks for it
/// (`decides`); if none does, the first of them. What was found without asking for one is taken for a second, unless
/// the environment changes or this process writes a profile.
FoundProfile find_profile(const std::filesystem::path& asked_for, std::string_view machine, const NumberSizes& sizes);

}  // namespace tilespmv
