#include "tile/io/mapped_file.hpp"

#include <functional>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tile/io/descriptor.hpp"
#include "tile/io/printable.hpp"
#include "tile/io/signal_table.hpp"

namespace tilespmv {
namespace {

SignalTable<const MappedFile::Range, 64> ranges;

std::size_t regular_size(const std::filesystem::path& file, int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) cannot_read(file, last_reason());
    if (S_ISDIR(status.st_mode)) cannot_read(file, "found a directory, expected a file");
    if (!S_ISREG(status.st_mode)) cannot_read(file, "found a device or pipe, expected an ordinary file");
    return static_cast<std::size_t>(status.st_size);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) {
    const Descriptor descriptor(file, O_NONBLOCK);
    size_ = regular_size(file, descriptor.value);
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    mapped_bytes_ = (size_ + kPadding + page - 1) / page * page;
    // Anonymous zero pages first, the file over them: what lies behind the end of the file can then be read.
    constexpr int access = PROT_READ | PROT_WRITE;
    constexpr int flags = MAP_PRIVATE | MAP_NORESERVE;
    void* memory = ::mmap(nullptr, mapped_bytes_, access, flags | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) cannot_read(file, last_reason());
    if (size_ > 0 && ::mmap(memory, size_, access, flags | MAP_FIXED, descriptor.value, 0) == MAP_FAILED) {
        const auto reason = last_reason();
        ::munmap(memory, mapped_bytes_);
        cannot_read(file, reason);
    }
    data_ = static_cast<std::byte*>(memory);
    range_ = std::make_unique<const Range>(Range{data_, data_ + size_, printable(file.string())});
    listed_ = ranges.add(range_.get());
}

MappedFile::~MappedFile() {
    if (listed_ && !ranges.remove(range_.get())) static_cast<void>(range_.release());  // a signal handler reads it
    ::munmap(data_, mapped_bytes_);
}

const char* mapped_file_at(const void* address) noexcept {
    const char* name = nullptr;
    const auto* byte = static_cast<const std::byte*>(address);
    ranges.take_all([&](const MappedFile::Range& range) {
        if (!std::less<>()(byte, range.begin) && std::less<>()(byte, range.end)) name = range.name.c_str();
    });
    return name;
}

}  // namespace tilespmv
