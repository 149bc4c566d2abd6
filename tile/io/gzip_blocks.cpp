// gzip by zlib: libarchive's filter checks neither the checksum nor the length of a member.
#include <algorithm>
#include <cstddef>
#include <vector>

#define ZLIB_CONST  // it reads through a pointer to const
#include <zlib.h>

#include "tile/error.hpp"
#include "tile/io/block_source.hpp"

namespace tilespmv {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
constexpr int kGzipOnly = MAX_WBITS + 16;

class GzipBlocks final : public BlockSource {
public:
    explicit GzipBlocks(std::string_view bytes) : bytes_(bytes), block_(kBlockBytes) {
        stream_.next_in = reinterpret_cast<const Bytef*>(bytes.data());
        if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw Error("out of memory: zlib cannot start");
    }
    GzipBlocks(const GzipBlocks&) = delete;
    GzipBlocks& operator=(const GzipBlocks&) = delete;
    ~GzipBlocks() override { inflateEnd(&stream_); }

    bool next(std::string_view& block) override {
        stream_.next_out = block_.data();
        stream_.avail_out = static_cast<uInt>(block_.size());
        while (stream_.avail_out > 0 && (!member_ended_ || start_member())) {
            if (!inflate_some()) return false;
        }
        block = {reinterpret_cast<const char*>(block_.data()), block_.size() - stream_.avail_out};
        return true;
    }
    [[nodiscard]] const char* reason() const override { return reason_; }
    [[nodiscard]] std::size_t consumed() const override {
        return static_cast<std::size_t>(reinterpret_cast<const char*>(stream_.next_in) - bytes_.data());
    }

private:
    [[nodiscard]] std::string_view rest() const { return bytes_.substr(consumed()); }

    /// False at the end, where zeros may stand: some tools fill up a block.
    bool start_member() {
        if (rest().find_first_not_of('\0') == std::string_view::npos) return false;
        member_ended_ = false;
        return inflateReset(&stream_) == Z_OK;
    }

    bool inflate_some() {
        stream_.avail_in = static_cast<uInt>(std::min(rest().size(), kInputBytes));
        const int status = inflate(&stream_, Z_NO_FLUSH);
        member_ended_ = status == Z_STREAM_END;
        if (status == Z_BUF_ERROR) reason_ = "truncated gzip input";
        if (status == Z_DATA_ERROR && stream_.msg != nullptr) reason_ = stream_.msg;
        return status == Z_OK || status == Z_STREAM_END;
    }

    std::string_view bytes_;
    z_stream stream_{};
    std::vector<Bytef> block_;
    const char* reason_ = "out of memory";
    bool member_ended_ = false;
};

}  // namespace

std::unique_ptr<BlockSource> gzip_blocks(std::string_view bytes) { return std::make_unique<GzipBlocks>(bytes); }

}  // namespace tilespmv
