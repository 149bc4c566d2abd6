#pragma once

#include <cstddef>
#include <filesystem>

namespace tilespmv {

/// A whole regular file mapped into memory. Reading sees the file, writing copies the page touched and never reaches
/// the file. `kPadding` readable zero bytes follow the last byte. The file must not shrink while it is mapped.
/// `std::make_shared<MappedFile>` is an owner for `Buffer::view`.
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

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_bytes_ = 0;
};

}  // namespace tilespmv
