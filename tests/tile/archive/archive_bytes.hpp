#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "tile/archive/archive.hpp"
#include "tile/archive/layout.hpp"
#include "tile/archive/verify_tiles.hpp"

/// Archives as plain bytes, for tests that damage them.
namespace tilespmv::test {

/// Opens an archive in memory of its own, of exactly its size, so that a sanitizer sees every step beyond it.
template <Value V>
TileMatrix<V> open_bytes(std::string_view content) {
    auto copy = std::make_shared<Buffer<std::byte>>(content.size());
    std::copy(content.begin(), content.end(), reinterpret_cast<char*>(copy->data()));
    const std::span<std::byte> bytes(copy->data(), copy->size());
    return open_archive<V>(bytes, std::move(copy), "A.tsp", formats::format_table());
}

inline archive::Header header_of(std::string_view content) {
    archive::Header header;
    std::memcpy(&header, content.data(), std::min(content.size(), sizeof(header)));
    return header;
}

/// Puts the header back with its own checksum right.
inline void set_header(std::string& content, archive::Header header) {
    header.checksum = archive::header_checksum(header);
    std::memcpy(content.data(), &header, std::min(content.size(), sizeof(header)));
}

/// Makes every checksum right, as somebody would who means harm.
inline void reseal(std::string& content) {
    auto header = header_of(content);
    for (auto& section : header.sections) {
        if (section.offset > content.size() || section.bytes > content.size() - section.offset) continue;
        const std::string_view bytes(content.data() + section.offset, section.bytes);
        section.checksum = archive::section_checksum(std::as_bytes(std::span(bytes)));
    }
    set_header(content, header);
}

/// Throws `Error` if a matrix that was accepted is not as good as one of our own.
template <Value V>
void use(const TileMatrix<V>& a) {
    validate(a, formats::format_table());
    constexpr index_t many = 100000;  // rows of an archive cost nothing, those of CSR a pointer each
    if (a.rows <= many) validate(unpack(a));
}

/// Whether two matrices are the same to the last bit, NaN included.
template <Value V>
bool same_bytes(const TileMatrix<V>& a, const TileMatrix<V>& b) {
    const auto bytes_of = [](const TileMatrix<V>& m) {
        std::string all;
        archive::for_each_section(m, [&](std::string_view name, const auto& buffer) {
            all.append(name).append(reinterpret_cast<const char*>(buffer.data()), buffer.bytes());
        });
        return all;
    };
    return a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz && bytes_of(a) == bytes_of(b);
}

}  // namespace tilespmv::test
