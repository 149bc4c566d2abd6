#include "tile/archive/archive.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tile/archive/container.hpp"
#include "tile/archive/verify_tiles.hpp"
#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv {
namespace {

using archive::Container;

template <Value V>
TileMatrix<V> view_matrix(const Container& container) {
    TileMatrix<V> a;
    a.rows = container.header().rows;
    a.cols = container.header().cols;
    a.nnz = container.header().nnz;
    std::size_t i = 0;
    archive::for_each_section(
        a, [&]<class T>(const char* name, Buffer<T>& buffer) { buffer = container.section<T>(i++, name); });
    return a;
}

/// Replaces the format numbers of the file by those of `formats`.
template <Value V>
void translate_formats(TileMatrix<V>& a, const archive::Header& header, std::span<const FormatInfo> formats) {
    constexpr int unknown = -1;
    std::array<int, TileEntry::kMaxFormats> here{};
    bool same = true;
    for (std::size_t i = 0; i < here.size(); ++i) {
        const auto name = archive::name_in(header.format_names[i]);
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
                                    archive::name_in(header.format_names[e.format()])));
        }
        a.tiles[t] = TileEntry(e.column(), id, e.nnz(), e.values(), e.index_bytes(), e.parameter());
    });
}

template <Value V>
TileMatrix<V> open(archive::Memory memory, std::span<const FormatInfo> formats) {
    const std::string name = memory.name;
    return archive::about(name, [&] {
        const Container container(std::move(memory), kTileKind, value_name<V>());
        auto a = view_matrix<V>(container);
        translate_formats(a, container.header(), formats);
        archive::about("damaged", [&] { validate(a, formats); });
        return a;
    });
}

}  // namespace

template <Value V>
TileMatrix<V> open_archive(std::span<std::byte> bytes, std::shared_ptr<void> owner, std::string_view name,
                           std::span<const FormatInfo> formats) {
    return open<V>({bytes, std::move(owner), std::string(name)}, formats);
}

template <Value V>
TileMatrix<V> open_archive(const std::filesystem::path& file, std::span<const FormatInfo> formats) {
    return open<V>(archive::memory_of(file), formats);
}

template <Value V>
TileMatrix<V> open_archive(const Input& input, std::span<const FormatInfo> formats) {
    return open<V>(archive::memory_of(input), formats);
}

#define TILESPMV_INSTANTIATE(V)                                                                        \
    template TileMatrix<V> open_archive(std::span<std::byte>, std::shared_ptr<void>, std::string_view, \
                                        std::span<const FormatInfo>);                                  \
    template TileMatrix<V> open_archive(const std::filesystem::path&, std::span<const FormatInfo>);    \
    template TileMatrix<V> open_archive(const Input&, std::span<const FormatInfo>);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
