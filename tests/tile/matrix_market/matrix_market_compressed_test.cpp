#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "tests/tile/matrix_market/matrix_market_support.hpp"
#include "tile/io/text_file.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Entries = std::vector<std::pair<std::string, std::string>>;  // path, content

/// Compresses one entry without a container, or several as a tar archive.
void write_compressed(const fs::path& file, int filter, const Entries& entries, bool tar) {
    archive* a = archive_write_new();
    archive_write_add_filter(a, filter);
    archive_write_set_filter_option(a, nullptr, "compression-level", "1");
    tar ? archive_write_set_format_pax_restricted(a) : archive_write_set_format_raw(a);
    ASSERT_EQ(archive_write_open_filename(a, file.c_str()), ARCHIVE_OK);
    for (const auto& [path, content] : entries) {
        archive_entry* entry = archive_entry_new();
        archive_entry_set_pathname(entry, path.c_str());
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0644);
        archive_entry_set_size(entry, static_cast<la_int64_t>(content.size()));
        ASSERT_EQ(archive_write_header(a, entry), ARCHIVE_OK);
        ASSERT_EQ(archive_write_data(a, content.data(), content.size()), static_cast<la_ssize_t>(content.size()));
        archive_entry_free(entry);
    }
    ASSERT_EQ(archive_write_free(a), ARCHIVE_OK);
}

/// A text whose lines do not repeat, so that they are several blocks when compressed, too.
std::string long_text() {
    std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 40000\n";
    std::uint64_t random = 1;
    for (int k = 0; k < 40000; ++k) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        text += fmt::format("{} {} {}\n", random % 1000 + 1, random / 1000 % 1000 + 1, static_cast<double>(random));
    }
    return text;
}

class Compressed : public ::testing::Test {
protected:
    std::string error_of(const fs::path& file) {
        return test::error_of([&] { read_matrix_market<double>(file); });
    }
    void expect_long_matrix(const fs::path& file) {
        EXPECT_TRUE(read_matrix_market<double>(file) == test::read_text(text_)) << file;
    }

    const std::string text_ = long_text();
    test::TemporaryDirectory directory_;
    fs::path plain_name_ = directory_.path() / "A.mtx";  // the content decides, not the name
};

TEST_F(Compressed, GzipBzip2XzAndZstandard) {
    for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
        write_compressed(plain_name_, filter, {{"ignored", text_}}, false);
        ASSERT_LT(fs::file_size(plain_name_), text_.size());
        expect_long_matrix(plain_name_);
    }
}

TEST_F(Compressed, ProgressIsTheShareOfTheInputThatWasRead) {
    std::string text;
    while (text.size() < 5 << 19) text += text_;
    for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
        write_compressed(plain_name_, filter, {{"", text}}, false);
        std::vector<double> shares;
        const TextFile file(Input(plain_name_), {}, [&](double share) { shares.push_back(share); });
        EXPECT_EQ(std::string_view(file.begin(), file.end()), text);
        ASSERT_GE(shares.size(), 3u);
        EXPECT_GT(shares[0], 0.1);
        EXPECT_LT(shares[0], 0.6) << "a block of 1 MiB";
        EXPECT_TRUE(std::ranges::is_sorted(shares));
        EXPECT_EQ(shares.back(), 1);
    }
}

TEST_F(Compressed, GzipOfSeveralMembers) {
    const auto half = text_.size() / 2;
    write_compressed(directory_.path() / "1", ARCHIVE_FILTER_GZIP, {{"", text_.substr(0, half)}}, false);
    write_compressed(directory_.path() / "2", ARCHIVE_FILTER_GZIP, {{"", text_.substr(half)}}, false);
    directory_.file("A.mtx", test::content_of(directory_.path() / "1") + test::content_of(directory_.path() / "2"));
    expect_long_matrix(plain_name_);
}

TEST_F(Compressed, TheMatrixOfTheArchivesName) {
    const Entries entries{{"big/big_b.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n"},
                          {"big/README", "text"},
                          {"big/big.mtx", text_}};
    for (const auto* name : {"big.tar.gz", "big.tgz"}) {
        write_compressed(directory_.path() / name, ARCHIVE_FILTER_GZIP, entries, true);
        expect_long_matrix(directory_.path() / name);
    }
    write_compressed(directory_.path() / "big.tar.xz", ARCHIVE_FILTER_XZ, entries, true);
    expect_long_matrix(directory_.path() / "big.tar.xz");
    write_compressed(directory_.path() / "big.tar.bz2", ARCHIVE_FILTER_BZIP2, entries, true);
    expect_long_matrix(directory_.path() / "big.tar.bz2");
    write_compressed(directory_.path() / "big.tar.zst", ARCHIVE_FILTER_ZSTD, entries, true);
    expect_long_matrix(directory_.path() / "big.tar.zst");
}

TEST_F(Compressed, TheArchivesNameEndsAtItsLastTar) {
    const auto file = directory_.path() / "big.tar.old.tar.gz";
    write_compressed(file, ARCHIVE_FILTER_GZIP, {{"big/big.mtx", "x"}, {"big/big.tar.old.mtx", text_}}, true);
    expect_long_matrix(file);
}

