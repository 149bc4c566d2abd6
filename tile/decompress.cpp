#include "tile/decompress.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kReadBytes = std::size_t{1} << 16;

struct CloseArchive {
    void operator()(archive* a) const { archive_read_free(a); }
};
using ArchiveHandle = std::unique_ptr<archive, CloseArchive>;

/// Memory that grows without copying: the C library moves large blocks by remapping their pages.
class GrowingText {
public:
    /// At least `kBlock` bytes to write to behind what was added so far.
    char* room() {
        if (capacity_ < size_ + kBlock + kPadding) grow();
        return data_.get() + size_;
    }
    void add(std::size_t bytes) { size_ += bytes; }
    [[nodiscard]] auto lines() const { return std::count(data_.get(), data_.get() + size_, '\n'); }

    DecompressedText finish() && {
        std::memset(room(), 0, kPadding);
        return {std::shared_ptr<char>(data_.release(), std::free), size_};
    }

    static constexpr std::size_t kBlock = std::size_t{1} << 20;

private:
    static constexpr std::size_t kPadding = 64;
    struct Free {
        void operator()(char* p) const { std::free(p); }
    };

    void grow() {
        capacity_ = 2 * capacity_ + kBlock + kPadding;
        void* memory = std::realloc(data_.get(), capacity_);
        if (memory == nullptr) throw Error(fmt::format("out of memory: {} bytes of text are needed", capacity_));
        static_cast<void>(data_.release());
        data_.reset(static_cast<char*>(memory));
    }

    std::unique_ptr<char, Free> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

[[noreturn]] void fail_stream(archive* a, const fs::path& file, std::ptrdiff_t line) {
    const char* reason = archive_error_string(a);
    throw Error(fmt::format("{}:{}: found a damaged stream ({}), expected complete gzip or xz data", file.string(),
                            line, reason != nullptr ? reason : "no reason given"));
}

ArchiveHandle open_stream(const fs::path& file) {
    ArchiveHandle a(archive_read_new());
    archive_read_support_filter_gzip(a.get());
    archive_read_support_filter_xz(a.get());
    archive_read_support_format_tar(a.get());
    archive_read_support_format_raw(a.get());
    archive_read_support_format_empty(a.get());
    if (archive_read_open_filename(a.get(), file.c_str(), kReadBytes) != ARCHIVE_OK) {
        fail_stream(a.get(), file, 1);  // its first block is read at once
    }
    return a;
}

/// NAME of NAME.tar.gz, NAME.tgz, NAME.tar.xz.
std::string archive_name(const fs::path& file) {
    const auto name = file.filename().string();
    const auto tar = name.rfind(".tar.");
    return tar != std::string::npos ? name.substr(0, tar) : file.stem().string();
}

/// Stands at the entry whose text is wanted; false if there is none because the stream is empty.
bool find_text(archive* a, const fs::path& file) {
    const auto wanted = archive_name(file) + ".mtx";
    std::string found;
    archive_entry* entry = nullptr;
    int status = ARCHIVE_OK;
    while ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK || status == ARCHIVE_WARN) {
        if (archive_format(a) == ARCHIVE_FORMAT_RAW) return true;
        const char* path = archive_entry_pathname(entry);
        const fs::path inner = path != nullptr ? path : "";
        if (inner.filename() == wanted) return true;
        if (inner.extension() == ".mtx") found += (found.empty() ? "" : ", ") + inner.string();
    }
    if (status != ARCHIVE_EOF) fail_stream(a, file, 1);
    if (archive_format(a) == ARCHIVE_FORMAT_EMPTY) return false;
    throw Error(fmt::format("{}: found {}, expected {} in the archive of that name", file.string(),
                            found.empty() ? "no .mtx file" : found, wanted));
}

}  // namespace

DecompressedText decompress(const fs::path& file, const std::function<void(double)>& progress) {
    const auto a = open_stream(file);
    GrowingText text;
    if (!find_text(a.get(), file)) return std::move(text).finish();
    std::error_code ignored;
    const auto file_bytes = static_cast<double>(std::max<std::uintmax_t>(fs::file_size(file, ignored), 1));
    for (;;) {
        const auto bytes = archive_read_data(a.get(), text.room(), GrowingText::kBlock);
        if (bytes == 0) return std::move(text).finish();
        if (bytes < 0) fail_stream(a.get(), file, 1 + text.lines());
        text.add(static_cast<std::size_t>(bytes));
        if (progress) progress(static_cast<double>(archive_filter_bytes(a.get(), -1)) / file_bytes);
    }
}

}  // namespace tilespmv
