#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tile/archive/layout.hpp"
#include "tile/csr.hpp"
#include "tile/error.hpp"
#include "tile/io/input.hpp"

/// What archives of every kind of matrix share: the header, places and checksums of sections.
namespace tilespmv::archive {

/// The bytes of an archive, at a multiple of 64.
struct Memory {
    std::span<std::byte> bytes;
    std::shared_ptr<void> owner;  ///< keeps them alive
    std::string name;             ///< in messages
};

/// Maps a file; writing to its bytes copies pages privately. Throws `Error` as `MappedFile` does.
Memory memory_of(const std::filesystem::path& file);
/// The same for an input that is open already. What came through a pipe is copied, as opening may write to it.
Memory memory_of(const Input& input);

[[noreturn]] void damaged(std::string_view what);

/// Runs f, whose errors get the name of the archive, or what is wrong with it, in front.
template <class F>
decltype(auto) about(std::string_view name, F&& f) {
    try {
        return f();
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()), error.code());
    }
}

/// The header of an archive, its own members checked; what it says of sections is not yet. Throws `Error` without the
/// name of the archive, as everything below does.
Header read_header(std::span<const std::byte> bytes);

/// The name in a field of the header, empty if there is none. Names appear in messages, so only plain characters are
/// let through.
template <std::size_t N>
std::string_view name_in(const std::array<char, N>& field) {
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    const auto end = std::find_if_not(field.begin(), field.end(), plain);
    if (end == field.end() || std::any_of(end, field.end(), [](char c) { return c != '\0'; })) {
        damaged("a name in the header");
    }
    return {field.begin(), end};
}

template <std::size_t N>
void set_name(std::array<char, N>& field, std::string_view name) {
    if (name.empty() || name.size() >= N) {
        throw Error(fmt::format("archive: the name '{}' must have 1 to {} characters", name, N - 1));
    }
    std::copy(name.begin(), name.end(), field.begin());
}

/// The kind of matrix that a header names.
std::string_view kind_of(const Header& header);

/// An archive that is open.
class Container {
public:
    /// Checks the header and the places of the sections. Throws if it holds another kind or values of another type.
    Container(Memory memory, std::string_view kind, std::string_view value_type);

    [[nodiscard]] const Header& header() const { return header_; }
    /// A section in place, after its size and checksum. Messages call it `name`.
    template <class T>
    [[nodiscard]] Buffer<T> section(std::size_t i, std::string_view name) const {
        const std::span<std::byte> bytes = sections_[i];
        if (bytes.size() % sizeof(T) != 0) damaged(fmt::format("size of section {}", name));
        if (section_checksum(bytes) != header_.sections[i].checksum)
            damaged(fmt::format("checksum of section {}", name));
        return Buffer<T>::view(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T), memory_.owner);
    }
    /// Throws unless section `i` and those behind it are.
    void require_empty_from(std::size_t i) const;

private:
    Memory memory_;
    Header header_;
    std::array<std::span<std::byte>, kSections> sections_;
};

/// Writes an archive: to a temporary file beside `file`, then renamed. `header` needs no sizes, places and checksums;
/// sections behind those given are empty. Throws `Error` if the file cannot be written.
void write_container(const std::filesystem::path& file, Header header,
                     std::span<const std::span<const std::byte>> sections);

}  // namespace tilespmv::archive
