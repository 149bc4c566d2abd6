#include <algorithm>

#include <fmt/format.h>

#include "tile/archive/archive.hpp"
#include "tile/archive/layout.hpp"
#include "tile/error.hpp"
#include "tile/io/output_file.hpp"

namespace tilespmv {
namespace {

using archive::Header;

template <std::size_t N>
void set_name(std::array<char, N>& field, std::string_view name) {
    if (name.empty() || name.size() >= N) {
        throw Error(fmt::format("archive: the name '{}' must have 1 to {} characters", name, N - 1));
    }
    std::copy(name.begin(), name.end(), field.begin());
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
    std::size_t end = sizeof(Header);
    auto section = header.sections.begin();
    archive::for_each_section(a, [&](std::string_view, const auto& buffer) {
        *section++ = {end, buffer.bytes(), archive::section_checksum(std::as_bytes(std::span(buffer)))};
        end += buffer.bytes() + archive::padding_after(buffer.bytes());
    });
    header.file_bytes = end;
    header.checksum = archive::header_checksum(header);
    return header;
}

constexpr std::array<std::byte, archive::kAlignment> kZeros{};

}  // namespace

template <Value V>
void write_archive(const std::filesystem::path& file, const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    OutputFile out(file);
    const Header header = header_of(a, formats);
    out.write(std::as_bytes(std::span(&header, 1)));
    archive::for_each_section(a, [&](std::string_view, const auto& buffer) {
        out.write(std::as_bytes(std::span(buffer)));
        out.write(std::span(kZeros).first(archive::padding_after(buffer.bytes())));
    });
    out.commit();
}

#define TILESPMV_INSTANTIATE(V) \
    template void write_archive(const std::filesystem::path&, const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
