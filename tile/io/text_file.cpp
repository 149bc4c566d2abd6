#include "tile/io/text_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <archive_entry.h>
#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/block_source.hpp"
#include "tile/io/growing_text.hpp"
#include "tile/io/libarchive.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }
bool is_bzip2(std::string_view bytes) {
    return bytes.starts_with("BZh") && bytes.size() > 3 && bytes[3] >= '1' && bytes[3] <= '9';
}
bool is_xz(std::string_view bytes) { return bytes.starts_with("\xFD\x37\x7A\x58\x5A"); }

constexpr std::size_t kSkippableHeader = 8;

/// Whether a skippable frame of Zstandard begins here, as `pzstd` writes them; libarchive knows these behind other
/// frames only.
bool is_skippable(std::string_view bytes) {
    return bytes.size() >= kSkippableHeader && (bytes[0] & 0xf0) == 0x50 && bytes.substr(1, 3) == "\x2A\x4D\x18";
}

std::size_t skippable_size(std::string_view bytes) {
    std::uint32_t content = 0;
    std::memcpy(&content, bytes.data() + kSkippableHeader - sizeof content, sizeof content);
    return kSkippableHeader + content;
}

bool is_zstd(std::string_view bytes) { return bytes.starts_with("\x28\xB5\x2F\xFD") || is_skippable(bytes); }

std::string_view from_first_frame(std::string_view bytes) {
    while (is_skippable(bytes)) bytes.remove_prefix(std::min(skippable_size(bytes), bytes.size()));
    return bytes;
}

/// What decompresses an input; null if it is not compressed so.
std::unique_ptr<BlockSource> blocks_of(std::string_view bytes) {
    if (is_gzip(bytes)) return gzip_blocks(bytes);
    if (is_bzip2(bytes)) return archive_blocks(bytes, archive_read_support_filter_bzip2);
    if (is_xz(bytes)) return archive_blocks(bytes, archive_read_support_filter_xz);
    if (is_zstd(bytes)) return archive_blocks(from_first_frame(bytes), archive_read_support_filter_zstd);
    return nullptr;
}

struct OtherCompression {
    std::string_view start;
    std::string_view name;
};

/// Those that are told from text, to be refused.
constexpr std::array<OtherCompression, 7> kOthers{{{"PK\x03\x04", "a zip archive"},
                                                   {"7z\xBC\xAF\x27\x1C", "a 7z archive"},
                                                   {"Rar!\x1A\x07", "a RAR archive"},
                                                   {"\x04\x22\x4D\x18", "lz4 data"},
                                                   {"LZIP", "lzip data"},
                                                   {"\x89LZO", "lzop data"},
                                                   {"\x1F\x9D", "data of compress (.Z)"}}};

const OtherCompression* other_compression(std::string_view bytes) {
    const auto* const found =
        std::ranges::find_if(kOthers, [&](const auto& other) { return bytes.starts_with(other.start); });
    return found == kOthers.end() ? nullptr : found;
}

/// What decompresses one input: a source of blocks, which libarchive takes the text from.
class Decompression {
public:
    Decompression(const Input& input, const InputLimits& limits, const std::function<void(double)>& progress)
        : input_(input),
          progress_(progress),
          most_(limits.most_text(input.bytes().size())),
          blocks_(blocks_of(input.bytes())) {}

    OwnedText run() {
        open();
        if (find_text()) read_text();
        read_rest();
        return std::move(text_).finish();
    }

private:
    /// The text can be an entry of a tar archive or all there is.
    void open() {
        archive_read_support_format_tar(archive_.get());
        archive_read_support_format_raw(archive_.get());
        archive_read_support_format_empty(archive_.get());
        if (archive_read_open(archive_.get(), this, nullptr, next_block, nullptr) != ARCHIVE_OK) fail();
    }

