#include "tile/archive/archive.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tile/archive/layout.hpp"
#include "tile/archive/verify_tiles.hpp"
#include "tile/error.hpp"
#include "tile/io/mapped_file.hpp"
#include "tile/io/output_file.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

using archive::Header;
using Bytes = std::span<std::byte>;

/// The bytes of an archive, at a multiple of 64.
struct Memory {
    Bytes bytes;
    std::shared_ptr<void> owner;  ///< keeps them alive
    std::string name;             ///< in messages
};

/// Maps a file; writing to its bytes copies pages privately. Throws `Error` as `MappedFile` does.
Memory memory_of(const std::filesystem::path& file) {
    auto mapped = std::make_shared<MappedFile>(file);
    const Bytes bytes(mapped->data(), mapped->size());
    return {bytes, std::move(mapped), file.string()};
}

Memory memory_of(const Input& input) {
    if (input.is_mapped()) return memory_of(input.file());
    auto copy = std::make_shared<Buffer<std::byte>>(std::as_bytes(std::span(input.bytes())));
    const Bytes bytes(copy->data(), copy->size());
    return {bytes, std::move(copy), input.file().string()};
}

[[noreturn]] void damaged(std::string_view what) { throw Error(fmt::format("damaged: {}", what)); }

/// Runs f, whose errors get the name of the archive, or what is wrong with it, in front.
template <class F>
decltype(auto) about(std::string_view name, F&& f) {
    try {
        return f();
    } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", name, error.what()), error.code());
    }
}

bool is_zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

bool has_magic(std::span<const std::byte> bytes) {
    using archive::kMagic;
    return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

void check_version(std::uint32_t version) {
    if (version == archive::kStripVersion) {
        throw Error(
            "an archive of strips; this version reads archives of tiles only: convert the matrix again "
            "('tilespmv convert A.mtx -o A.tsp'), or this archive to .mtx with the version that wrote it");
    }
    if (version > archive::kVersion) {
        throw Error(
            fmt::format("version {} of .tsp is newer than this program can read ({})", version, archive::kVersion));
    }
}

/// The header of an archive, its own members checked; what it says of sections is not yet.
Header read_header(std::span<const std::byte> bytes) {
    if (!has_magic(bytes)) throw Error("not a .tsp archive");
    Header header;
    std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof(header)));
    check_version(header.version);
    if (bytes.size() < sizeof(header)) {
        throw Error(fmt::format("truncated: {} bytes, the header has {}", bytes.size(), sizeof(header)));
    }
    if (header.checksum != archive::header_checksum(header)) damaged("checksum of the header");
    if (header.version == 0 || header.header_bytes != sizeof(header)) damaged("version or header size");
    if (!is_zero(std::as_bytes(std::span(header.reserved)))) damaged("reserved bytes of the header");
    if (bytes.size() != header.file_bytes) {
        throw Error(fmt::format("{}: {} bytes, expected {}", bytes.size() < header.file_bytes ? "truncated" : "damaged",
                                bytes.size(), header.file_bytes));
    }
    return header;
}

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

/// The bytes of each section: one after the other from the header to the end of the file.
std::array<Bytes, archive::kSections> find_sections(const Header& header, Bytes bytes) {
    std::array<Bytes, archive::kSections> found;
    Bytes rest = bytes.subspan(sizeof(header));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const archive::Section& section = header.sections[i];
        const auto padding = archive::padding_after(section.bytes);
        if (section.offset != bytes.size() - rest.size() || section.bytes > rest.size() ||
            padding > rest.size() - section.bytes) {
            damaged("place or size of a section");
        }
        found[i] = rest.first(section.bytes);
        rest = rest.subspan(section.bytes);
        if (!is_zero(rest.first(padding))) damaged("bytes between sections");
        rest = rest.subspan(padding);
    }
    if (!rest.empty()) damaged("bytes behind the last section");
    return found;
}

/// Views of the sections, after their sizes and checksums.
template <Value V>
TileMatrix<V> view_matrix(const Header& header, const Memory& memory) {
    const auto sections = find_sections(header, memory.bytes);
    TileMatrix<V> a;
    a.rows = header.rows;
    a.cols = header.cols;
    a.nnz = header.nnz;
    std::size_t i = 0;
    archive::for_each_section(a, [&]<class T>(const char* name, Buffer<T>& buffer) {
        const Bytes bytes = sections[i];
        if (bytes.size() % sizeof(T) != 0) damaged(fmt::format("size of section {}", name));
        if (archive::section_checksum(bytes) != header.sections[i++].checksum) {
            damaged(fmt::format("checksum of section {}", name));
        }
        buffer = Buffer<T>::view(reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T), memory.owner);
    });
    return a;
}

