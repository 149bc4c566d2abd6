#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>

#include "tests/tile/matrix_market_support.hpp"

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

TEST_F(Compressed, GzipAndXz) {
    for (const int filter : {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ}) {
        write_compressed(plain_name_, filter, {{"ignored", text_}}, false);
        ASSERT_LT(fs::file_size(plain_name_), text_.size());
        expect_long_matrix(plain_name_);
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
    EXPECT_THAT(error, HasSubstr("found a damaged stream (truncated gzip input), expected complete gzip or xz data"));
    const auto line = std::stoi(error.substr(plain_name_.string().size() + 1));
    EXPECT_GT(line, 25000);
    EXPECT_LE(line, 40000 * 7 / 8 + 1000);
}

TEST_F(Compressed, APipeIsReadToItsEnd) {
    const auto pipe = directory_.path() / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << text_; });
    expect_long_matrix(pipe);
    writer.join();
}

}  // namespace
}  // namespace tilespmv
