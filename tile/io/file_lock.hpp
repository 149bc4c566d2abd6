#pragma once

#include <filesystem>
#include <optional>

#include "tile/io/temporary_file.hpp"

namespace tilespmv {

/// The sole right to read a file, change what it holds and write it, by a lock on a file .NAME.lock beside it that ends
/// with this object, or with the process. What is not an ordinary file needs none.
class FileLock {
public:
    /// Throws `Error` if the lock cannot be made, or another process has it.
    explicit FileLock(const std::filesystem::path& file);
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock();

private:
    std::optional<TemporaryFile> file_;
    int descriptor_ = -1;
};

}  // namespace tilespmv
