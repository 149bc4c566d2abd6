#pragma once

#include <filesystem>
#include <memory>
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

/// Of JSON, plain or compressed (gzip or xz). Throws `Error` if the file cannot be read, and as `parse_profile` does.
Profile read_profile(const std::filesystem::path& file);

/// Replaces the file as a whole, in a folder that is made if it is missing. Throws `Error` if it cannot be written.
void write_profile(const std::filesystem::path& file, const Profile& profile);

/// The name of a machine in lower case, with '-' for all but letters and digits.
std::string plain_machine_name(std::string_view machine);

/// $XDG_CACHE_HOME/tilespmv/profile-NAME.json or that in ~/.cache, NAME the machine's
/// (`plain_machine_name`); empty where neither folder is known.
std::filesystem::path default_profile_file(std::string_view machine);

/// A profile, and whether choices are made by it.
struct FoundProfile {
    std::shared_ptr<const Profile> profile;  ///< null: there is none
    std::string name;                        ///< for people: that of its file, or whose it is
    bool decides = false;
};

/// The profile for a machine: `asked_for`, else the file that $TILESPMV_PROFILE names ("none": no profile), which
/// decide, else that of the default place, else that which the library carries for the machine (`carried_profiles`);
/// these decide if their checks speak for them (`decides`). Each is read once a process, files until they change.
/// Throws as `read_profile` does for one that was asked for; a damaged one at the default place costs a warning on
/// stderr, and the rules decide.
FoundProfile find_profile(const std::filesystem::path& asked_for, std::string_view machine);

/// The one of these that decides; null: the rules do.
std::shared_ptr<const Profile> deciding_profile(const std::filesystem::path& asked_for, std::string_view machine);

}  // namespace tilespmv
