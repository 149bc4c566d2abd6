#pragma once

#include <filesystem>
#include <memory>

namespace tilespmv {

/// The name of a file that must not outlive this object, nor the process where that calls `remove_temporary_files`.
/// Make it before the file.
class TemporaryFile {
public:
    explicit TemporaryFile(std::filesystem::path file);
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    /// Removes the file, unless it was kept.
    ~TemporaryFile();

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return *path_; }
    /// The file, if there is one, is not removed.
    void keep() noexcept { kept_ = true; }

private:
    std::unique_ptr<std::filesystem::path> path_;
    bool listed_ = false;
    bool kept_ = false;
};

/// Removes the files of all (of 64 at most) `TemporaryFile`s there are. Async-signal-safe: for handlers of signals that
/// end the process.
void remove_temporary_files() noexcept;

}  // namespace tilespmv
