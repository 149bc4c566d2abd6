#include "tile/io/text_file.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/decompress.hpp"

namespace tilespmv {
namespace {

/// The word at `where` in quotes, shortened, with bytes that do not print as \xNN.
std::string quoted_word(const char* where, const char* end) {
    constexpr std::ptrdiff_t longest = 32;
    const char* stop =
        std::find_if(where, std::min(where + longest, end), [](unsigned char c) { return std::isspace(c); });
    std::string word;
    for (const char* p = where; p < stop; ++p) {
        const auto c = static_cast<unsigned char>(*p);
        word += c > 0x20 && c < 0x7f ? std::string(1, *p) : fmt::format("\\x{:02x}", c);
    }
    const bool cut = stop - where == longest && stop < end && !std::isspace(static_cast<unsigned char>(*stop));
    return fmt::format("'{}{}'", word, cut ? "..." : "");
}

}  // namespace

TextFile::TextFile(const Input& input, const InputLimits& limits, const std::function<void(double)>& progress)
    : name_(input.file().string()), owner_(input.owner()), text_(input.bytes()) {
    if (!is_compressed(text_)) return;
    auto memory = decompress(input, limits, progress);
    text_ = {memory.data.get(), memory.size};
    owner_ = std::move(memory.data);
}

void TextFile::fail(const char* where, std::string_view expected) const {
    if (where >= end()) fail(where, "end of file", expected);
    if (*where == '\n' || *where == '\r') fail(where, "end of line", expected);
    fail(where, quoted_word(where, end()), expected);
}

std::string TextFile::place(const char* where) const {
    return fmt::format("{}:{}", name_, 1 + std::count(begin(), where, '\n'));
}

void TextFile::fail(const char* where, std::string_view found, std::string_view expected) const {
    throw Error(fmt::format("{}: found {}, expected {}", place(where), found, expected));
}

}  // namespace tilespmv
