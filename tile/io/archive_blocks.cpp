#include <algorithm>
#include <cerrno>

#include "tile/io/block_source.hpp"
#include "tile/io/libarchive.hpp"

namespace tilespmv {
namespace {

class ArchiveBlocks final : public BlockSource {
public:
    ArchiveBlocks(std::string_view bytes, int (*support_filter)(archive*))
        : bytes_(bytes), archive_(archive_read_new()) {
        support_filter(archive_.get());
        archive_read_support_format_raw(archive_.get());
        archive_read_support_format_empty(archive_.get());
    }

    bool next(std::string_view& block) override {
        block = {};
        if (status_ == ARCHIVE_OK && !started_) status_ = start();
        if (status_ == ARCHIVE_OK) status_ = read_block(block);
        return status_ == ARCHIVE_OK || status_ == ARCHIVE_EOF;
    }
    [[nodiscard]] const char* reason() const override { return reason_of(archive_.get()); }
    [[nodiscard]] std::size_t consumed() const override { return consumed_; }

private:
    /// Not in the constructor, for opening reads and can fail.
    int start() {
        started_ = true;
        const int status = archive_read_open(archive_.get(), this, nullptr, read_input, nullptr);
        if (status != ARCHIVE_OK) return status;
        // Bytes that no filter knows would be handed on as they are.
        if (archive_filter_count(archive_.get()) == 1) return fail("it begins as no such data does");
        archive_entry* entry = nullptr;
        return archive_read_next_header(archive_.get(), &entry);
    }
    int read_block(std::string_view& block) {
        const void* data = nullptr;
        std::size_t size = 0;
        la_int64_t offset = 0;
        const int status = archive_read_data_block(archive_.get(), &data, &size, &offset);
        if (status == ARCHIVE_OK) block = {static_cast<const char*>(data), size};
        return status == ARCHIVE_EOF && is_followed() ? fail("something follows its end") : status;
    }
    /// Whether bytes other than zeros stand behind what was decompressed: the filter of bzip2 passes over them.
    [[nodiscard]] bool is_followed() const {
        constexpr int input = -1;  // the last filter
        const auto used = static_cast<std::size_t>(archive_filter_bytes(archive_.get(), input));
        return bytes_.substr(std::min(used, bytes_.size())).find_first_not_of('\0') != std::string_view::npos;
    }
    int fail(const char* reason) {
        archive_set_error(archive_.get(), EILSEQ, "%s", reason);
        return ARCHIVE_FATAL;
    }
    static la_ssize_t read_input(archive*, void* self, const void** block) {
        auto& me = *static_cast<ArchiveBlocks*>(self);
        const auto piece = me.bytes_.substr(me.consumed_, kInputBytes);
        me.consumed_ += piece.size();
        *block = piece.data();
        return static_cast<la_ssize_t>(piece.size());
    }

    std::string_view bytes_;
    std::size_t consumed_ = 0;
    ArchiveHandle archive_;
    bool started_ = false;
    int status_ = ARCHIVE_OK;  ///< the last one: libarchive must not be asked again behind an end
};

}  // namespace

std::unique_ptr<BlockSource> archive_blocks(std::string_view bytes, int (*support_filter)(archive*)) {
    return std::make_unique<ArchiveBlocks>(bytes, support_filter);
}

}  // namespace tilespmv
