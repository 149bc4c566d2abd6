#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tile/io/input.hpp"

namespace tilespmv {

/// The text of an input: its own bytes if it is plain, decompressed into memory if it is gzip, bzip2, xz or Zstandard.
/// Its type is detected from its content. At least 64 readable zero bytes follow the text.
class TextFile {
public:
    /// `progress` is told the share of the work that is done, 0 to 1, if the text must be decompressed. What is read of
    /// a .tar.gz, and what is refused, is said at `decompress` (text_file.cpp).
    explicit TextFile(const Input& input, const InputLimits& limits = {},
                      const std::function<void(double)>& progress = {});

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] const char* begin() const noexcept { return text_.data(); }
    [[nodiscard]] const char* end() const noexcept { return text_.data() + text_.size(); }

    /// "file:line", as errors begin.
    [[nodiscard]] std::string place(const char* where) const;
    /// Throws `Error("file:line: found X, expected Y")`; `where` tells the line, X is the word at `where`.
    [[noreturn]] void fail(const char* where, std::string_view expected) const;
    [[noreturn]] void fail(const char* where, std::string_view found, std::string_view expected) const;

private:
    std::string name_;
    std::shared_ptr<const void> owner_;
    std::string_view text_;
};

}  // namespace tilespmv
