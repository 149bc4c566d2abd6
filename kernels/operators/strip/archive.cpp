#include "kernels/operators/strip/archive.hpp"

#include <string>
#include <utility>
#include <vector>

#include "kernels/operators/strip/verify_strips.hpp"
#include "tile/archive/container.hpp"

namespace tilespmv {
namespace {

constexpr std::uint32_t kStripVersion = 2;

/// Calls f(name, buffer) for the array behind each section, in file order; those behind them are empty.
template <class Matrix, class Ranges, class F>
void for_each_section(Matrix& m, Ranges& rest, F&& f) {
    f("runs", m.strips.runs);
    f("tile_rows", m.strips.tile_rows);
    f("bases", m.strips.bases);
    f("codes", m.strips.codes);
    f("masks", m.strips.masks);
    f("values", m.values);
    f("rest", rest);
    f("rest.row_ptrs", m.rest.row_ptrs);
    f("rest.col_idxs", m.rest.col_idxs);
    f("rest.values", m.rest.values);
}

template <Value V>
archive::Header header_of(const StripMatrix<V>& m) {
    archive::Header header;
    header.version = kStripVersion;
    header.rows = m.rows;
    header.cols = m.cols;
    header.nnz = m.nnz;
    archive::set_name(header.value_type, value_name<V>());
    archive::set_name(header.kind, kStripKind);
    header.parameter = static_cast<std::uint32_t>(m.strips.together);
    return header;
}

template <Value V>
StripMatrix<V> view_matrix(const archive::Container& container) {
    const archive::Header& header = container.header();
    StripMatrix<V> m;
    m.rows = header.rows;
    m.cols = header.cols;
    m.nnz = header.nnz;
    Buffer<RowRange> rest;
    std::size_t i = 0;
    for_each_section(m, rest,
                     [&]<class T>(const char* name, Buffer<T>& buffer) { buffer = container.section<T>(i++, name); });
    container.require_empty_from(i);
    m.strips.value_bytes = sizeof(V);
    m.strips.together = static_cast<int>(header.parameter);
    m.strips.slots = static_cast<std::int64_t>(m.values.size() / kTileSize);
    m.strips.nonzeros = m.nnz - m.rest.nnz();
    m.strips.rest.assign(rest.begin(), rest.end());
    m.rest.rows = rest.empty() ? 0 : m.rows;
    m.rest.cols = rest.empty() ? 0 : m.cols;
    return m;
}

template <Value V>
StripMatrix<V> open(archive::Memory memory) {
    const std::string name = memory.name;
    return archive::about(name, [&] {
        const archive::Container container(std::move(memory), kStripKind, value_name<V>());
        auto m = view_matrix<V>(container);
        archive::about("damaged", [&] { validate(m); });
        return m;
    });
}

}  // namespace

template <Value V>
void write_archive(const std::filesystem::path& file, const StripMatrix<V>& m) {
    validate_sizes(m);
    const Buffer<RowRange> rest{std::span<const RowRange>(m.strips.rest)};
    std::vector<std::span<const std::byte>> sections;
    for_each_section(
        m, rest, [&](std::string_view, const auto& buffer) { sections.push_back(std::as_bytes(std::span(buffer))); });
    archive::write_container(file, header_of(m), sections);
}

template <Value V>
StripMatrix<V> open_strips(const std::filesystem::path& file) {
    return open<V>(archive::memory_of(file));
}

template <Value V>
StripMatrix<V> open_strips(std::span<std::byte> bytes, std::shared_ptr<void> owner, std::string_view name) {
    return open<V>({bytes, std::move(owner), std::string(name)});
}

template <Value V>
StripMatrix<V> open_strips(const Input& input) {
    return open<V>(archive::memory_of(input));
}

#define TILESPMV_INSTANTIATE(V)                                                                         \
    template void write_archive(const std::filesystem::path&, const StripMatrix<V>&);                   \
    template StripMatrix<V> open_strips(const std::filesystem::path&);                                  \
    template StripMatrix<V> open_strips(std::span<std::byte>, std::shared_ptr<void>, std::string_view); \
    template StripMatrix<V> open_strips(const Input&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
