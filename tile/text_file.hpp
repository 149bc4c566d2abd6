#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tilespmv {

/// The text of a file: mapped if the file is plain, decompressed into memory if it is gzip or xz (a pipe is read into
/// memory, too). What the file is, is decided by its content. At least 64 readable zero bytes follow the text.
class TextFile {
public:
    /// `progress` is told the share of the work that is done, 0 to 1, if the file must be decompressed. Of a .tar.gz
    /// the text is that of NAME.mtx, where NAME.tar.gz is the name of the archive. Throws `Error` with the file, and
    /// the line if it is a compressed stream that breaks off.
    explicit TextFile(const std::filesystem::path& file, const std::function<void(double)>& progress = {});

    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    [[nodiscard]] const char* begin() const noexcept { return text_.data(); }
    [[nodiscard]] const char* end() const noexcept { return text_.data() + text_.size(); }
    [[nodiscard]] bool decompressed() const noexcept { return decompressed_; }

    /// Throws `Error("file:line: found X, expected Y")`; `where` tells the line, X is the word at `where`.
    [[noreturn]] void fail(const char* where, std::string_view expected) const;
    [[noreturn]] void fail(const char* where, std::string_view found, std::string_view expected) const;

private:
    std::string name_;
    std::shared_ptr<void> owner_;
    std::string_view text_;
    bool decompressed_ = false;
};

}  // namespace tilespmv
