#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace tilespmv {

/// A file that appears whole or not at all: it is written under a temporary name beside its own and renamed by
/// `commit`. Without `commit` the temporary file is removed and whatever had the name before stays. What is not an
/// ordinary file (a pipe, /dev/stdout) is written in place; a symbolic link keeps pointing to the file that is
/// replaced. All members throw `Error` with the file and the system's reason.
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

    std::filesystem::path file_;       ///< what the caller asked for, links resolved
    std::filesystem::path temporary_;  ///< empty if the file is written in place
    int descriptor_ = -1;
};

}  // namespace tilespmv
