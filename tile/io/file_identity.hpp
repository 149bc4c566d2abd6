#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <tuple>

#include <sys/types.h>

namespace tilespmv {

/// Device and inode of an ordinary file, by whatever names and links it is called; for one that is not there yet those
/// of its folder, and its name.
using FileIdentity = std::tuple<dev_t, ino_t, std::string>;

/// None for what is no ordinary file (a pipe, /dev/null, a folder), and where there is no such folder.
std::optional<FileIdentity> file_identity(const std::filesystem::path& file);

}  // namespace tilespmv
