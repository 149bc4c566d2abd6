#include "tile/archive/container.hpp"

#include <cstring>
#include <utility>

#include "tile/archive/archive.hpp"
#include "tile/io/mapped_file.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv::archive {
namespace {

using Bytes = std::span<std::byte>;

constexpr std::array<std::byte, kAlignment> kZeros{};

bool is_zero(std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

bool has_magic(std::span<const std::byte> bytes) {
    return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

/// What only one of the versions has.
void check_version(const Header& header) {
    if (header.version == 0 || header.header_bytes != sizeof(header)) damaged("version or header size");
    const bool is_tiled = header.version == kTileVersion;
    const bool has_kind = !name_in(header.kind).empty();
    if ((is_tiled && (has_kind || header.parameter != 0)) || !is_zero(std::as_bytes(std::span(header.reserved)))) {
        damaged("reserved bytes of the header");
    }
    if (!is_tiled && (!has_kind || !is_zero(std::as_bytes(std::span(header.format_names))))) {
        damaged("a name in the header");
    }
}

/// The bytes of each section: one after the other from the header to the end of the file.
std::array<Bytes, kSections> find_sections(const Header& header, Bytes bytes) {
    std::array<Bytes, kSections> found;
    Bytes rest = bytes.subspan(sizeof(header));
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Section& section = header.sections[i];
        const auto padding = padding_after(section.bytes);
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

}  // namespace

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

void damaged(std::string_view what) { throw Error(fmt::format("damaged: {}", what)); }

Header read_header(std::span<const std::byte> bytes) {
    if (!has_magic(bytes)) throw Error("not a .tsp archive");
    Header header;
    std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof(header)));
    if (header.version > kNewestVersion) {
        throw Error(
            fmt::format("version {} of .tsp is newer than this program can read ({})", header.version, kNewestVersion));
    }
    if (bytes.size() < sizeof(header)) {
        throw Error(fmt::format("truncated: {} bytes, the header has {}", bytes.size(), sizeof(header)));
    }
    if (header.checksum != header_checksum(header)) damaged("checksum of the header");
    check_version(header);
    if (bytes.size() != header.file_bytes) {
        throw Error(fmt::format("{}: {} bytes, expected {}", bytes.size() < header.file_bytes ? "truncated" : "damaged",
                                bytes.size(), header.file_bytes));
    }
    return header;
}

std::string_view kind_of(const Header& header) {
    return header.version == kTileVersion ? kTileKind : name_in(header.kind);
}

Container::Container(Memory memory, std::string_view kind, std::string_view value_type)
    : memory_(std::move(memory)), header_(read_header(memory_.bytes)) {
    if (kind_of(header_) != kind) {
        throw Error(fmt::format("holds a matrix of the kind '{}', expected '{}'", kind_of(header_), kind));
    }
    if (name_in(header_.value_type) != value_type) {
        throw Error(fmt::format("holds {} values, expected {}", name_in(header_.value_type), value_type));
    }
    sections_ = find_sections(header_, memory_.bytes);
}

void Container::require_empty_from(std::size_t i) const {
    for (; i < sections_.size(); ++i) {
        if (!sections_[i].empty()) damaged("a section that is not used");
    }
}

void write_container(const std::filesystem::path& file, Header header,
                     std::span<const std::span<const std::byte>> sections) {
    std::size_t end = sizeof(Header);
    for (std::size_t i = 0; i < header.sections.size(); ++i) {
        const auto bytes = i < sections.size() ? sections[i] : std::span<const std::byte>{};
        header.sections[i] = {end, bytes.size(), section_checksum(bytes)};
        end += bytes.size() + padding_after(bytes.size());
    }
    header.file_bytes = end;
    header.checksum = header_checksum(header);
    OutputFile out(file);
    out.write(std::as_bytes(std::span(&header, 1)));
    for (const auto bytes : sections) {
        out.write(bytes);
        out.write(std::span(kZeros).first(padding_after(bytes.size())));
    }
    out.commit();
}

}  // namespace tilespmv::archive

namespace tilespmv {
namespace {

std::span<const std::byte> bytes_of(const Input& input) { return std::as_bytes(std::span(input.bytes())); }

/// f(header) of an archive.
template <class F>
std::string with_header(const Input& input, F&& f) {
    return archive::about(input.file().string(), [&] { return std::string(f(archive::read_header(bytes_of(input)))); });
}

}  // namespace

bool is_archive(const Input& input) { return archive::has_magic(bytes_of(input)); }

std::string archive_value_type(const Input& input) {
    return with_header(input, [](const archive::Header& header) { return archive::name_in(header.value_type); });
}

std::string archive_kind(const Input& input) {
    return with_header(input, [](const archive::Header& header) { return archive::kind_of(header); });
}

}  // namespace tilespmv
