#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace tilespmv {

/// A whole regular file mapped into memory. Reading sees the file, writing copies the page touched and never reaches
/// the file. `kPadding` readable zero bytes follow the last byte. To read what was cut off the file since it was mapped
/// is a bus error; `mapped_file_at` tells a handler of SIGBUS whose. `std::make_shared<MappedFile>` is an owner for
/// `Buffer::view`.
class MappedFile {
public:
    static constexpr std::size_t kPadding = 64;

    /// Throws `Error` with the file and the reason if there is none, it is a directory or a device, or unreadable.
    explicit MappedFile(const std::filesystem::path& file);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    ~MappedFile();

    [[nodiscard]] std::byte* data() noexcept { return data_; }
    [[nodiscard]] const std::byte* data() const noexcept { return data_; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// What is mapped, as a signal handler sees it.
    struct Range {
        const std::byte* begin;
        const std::byte* end;
        std::string name;
    };

private:
    std::unique_ptr<const Range> range_;
    bool listed_ = false;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_bytes_ = 0;
};

/// The printable name of the file that is mapped at an address, null if there is none (or 64 others are mapped).
/// Async-signal-safe; for handlers that end the process, since it works once.
const char* mapped_file_at(const void* address) noexcept;

}  // namespace tilespmv
