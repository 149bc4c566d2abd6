#include "tile/archive/layout.hpp"

#include <xxhash.h>

#include "tile/parallel.hpp"

namespace tilespmv::archive {

std::uint64_t section_checksum(std::span<const std::byte> section) {
    constexpr std::int64_t piece_bytes = 1 << 20;
    const auto bytes = static_cast<std::int64_t>(section.size());
    Buffer<std::uint64_t> sums(static_cast<std::size_t>(div_up(bytes, piece_bytes)));
    parallel_ranges(0, bytes, piece_bytes, [&](std::int64_t first, std::int64_t last) {
        sums[first / piece_bytes] = XXH3_64bits(section.data() + first, static_cast<std::size_t>(last - first));
    });
    return XXH3_64bits(sums.data(), sums.bytes());
}

std::uint64_t header_checksum(Header header) {
    header.checksum = 0;
    return XXH3_64bits(&header, sizeof(header));
}

}  // namespace tilespmv::archive
