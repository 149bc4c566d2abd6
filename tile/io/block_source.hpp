#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct archive;  // of libarchive

namespace tilespmv {

/// Compressed bytes at a time: zlib counts in 32 bits.
constexpr std::size_t kInputBytes = std::size_t{1} << 18;

/// Decompressed bytes, block by block.
class BlockSource {
public:
    BlockSource() = default;
    BlockSource(const BlockSource&) = delete;
    BlockSource& operator=(const BlockSource&) = delete;
    virtual ~BlockSource() = default;

    /// Gets the next block, which stays valid up to the next call; an empty one is the end. Returns false if the stream
    /// is damaged or breaks off; `reason` then says how.
    virtual bool next(std::string_view& block) = 0;
    [[nodiscard]] virtual const char* reason() const = 0;
    /// How many of the compressed bytes were used.
    [[nodiscard]] virtual std::size_t consumed() const = 0;
};

/// The blocks of a gzip file: all members one after the other, each with its checksum and length checked. Zero bytes
/// may follow the last, nothing else.
std::unique_ptr<BlockSource> gzip_blocks(std::string_view bytes);

/// The same by a filter of libarchive: of xz, bzip2 or Zstandard (RFC 8878), whose frames have checksums if whoever
/// wrote them wanted that, and of which the first one must not be skippable.
std::unique_ptr<BlockSource> archive_blocks(std::string_view bytes, int (*support_filter)(::archive*));

}  // namespace tilespmv
