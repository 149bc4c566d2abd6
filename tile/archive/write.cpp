#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tile/archive/archive.hpp"
#include "tile/archive/container.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

template <Value V>
archive::Header header_of(const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    archive::Header header;
    header.rows = a.rows;
    header.cols = a.cols;
    header.nnz = a.nnz;
    archive::set_name(header.value_type, value_name<V>());
    if (formats.size() > header.format_names.size()) throw Error("archive: more formats than a tile can name");
    for (std::size_t i = 0; i < formats.size(); ++i) archive::set_name(header.format_names[i], formats[i].name);
    return header;
}

}  // namespace

template <Value V>
void write_archive(const std::filesystem::path& file, const TileMatrix<V>& a, std::span<const FormatInfo> formats) {
    validate_sizes(a);
    std::vector<std::span<const std::byte>> sections;
    archive::for_each_section(
        a, [&](std::string_view, const auto& buffer) { sections.push_back(std::as_bytes(std::span(buffer))); });
    archive::write_container(file, header_of(a, formats), sections);
}

#define TILESPMV_INSTANTIATE(V) \
    template void write_archive(const std::filesystem::path&, const TileMatrix<V>&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