TEST_F(Compressed, AnArchiveWithoutItTellsWhatItHas) {
    const auto file = directory_.path() / "other.tar.gz";
    write_compressed(file, ARCHIVE_FILTER_GZIP, {{"big/big_b.mtx", "x"}, {"big/README", "x"}, {"big/big.mtx", "x"}},
                     true);
    EXPECT_EQ(error_of(file), file.string() +
                                  ": found big/big_b.mtx, big/big.mtx, expected other.mtx in the archive of "
                                  "that name");
}

TEST_F(Compressed, ATruncatedStreamTellsTheLineItBreaksOffAt) {
    write_compressed(plain_name_, ARCHIVE_FILTER_GZIP, {{"", text_}}, false);
    const auto bytes = fs::file_size(plain_name_);
    fs::resize_file(plain_name_, bytes - bytes / 8);
    const auto error = error_of(plain_name_);
    EXPECT_THAT(
        error,
        HasSubstr(
            "found a damaged stream (truncated gzip input), expected complete gzip, bzip2, xz or Zstandard data"));
    const auto line = std::stoi(error.substr(plain_name_.string().size() + 1));
    EXPECT_GT(line, 25000);
    EXPECT_LE(line, 40000 * 7 / 8 + 1000);
}

TEST_F(Compressed, ATruncatedStreamOfAnotherCompressionIsRefused) {
    for (const int filter : {ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
        write_compressed(plain_name_, filter, {{"", text_}}, false);
        const auto bytes = test::content_of(plain_name_);
        for (const auto kept : {bytes.size() - 1, bytes.size() - 30, bytes.size() / 2, std::size_t{20}}) {
            directory_.file("A.mtx", bytes.substr(0, kept));
            EXPECT_THAT(error_of(plain_name_), HasSubstr("found a damaged stream")) << kept;
        }
        directory_.file("A.mtx", bytes + "rest of another file");
        EXPECT_THAT(error_of(plain_name_), HasSubstr("found a damaged stream"));
    }
}

TEST_F(Compressed, ZerosMayFollowAGzipStreamAndNothingElse) {
    write_compressed(plain_name_, ARCHIVE_FILTER_GZIP, {{"", text_}}, false);
    const auto bytes = test::content_of(plain_name_);
    directory_.file("A.mtx", bytes + std::string(1000, '\0'));
    expect_long_matrix(plain_name_);
    for (const auto& more : {std::string("x"), std::string("\x1f"), std::string("\x1f\x8b"),
                             std::string("rest of another file"), std::string("\0x", 2)}) {
        directory_.file("A.mtx", bytes + more);
        EXPECT_THAT(error_of(plain_name_), HasSubstr("found a damaged stream")) << more;
    }
}

void set_byte(const fs::path& file, std::size_t byte, int value) {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(byte)).put(static_cast<char>(value));
}

/// What a damaged file may be: refused in one line, or the matrix itself, where the damage is in a name or a date.
void expect_no_other_matrix(const fs::path& file, const CsrMatrix<double>& expected, std::size_t byte, int bit) {
    try {
        EXPECT_TRUE(read_matrix_market<double>(file) == expected) << file << ", byte " << byte << ", bit " << bit;
    } catch (const Error& error) {
        EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
    }
}

TEST_F(Compressed, NoFlippedBitGivesAnotherMatrix) {
    const std::string text =
        "%%MatrixMarket matrix coordinate real general\n9 9 5\n1 1 1.25\n2 2 7.5\n3 1 9e3\n9 9 1\n4 5 6\n";
    const test::Threads one(1);  // thousands of small files
    const auto expected = test::read_text(text);
    const Entries archive{{"big/big.mtx", text}, {"big/more.txt", text_.substr(0, 20000)}};
    const auto file = directory_.path() / "big.tar.gz";
    for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ}) {
        for (const bool tar : {false, true}) {
            write_compressed(file, filter, tar ? archive : Entries{{"", text}}, tar);
            const auto bytes = test::content_of(file);
            // Every bit of what decompresses to the matrix and of the end, some of what lies between.
            const auto step = [&](std::size_t byte) { return byte < 300 || byte + 40 > bytes.size() ? 1 : 97; };
            for (std::size_t byte = 0; byte < bytes.size(); byte += step(byte)) {
                for (int bit = 0; bit < 8; ++bit) {
                    set_byte(file, byte, bytes[byte] ^ (1 << bit));
                    expect_no_other_matrix(file, expected, byte, bit);
                }
                set_byte(file, byte, bytes[byte]);
            }
        }
    }
}

TEST_F(Compressed, AChecksumBehindTheMatrixOfAnArchiveIsChecked) {
    const auto file = directory_.path() / "big.tar.gz";
    for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ}) {
        write_compressed(file, filter, {{"big/big.mtx", text_}, {"big/more.txt", text_ + text_}}, true);
        auto bytes = test::content_of(file);
        ASSERT_EQ(error_of(file), "no error");
        bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // CRC-32 of gzip, footer of xz
        directory_.file("big.tar.gz", bytes);
        EXPECT_THAT(error_of(file), HasSubstr("big.tar.gz:40003: found a damaged stream"));
    }
}

