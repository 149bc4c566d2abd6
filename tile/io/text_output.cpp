#include "tile/io/text_output.hpp"

#include <array>

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/libarchive.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

struct Suffix {
    std::string_view text;
    int filter;
};
constexpr std::array<Suffix, 4> kSuffixes{{{".gz", ARCHIVE_FILTER_GZIP},
                                           {".bz2", ARCHIVE_FILTER_BZIP2},
                                           {".xz", ARCHIVE_FILTER_XZ},
                                           {".zst", ARCHIVE_FILTER_ZSTD}}};

int filter_of(const fs::path& file) {
    for (const auto& suffix : kSuffixes) {
        if (file.extension() == suffix.text) return suffix.filter;
    }
    return ARCHIVE_FILTER_NONE;
}

}  // namespace

fs::path without_compression(const fs::path& file) {
    return filter_of(file) == ARCHIVE_FILTER_NONE ? file : fs::path(file).replace_extension();
}

/// A stream of libarchive without a container, whose blocks go to a file.
struct TextOutput::Compressor {
    Compressor(OutputFile& to, int filter) : file(to), stream(archive_write_new()) {
        opened = archive_write_add_filter(stream.get(), filter) == ARCHIVE_OK &&
                 archive_write_set_format_raw(stream.get()) == ARCHIVE_OK &&
                 archive_write_set_bytes_in_last_block(stream.get(), 1) == ARCHIVE_OK;
        if (filter == ARCHIVE_FILTER_GZIP) {  // nothing of the day on which it was written
            opened =
                opened && archive_write_set_filter_option(stream.get(), "gzip", "timestamp", nullptr) == ARCHIVE_OK;
        }
        opened = opened && archive_write_open(stream.get(), this, nullptr, write_block, nullptr) == ARCHIVE_OK &&
                 start_entry();
    }

    bool start_entry() {
        const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
        archive_entry_set_filetype(entry.get(), AE_IFREG);
        return archive_write_header(stream.get(), entry.get()) == ARCHIVE_OK;
    }

    static la_ssize_t write_block(archive*, void* self, const void* data, std::size_t bytes) {
        auto& me = *static_cast<Compressor*>(self);
        try {
            me.file.write({static_cast<const char*>(data), bytes});
            return static_cast<la_ssize_t>(bytes);
        } catch (...) {  // not through a library of C
            me.failure = std::current_exception();
            return -1;
        }
    }

    struct Free {
        void operator()(archive* a) const { archive_write_free(a); }
    };

    OutputFile& file;
    std::unique_ptr<archive, Free> stream;
    bool opened = false;
    std::exception_ptr failure;
};

TextOutput::TextOutput(const fs::path& file) : name_(file), file_(file) {
    const int filter = filter_of(file);
    if (filter == ARCHIVE_FILTER_NONE) return;
    compressor_ = std::make_unique<Compressor>(file_, filter);
    check(compressor_->opened);
}

TextOutput::~TextOutput() {
    if (compressor_) archive_write_fail(compressor_->stream.get());
}

void TextOutput::check(bool done) {
    if (done) return;
    if (compressor_->failure) std::rethrow_exception(compressor_->failure);
    throw Error(fmt::format("{}: cannot be compressed: {}", name_.string(), reason_of(compressor_->stream.get())));
}

void TextOutput::write(std::string_view text) {
    if (!compressor_) return file_.write(text);
    while (!text.empty()) {
        const auto written = archive_write_data(compressor_->stream.get(), text.data(), text.size());
        check(written > 0);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void TextOutput::commit() {
    if (compressor_) check(archive_write_close(compressor_->stream.get()) == ARCHIVE_OK);
    file_.commit();
}

}  // namespace tilespmv
