#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>

#include "tile/io/output_file.hpp"

namespace tilespmv {

/// The name without the end that compresses what is written there, .gz, .bz2, .xz or .zst.
std::filesystem::path without_compression(const std::filesystem::path& file);

/// An `OutputFile` of text, compressed where the end of its name says so: .gz, .bz2, .xz or .zst. The same text gives
/// the same bytes.
class TextOutput {
public:
    explicit TextOutput(const std::filesystem::path& file);
    TextOutput(const TextOutput&) = delete;
    TextOutput& operator=(const TextOutput&) = delete;
    ~TextOutput();

    void write(std::string_view text);
    /// As that of `OutputFile`.
    void commit();

private:
    struct Compressor;

    void check(bool done);

    std::filesystem::path name_;
    OutputFile file_;
    std::unique_ptr<Compressor> compressor_;  ///< none of a plain file
};

}  // namespace tilespmv
