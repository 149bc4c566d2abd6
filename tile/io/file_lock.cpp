#include "tile/io/file_lock.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

/// A descriptor that holds the lock, or an `errno`.
struct Attempt {
    int descriptor = -1;
    int error = 0;
};

/// Who held the lock before may have removed its file after it was opened here.
bool is_still_there(const fs::path& file, int descriptor) {
    struct stat named {};
    struct stat opened {};
    return ::stat(file.c_str(), &named) == 0 && ::fstat(descriptor, &opened) == 0 && named.st_dev == opened.st_dev &&
           named.st_ino == opened.st_ino;
}

Attempt try_lock(const fs::path& file) {
    for (;;) {
        const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor < 0) return {-1, errno};
        if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            const int error = errno;
            ::close(descriptor);
            if (error == EINTR) continue;
            return {-1, error};
        }
        if (is_still_there(file, descriptor)) return {descriptor, 0};
        ::close(descriptor);
    }
}

fs::path lock_name(const fs::path& file) {
    constexpr std::size_t room = 255 - std::string_view("..lock").size();
    return file.parent_path() / fmt::format(".{}.lock", file.filename().string().substr(0, room));
}

}  // namespace

FileLock::FileLock(const fs::path& file) {
    const OutputTarget target = output_target(file);
    std::error_code missing;
    const bool ordinary = !fs::exists(target.file, missing) || fs::is_regular_file(target.file);
    if (target.descriptor >= 0 || !ordinary) return;
    const fs::path lock = lock_name(target.file);
    const Attempt attempt = try_lock(lock);
    if (attempt.error == EWOULDBLOCK) {
        throw Error(
            fmt::format("{}: another process is writing to it; wait for its end, or name another file", file.string()));
    }
    if (attempt.error != 0) {
        throw Error(fmt::format("{}: cannot be written: no lock {}: {}", file.string(), lock.string(),
                                std::generic_category().message(attempt.error)));
    }
    descriptor_ = attempt.descriptor;
    file_.emplace(lock);
}

FileLock::~FileLock() {
    file_.reset();  // while the lock is held: then nobody can have taken it
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace tilespmv
