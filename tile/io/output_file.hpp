#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include <sys/types.h>

#include "tile/io/temporary_file.hpp"

namespace tilespmv {

/// Where an output goes that is called by a name.
struct OutputTarget {
    std::filesystem::path file;  ///< links followed; the file may be missing, where the last link leads, too
    int descriptor = -1;         ///< for what the process has open (/dev/stdout, /dev/fd/3), else -1
};

/// Throws `Error` if links lead nowhere but to each other.
OutputTarget output_target(const std::filesystem::path& file);

/// A file that appears whole or not at all: it is written under a temporary name beside its own and renamed by
/// `commit`. Without `commit` the temporary file is removed and whatever had the name before stays. A file that is
/// replaced must be writable; the new one has its mode, and its owner and group where the system permits. A symbolic
/// link keeps pointing to the file that is written, whether that was there before or not. What is not an ordinary file
/// (a pipe, a terminal) and what the process has open (/dev/stdout) is written in place. All members throw `Error` with
/// the file and the system's reason.
class OutputFile {
public:
    explicit OutputFile(const std::filesystem::path& file);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    /// Appends; not buffered, so write in large pieces.
    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }

    /// Closes the file and gives it its name. Call once, last.
    void commit();

private:
    void open_temporary();
    void create_beside_target(mode_t mode);

    std::filesystem::path name_;              ///< what the caller called it
    std::filesystem::path target_;            ///< where that leads
    std::optional<TemporaryFile> temporary_;  ///< none if the file is written in place
    int descriptor_ = -1;
};

}  // namespace tilespmv
