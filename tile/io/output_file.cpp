#include "tile/io/output_file.hpp"

#include <atomic>
#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

std::string message_of(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const fs::path& file, const char* action, int error) {
    throw Error(fmt::format("{}: cannot {}: {}", file.string(), action, message_of(error)));
}

/// The number of a descriptor that `file` stands for in the folder of those that are open, else -1.
int open_descriptor(const fs::path& folder, const fs::path& file) {
    std::error_code ignored;
    if (folder != fs::canonical("/proc/self/fd", ignored)) return -1;
    const std::string digits = file.filename().string();
    int descriptor = -1;
    std::from_chars(digits.data(), digits.data() + digits.size(), descriptor);
    return descriptor;
}

bool written_in_place(const fs::path& file) {
    std::error_code ignored;
    const auto status = fs::status(file, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

/// Makes a new file stand in for an old one. Who cannot give it to the old group does not open it to another one.
void take_over(int descriptor, const struct stat& old) {
    const bool owner = ::fchown(descriptor, old.st_uid, static_cast<gid_t>(-1)) == 0;
    const bool group = ::fchown(descriptor, static_cast<uid_t>(-1), old.st_gid) == 0;
    ::fchmod(descriptor, old.st_mode & (owner && group ? 07777 : group ? 0777 : 0707));
}

/// Not made from the name of the target, which may be as long as names can be.
fs::path temporary_name(const fs::path& target) {
    static std::atomic<unsigned> counter{0};
    return target.parent_path() / fmt::format(".tilespmv-{}-{}.tmp", ::getpid(), counter++);
}

[[noreturn]] void fail_to_create(const fs::path& file, const fs::path& folder, int error) {
    if (error != EACCES && error != EPERM && error != EROFS) fail(file, "be written", error);
    throw Error(fmt::format("{}: cannot be written: no new file can be made in its folder {}: {}", file.string(),
                            folder.string(), message_of(error)));
}

}  // namespace

OutputTarget output_target(const fs::path& file) {
    constexpr int most_links = 40;  // what Linux follows
    OutputTarget target{file};
    for (int links = 0; links <= most_links; ++links) {
        std::error_code error;
        const fs::path parent = target.file.parent_path();
        const fs::path folder = fs::weakly_canonical(parent.empty() ? "." : parent, error);
        if (error) return target;
        target.file = folder / target.file.filename();
        target.descriptor = open_descriptor(folder, target.file);
        const fs::path link = fs::read_symlink(target.file, error);
        if (error || target.descriptor >= 0) return target;
        target.file = folder / link;
    }
    fail(file, "be written", ELOOP);
}

OutputFile::OutputFile(const fs::path& file) : name_(file) {
    const OutputTarget target = output_target(file);
    target_ = target.file;
    if (target.descriptor >= 0) {
        descriptor_ = ::fcntl(target.descriptor, F_DUPFD_CLOEXEC, 0);
    } else if (written_in_place(target_)) {
        descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        open_temporary();
    }
    if (descriptor_ < 0) fail(name_, "be written", errno);
}

void OutputFile::open_temporary() {
    // Not mkstemp: its files are private, those that replace nothing follow the umask as ordinary output does.
    struct stat old {};
    const bool replaces = ::stat(target_.c_str(), &old) == 0;
    if (replaces && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail(name_, "be written", errno);
    create_beside_target(replaces ? 0600 : 0666);
    if (replaces) take_over(descriptor_, old);
}

void OutputFile::create_beside_target(mode_t mode) {
    int error = EEXIST;
    for (; descriptor_ < 0 && error == EEXIST; error = errno) {
        temporary_.emplace(temporary_name(target_));
        descriptor_ = ::open(temporary_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (descriptor_ < 0) temporary_->keep();  // it is not ours
    }
    if (descriptor_ < 0) fail_to_create(name_, target_.parent_path(), error);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            fail(name_, "be written", errno);
        }
    }
}

void OutputFile::commit() {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(name_, "be written", errno);
    if (!temporary_) return;
    if (::rename(temporary_->path().c_str(), target_.c_str()) != 0)
        fail(name_, "be renamed from its temporary name", errno);
    temporary_->keep();
}

}  // namespace tilespmv