/// Replaces the format numbers of the file by those of `formats`.
template <Value V>
void translate_formats(TileMatrix<V>& a, const Header& header, std::span<const FormatInfo> formats) {
    constexpr int unknown = -1;
    std::array<int, TileEntry::kMaxFormats> here{};
    bool same = true;
    for (std::size_t i = 0; i < here.size(); ++i) {
        const auto name = name_in(header.format_names[i]);
        const auto found = std::find_if(formats.begin(), formats.end(), [&](auto& f) { return f.name == name; });
        here[i] = found == formats.end() ? unknown : static_cast<int>(found - formats.begin());
        same = same && name == (i < formats.size() ? formats[i].name : "");
    }
    if (same) return;
    parallel_for(0, static_cast<std::int64_t>(a.tiles.size()), 1 << 14, [&](std::int64_t t) {
        const TileEntry e = a.tiles[t];
        const int id = here[e.format()];
        if (id == unknown) {
            throw Error(fmt::format("tile {} has format {} ('{}'), which this program does not know", t, e.format(),
                                    name_in(header.format_names[e.format()])));
        }
        a.tiles[t] = TileEntry(e.column(), id, e.nnz(), e.values(), e.index_bytes(), e.parameter());
    });
}

template <Value V>
TileMatrix<V> open(const Memory& memory, std::span<const FormatInfo> formats) {
    return about(memory.name, [&] {
        const Header header = read_header(memory.bytes);
        if (name_in(header.value_type) != value_name<V>()) {
            throw Error(fmt::format("holds {} values, expected {}", name_in(header.value_type), value_name<V>()));
        }
        auto a = view_matrix<V>(header, memory);
        translate_formats(a, header, formats);
        about("damaged", [&] { validate(a, formats); });
        return a;
    });
}

template <Value V>
Header header_of(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    Header header;
    header.rows = a.rows;
    header.cols = a.cols;
    header.nnz = a.nnz;
    set_name(header.value_type, value_name<V>());
    if (formats.size() > header.format_names.size()) throw Error("archive: more formats than a tile can name");
    for (std::size_t i = 0; i < formats.size(); ++i) set_name(header.format_names[i], formats[i].name);
    return header;
}

}  // namespace

template <Value V>
void write_archive(const std::filesystem::path& file, const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    validate_sizes(a);
    Header header = header_of(a, formats);
    std::vector<std::span<const std::byte>> sections;
    std::size_t end = sizeof(Header);
    archive::for_each_section(a, [&](std::string_view, const auto& buffer) {
        const auto bytes = std::as_bytes(std::span(buffer));
        header.sections[sections.size()] = {end, bytes.size(), archive::section_checksum(bytes)};
        end += bytes.size() + archive::padding_after(bytes.size());
        sections.push_back(bytes);
    });
    header.file_bytes = end;
    header.checksum = archive::header_checksum(header);
    constexpr std::array<std::byte, archive::kAlignment> zeros{};
    OutputFile out(file);
    out.write(std::as_bytes(std::span(&header, 1)));
    for (const auto bytes : sections) {
        out.write(bytes);
        out.write(std::span(zeros).first(archive::padding_after(bytes.size())));
    }
    out.commit();
}

template <Value V>
TileMatrix<V> open_archive(std::span<std::byte> bytes, std::shared_ptr<void> owner, std::string_view name,
                           std::span<const FormatInfo> formats) {
    return open<V>({bytes, std::move(owner), std::string(name)}, formats);
}

template <Value V>
TileMatrix<V> open_archive(const std::filesystem::path& file, std::span<const FormatInfo> formats) {
    return open<V>(memory_of(file), formats);
}

template <Value V>
TileMatrix<V> open_archive(const Input& input, std::span<const FormatInfo> formats) {
    return open<V>(memory_of(input), formats);
}

bool is_archive(const Input& input) { return has_magic(std::as_bytes(std::span(input.bytes()))); }

std::string archive_value_type(const Input& input) {
    return about(input.file().string(), [&] {
        const Header header = read_header(std::as_bytes(std::span(input.bytes())));
        return std::string(name_in(header.value_type));
    });
}

#define TILESPMV_INSTANTIATE(V)                                                                                   \
    template void write_archive(const std::filesystem::path&, const TileMatrix<V>&, std::span<const FormatInfo>); \
    template TileMatrix<V> open_archive(std::span<std::byte>, std::shared_ptr<void>, std::string_view,            \
                                        std::span<const FormatInfo>);                                             \
    template TileMatrix<V> open_archive(const std::filesystem::path&, std::span<const FormatInfo>);               \
    template TileMatrix<V> open_archive(const Input&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