TEST_F(Compressed, MoreThanTheLimitsAllowIsRefused) {
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 0\n" + std::string(100000, '\n');
    const Entries archive{{"big/other.txt", text}, {"big/big.mtx", text.substr(0, 60)}};
    for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD}) {
        for (const bool tar : {false, true}) {
            const auto file = directory_.path() / "big.tar.gz";
            write_compressed(file, filter, tar ? archive : Entries{{"", text}}, tar);
            const auto size = fs::file_size(file);
            const auto error = [&](const InputLimits& limits) {
                return test::error_of([&] { read_matrix_market<double>(file, {.limits = limits}); });
            };
            EXPECT_EQ(error({.text_bytes = 99999, .ratio = 0}),
                      fmt::format("{}: found more than {} bytes in {} compressed ones (--allow-large lifts this limit)",
                                  file.string(), 99999, size));
            EXPECT_EQ(error({.text_bytes = 10000000, .ratio = 0}), "no error");
            EXPECT_EQ(error({.text_bytes = 0, .ratio = 1 + 10000000 / size}), "no error");
            EXPECT_EQ(error(InputLimits::none()), "no error");
        }
    }
}

TEST_F(Compressed, AFileOfFewBytesBecomes64MiBAtMost) {
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 0\n" + std::string(70 << 20, '\n');
    for (const int filter : {ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_ZSTD}) {
        write_compressed(plain_name_, filter, {{"", text}}, false);
        ASSERT_LT(fs::file_size(plain_name_), 100000u);
        EXPECT_THAT(error_of(plain_name_), HasSubstr("found more than 67108864 bytes in "));
    }
}

TEST_F(Compressed, HolesOfASparseArchiveEntryCountToo) {
    const auto file = directory_.path() / "big.tar.gz";
    archive* a = archive_write_new();
    archive_write_add_filter_gzip(a);
    archive_write_set_format_pax(a);
    ASSERT_EQ(archive_write_open_filename(a, file.c_str()), ARCHIVE_OK);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, "big/big.mtx");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_size(entry, 50000000);
    archive_entry_sparse_add_entry(entry, 0, 5);
    archive_entry_sparse_add_entry(entry, 49999999, 1);
    ASSERT_EQ(archive_write_header(a, entry), ARCHIVE_OK);
    const std::string zeros(1000000, '\0');
    for (int i = 0; i < 50; ++i) archive_write_data(a, zeros.data(), zeros.size());
    archive_entry_free(entry);
    ASSERT_EQ(archive_write_free(a), ARCHIVE_OK);
    ASSERT_LT(fs::file_size(file), 2000u);
    const auto error = [&](std::uint64_t bytes) {
        const ReadOptions options{.limits = {.text_bytes = bytes, .ratio = 0}};
        return test::error_of([&] { read_matrix_market<double>(file, options); });
    };
    EXPECT_THAT(error(5000000), HasSubstr("found more than 5000000 bytes in "));
    EXPECT_THAT(error(60000000), HasSubstr("expected '%%MatrixMarket'"));
}

/// Something that writes to a pipe once, as another program does.
class PipeWriter {
public:
    PipeWriter(const fs::path& pipe, std::string content) {
        EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
        thread_ = std::thread([pipe, text = std::move(content)] { std::ofstream(pipe, std::ios::binary) << text; });
    }
    PipeWriter(const PipeWriter&) = delete;
    PipeWriter& operator=(const PipeWriter&) = delete;
    ~PipeWriter() { thread_.join(); }

private:
    std::thread thread_;
};

TEST_F(Compressed, APipeIsReadToItsEndWhateverItCarries) {
    const auto made = [&](int filter, const Entries& entries, bool tar) {
        const auto file = directory_.path() / "made";
        write_compressed(file, filter, entries, tar);
        return test::content_of(file);
    };
    const Entries archive{{"big/big_b.mtx", "other"}, {"big/big.mtx", text_}, {"big/big_x.mtx", "other"}};
    int number = 0;
    for (const auto& content :
         {text_, made(ARCHIVE_FILTER_GZIP, {{"", text_}}, false), made(ARCHIVE_FILTER_XZ, {{"", text_}}, false),
          made(ARCHIVE_FILTER_GZIP, archive, true), made(ARCHIVE_FILTER_XZ, archive, true)}) {
        const auto pipe = directory_.path() / fmt::format("pipe{}", ++number);
        const PipeWriter writer(pipe, content);
        expect_long_matrix(pipe);
    }
}

TEST_F(Compressed, AnArchiveInAPipeTellsWhatItHas) {
    const auto file = directory_.path() / "made";
    write_compressed(file, ARCHIVE_FILTER_GZIP, {{"big/big_b.mtx", "x"}, {"big/README", "x"}}, true);
    const auto pipe = directory_.path() / "pipe";
    const PipeWriter writer(pipe, test::content_of(file));
    EXPECT_EQ(error_of(pipe), pipe.string() + ": found big/big_b.mtx, expected NAME/NAME.mtx in the archive of a pipe");
}

}  // namespace
}  // namespace tilespmv
