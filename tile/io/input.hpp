#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>

namespace tilespmv {

/// How much memory an input may ask for beyond its own size: a line of text can promise billions of rows, and a
/// compressed file can be thousands of times shorter than its text. Real matrices stay far below: they have a few
/// nonzeros a row, so that row pointers take less than the text, and compressors make text 3 to 50 times shorter.
struct InputLimits {
    static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t bytes = std::uint64_t{1} << 30;  ///< that the size of any matrix may ask for, its rows being empty
    std::uint64_t text_bytes = std::uint64_t{64} << 20;  ///< that any compressed input may become
    std::uint64_t ratio = 200;                           ///< bytes for each of the input, if they are more than these

    /// Bytes that the text of a compressed input may have.
    [[nodiscard]] std::uint64_t most_text(std::uint64_t input_bytes) const noexcept {
        return std::max(text_bytes, input_bytes * ratio);
    }
    /// Throws `Error`, which starts with `place`, for a matrix whose row pointers and vectors take more than an input
    /// of so many bytes may ask for: before anything is allocated for them.
    void require_backed(std::string_view place, std::int32_t rows, std::int32_t cols, std::uint64_t input_bytes) const;
    /// For trusted inputs.
    static InputLimits none() noexcept { return {.bytes = kUnlimited, .text_bytes = kUnlimited}; }
};

/// The bytes of a file, which is opened and read once, so that it may be a pipe: a regular file is mapped, anything
/// else is read into memory to its end. At least 64 readable zero bytes follow. Copies share the bytes.
class Input {
public:
    /// Waits for the writer of a named pipe. Throws `Error` with the file and the reason if it cannot be read.
    explicit Input(std::filesystem::path file);
    /// A copy of bytes in memory; `name` stands for the file in errors.
    Input(std::filesystem::path name, std::string_view bytes);

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
    /// Valid as long as this object, a copy of it or `owner()` lives.
    [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
    /// Whether the file is a pipe or a device, so that it cannot be read a second time.
    [[nodiscard]] bool is_stream() const noexcept { return is_stream_; }
    /// Whether the bytes are those of a file that is mapped, which may be mapped once more.
    [[nodiscard]] bool is_mapped() const noexcept { return is_mapped_; }
    /// Keeps the bytes alive.
    [[nodiscard]] const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

private:
    std::filesystem::path file_;
    std::shared_ptr<const void> owner_;
    std::string_view bytes_;
    bool is_stream_ = false;
    bool is_mapped_ = false;
};

/// For programs that read `input` and write `output`: throws a usage `Error` if both are the same file.
void refuse_to_replace(const std::filesystem::path& output, const std::filesystem::path& input);

}  // namespace tilespmv
