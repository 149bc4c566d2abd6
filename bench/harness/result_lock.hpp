#pragma once

#include <filesystem>
#include <optional>

#include "tile/io/temporary_file.hpp"

namespace tilespmv::bench {

/// The sole right to write a result file, by a lock on a file .NAME.lock beside it that ends with this object, or with
/// the process. What is not an ordinary file needs none.
class ResultLock {
public:
    /// Throws `Error` if another process has it, or the lock cannot be made.
    explicit ResultLock(const std::filesystem::path& file);
    ResultLock(const ResultLock&) = delete;
    ResultLock& operator=(const ResultLock&) = delete;
    ~ResultLock();

private:
    std::optional<TemporaryFile> file_;
    int descriptor_ = -1;
};

}  // namespace tilespmv::bench