    /// Stands at the entry whose text is wanted; false if there is none because the stream is empty.
    bool find_text() {
        std::string found;
        archive_entry* entry = nullptr;
        int status = ARCHIVE_OK;
        while ((status = archive_read_next_header(archive_.get(), &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
            if (archive_format(archive_.get()) == ARCHIVE_FORMAT_RAW) return true;
            const char* path = archive_entry_pathname(entry);
            const fs::path inner = path != nullptr ? path : "";
            if (is_wanted(inner)) return true;
            if (inner.extension() == ".mtx") found += (found.empty() ? "" : ", ") + inner.string();
        }
        if (status != ARCHIVE_EOF) fail();
        if (archive_format(archive_.get()) == ARCHIVE_FORMAT_EMPTY) return false;
        throw Error(fmt::format("{}: found {}, expected {}", input_.file().string(),
                                found.empty() ? "no .mtx file" : found, wanted()));
    }

    /// NAME of NAME.tar.gz, NAME.tgz, NAME.tar.bz2.
    [[nodiscard]] std::string archive_name() const {
        const auto name = input_.file().filename().string();
        const auto tar = name.rfind(".tar.");
        return tar != std::string::npos ? name.substr(0, tar) : input_.file().stem().string();
    }
    [[nodiscard]] bool is_wanted(const fs::path& inner) const {
        if (!input_.is_stream()) return inner.filename() == archive_name() + ".mtx";
        return inner.extension() == ".mtx" && inner.stem() == inner.parent_path().filename();
    }
    [[nodiscard]] std::string wanted() const {
        return input_.is_stream() ? "NAME/NAME.mtx in the archive of a pipe"
                                  : archive_name() + ".mtx in the archive of that name";
    }

    void read_text() {
        for (;;) {
            const auto bytes = archive_read_data(archive_.get(), text_.room(), GrowingText::kBlock);
            if (bytes == 0) return;
            if (bytes < 0) fail();
            text_.add(static_cast<std::size_t>(bytes));
            if (text_.size() > most_) fail_size();  // a sparse entry of an archive grows by holes
            if (progress_) {
                progress_(static_cast<double>(blocks_->consumed()) / static_cast<double>(input_.bytes().size()));
            }
        }
    }

    /// A checksum behind the text is one of the text, too.
    void read_rest() {
        const void* block = nullptr;
        la_ssize_t bytes = 0;
        while ((bytes = next_block(archive_.get(), this, &block)) > 0) {
        }
        if (bytes < 0) fail();
    }

    static la_ssize_t next_block(archive* a, void* self, const void** block) {
        auto& me = *static_cast<Decompression*>(self);
        std::string_view bytes;
        if (!me.blocks_->next(bytes)) {
            archive_set_error(a, EILSEQ, "%s", me.blocks_->reason());
            return -1;
        }
        me.produced_ += bytes.size();
        if (me.produced_ > me.most_) return -1;
        *block = bytes.data();
        return static_cast<la_ssize_t>(bytes.size());
    }

    [[noreturn]] void fail_size() const {
        throw Error(fmt::format("{}: found more than {} bytes in {} compressed ones (--allow-large lifts this limit)",
                                input_.file().string(), most_, input_.bytes().size()));
    }
    [[noreturn]] void fail() const {
        if (produced_ > most_) fail_size();
        throw Error(fmt::format(
            "{}:{}: found a damaged stream ({}), expected complete gzip, bzip2, xz or Zstandard data",
            input_.file().string(), 1 + std::count(text_.begin(), text_.end(), '\n'), reason_of(archive_.get())));
    }

    const Input& input_;
    const std::function<void(double)>& progress_;
    std::uint64_t most_;
    std::uint64_t produced_ = 0;
    std::unique_ptr<BlockSource> blocks_;
    ArchiveHandle archive_{archive_read_new()};
    GrowingText text_;
};

/// Whether the bytes start as a compressed file does, also of a kind that `decompress` refuses.
bool is_compressed(std::string_view bytes) {
    return is_gzip(bytes) || is_bzip2(bytes) || is_xz(bytes) || is_zstd(bytes) || other_compression(bytes) != nullptr;
}

/// Decompresses gzip (of one or more members), bzip2, xz or Zstandard into memory; of a tar archive in it only
/// NAME.mtx, where the archive is NAME.tar.gz, or, in a pipe, which has no name, the first NAME/NAME.mtx. The stream is
/// read to its end and all its checksums are checked, even if the text that is wanted ended before. `progress` is told
/// the share that is done. Throws `Error` with file and line if the stream breaks off or is damaged, or something
/// follows it that is neither compressed nor zero; with the .mtx files found if NAME.mtx is missing; if more comes out
/// than `limits` allow; and for other compressions, with their names.
OwnedText decompress(const Input& input, const InputLimits& limits, const std::function<void(double)>& progress) {
    if (const auto* other = other_compression(input.bytes())) {
        throw Error(fmt::format("{}: found {}, expected text, plain or compressed by gzip, bzip2, xz or Zstandard",
                                input.file().string(), other->name));
    }
    return Decompression(input, limits, progress).run();
}

/// The word at `where` in quotes, shortened, with bytes that do not print as \xNN.
std::string quoted_word(const char* where, const char* end) {
    constexpr std::ptrdiff_t longest = 32;
    const char* stop =
        std::find_if(where, std::min(where + longest, end), [](unsigned char c) { return std::isspace(c); });
    std::string word;
    for (const char* p = where; p < stop; ++p) {
        const auto c = static_cast<unsigned char>(*p);
        word += c > 0x20 && c < 0x7f ? std::string(1, *p) : fmt::format("\\x{:02x}", c);
    }
    const bool cut = stop - where == longest && stop < end && !std::isspace(static_cast<unsigned char>(*stop));
    return fmt::format("'{}{}'", word, cut ? "..." : "");
}

}  // namespace

TextFile::TextFile(const Input& input, const InputLimits& limits, const std::function<void(double)>& progress)
    : name_(input.file().string()), owner_(input.owner()), text_(input.bytes()) {
    if (!is_compressed(text_)) return;
    auto memory = decompress(input, limits, progress);
    text_ = {memory.data.get(), memory.size};
    owner_ = std::move(memory.data);
}

void TextFile::fail(const char* where, std::string_view expected) const {
    if (where >= end()) fail(where, "end of file", expected);
    if (*where == '\n' || *where == '\r') fail(where, "end of line", expected);
    fail(where, quoted_word(where, end()), expected);
}

std::string TextFile::place(const char* where) const {
    return fmt::format("{}:{}", name_, 1 + std::count(begin(), where, '\n'));
}

void TextFile::fail(const char* where, std::string_view found, std::string_view expected) const {
    throw Error(fmt::format("{}: found {}, expected {}", place(where), found, expected));
}

}  // namespace tilespmv
