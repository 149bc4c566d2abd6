#include "tile/output_file.hpp"

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const char* action, int reason) {
    throw Error(fmt::format("{}: cannot {}: {}", file.string(), action, std::generic_category().message(reason)));
}

/// Follows symbolic links as far as they lead.
fs::path resolved(const fs::path& file) {
    std::error_code ignored;
    const auto target = fs::weakly_canonical(file, ignored);
    return target.empty() ? file : target;
}

bool written_in_place(const fs::path& file) {
    std::error_code ignored;
    const auto status = fs::status(file, ignored);
    return fs::exists(status) && !fs::is_regular_file(status);
}

}  // namespace

OutputFile::OutputFile(const fs::path& file) : file_(resolved(file)) {
    if (!written_in_place(file)) {
        open_temporary();
        return;
    }
    file_ = file;
    descriptor_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(file_, "be written", errno);
}

void OutputFile::open_temporary() {
    // Not mkstemp: its files are private, these follow the umask as ordinary output does.
    static std::atomic<unsigned> counter{0};
    do {
        temporary_ = file_;
        temporary_ += fmt::format(".{}-{}.tmp", ::getpid(), counter++);
        descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) fail(file_, "be written", errno);
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            fail(file_, "be written", errno);
        }
    }
}

void OutputFile::commit() {
    const int closed = ::close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail(file_, "be written", errno);
    if (temporary_.empty()) return;
    if (::rename(temporary_.c_str(), file_.c_str()) != 0) fail(file_, "be renamed from its temporary name", errno);
    temporary_.clear();
}

}  // namespace tilespmv
