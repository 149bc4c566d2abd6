#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "tile/tile_matrix.hpp"

/// Byte layout of a `.tsp` archive. Numbers are little-endian. Names consist of a-z, 0-9 and '_' and are filled up with
/// zero bytes, at least one.
///
///     Header      1408 bytes, as declared below
///     sections    one after the other, each followed by zero bytes up to a multiple of 64; unused ones are empty
///
/// The file ends there. Version 2 held strips and is refused.
///
/// Sections, in the order of `for_each_section`, are the arrays of `TileMatrix`: tile_rows, row_ids and
/// col_idxs int32; tile_ptrs, value_ptrs and index_ptrs int64; row_ptrs32 uint32; row_ptrs64 uint64; indices uint8;
/// values of the type in the header (float64, float32, float16, bfloat16); and tiles two uint32 each:
///
///     first       bits 0-26 tile column, 27-31 number of the format: its place in `Header::format_names`
///     second      bits 0-7 nonzeros - 1, 8-15 values - 1, 16-24 index bytes, 25-31 the format's parameter
///
/// What the arrays mean is said at `TileMatrix`, what index bytes mean at each format (formats/*.hpp). An empty matrix
/// has a zero in each of tile_ptrs, value_ptrs and index_ptrs and no other elements.
///
/// A section's checksum is the XXH3-64 (seed 0) of the XXH3-64 sums, 8 bytes each, of its pieces of 1 MiB, of which the
/// last may be shorter and an empty section has none. The header's checksum is the XXH3-64 of the header with 0 in the
/// place of the checksum. Later versions keep `magic` and the place of `version`.
namespace tilespmv::archive {

static_assert(std::endian::native == std::endian::little, ".tsp archives are mapped as they are, little-endian");

inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'T', 'S', 'P', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::uint32_t kStripVersion = 2;  ///< which earlier programs wrote
inline constexpr std::uint32_t kHeaderBytes = 1408;
inline constexpr std::size_t kAlignment = 64;
inline constexpr int kSections = 12;

struct Section {
    std::uint64_t offset = 0;  ///< from the beginning of the file
    std::uint64_t bytes = 0;   ///< without the zero bytes that follow
    std::uint64_t checksum = 0;
};

using FormatName = std::array<char, 32>;
using ValueTypeName = std::array<char, 16>;

struct Header {
    std::array<std::uint8_t, 8> magic = kMagic;
    std::uint32_t version = kVersion;
    std::uint32_t header_bytes = kHeaderBytes;
    std::uint64_t checksum = 0;
    std::uint64_t file_bytes = 0;
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    std::int64_t nnz = 0;
    ValueTypeName value_type{};
    std::array<Section, kSections> sections{};
    std::array<FormatName, TileEntry::kMaxFormats> format_names{};  ///< empty names stand at the end
    std::array<std::uint8_t, 32> reserved{};                        ///< zero
};
static_assert(sizeof(Header) == kHeaderBytes && kHeaderBytes % kAlignment == 0);
static_assert(std::is_trivially_copyable_v<Header> && std::has_unique_object_representations_v<Header>);

/// Calls f(name, buffer) for the array behind each section, in file order.
template <class Matrix, class F>
void for_each_section(Matrix& a, F&& f) {
    f("tile_rows", a.tile_rows);
    f("tile_ptrs", a.tile_ptrs);
    f("value_ptrs", a.value_ptrs);
    f("index_ptrs", a.index_ptrs);
    f("tiles", a.tiles);
    f("values", a.values);
    f("indices", a.indices);
    f("deferred.row_ids", a.deferred.row_ids);
    f("deferred.row_ptrs32", a.deferred.row_ptrs32);
    f("deferred.row_ptrs64", a.deferred.row_ptrs64);
    f("deferred.col_idxs", a.deferred.col_idxs);
    f("deferred.values", a.deferred.values);
}

/// Zero bytes between a section of this size and the next one.
constexpr std::size_t padding_after(std::size_t bytes) { return (kAlignment - bytes % kAlignment) % kAlignment; }

/// Checksums as described above; the pieces of a section are summed in parallel.
std::uint64_t section_checksum(std::span<const std::byte> section);
std::uint64_t header_checksum(Header header);

}  // namespace tilespmv::archive
