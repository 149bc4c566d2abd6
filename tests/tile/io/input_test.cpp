#include "tile/io/input.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formats/list.hpp"
#include "tests/open_descriptors.hpp"
#include "tests/tile/archive/archive_bytes.hpp"
#include "tests/tile/archive/sample_tiles.hpp"
#include "tests/tile/matrix_market/matrix_market_support.hpp"
#include "tile/archive/archive.hpp"
#include "tile/io/text_file.hpp"

/// What the next reads of this program fail with, the last of them first; behind them, they read as ever.
static std::vector<int> read_failures;

extern "C" ssize_t read(int descriptor, void* bytes, size_t count) {
    if (read_failures.empty()) return ::syscall(SYS_read, descriptor, bytes, count);
    errno = read_failures.back();
    read_failures.pop_back();
    return -1;
}

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

class InputTest : public ::testing::Test {
protected:
    /// A pipe that the content is written to once, by a thread that `writer_` waits for.
    fs::path pipe(const std::string& content) {
        const auto file = directory_.path() / "pipe";
        EXPECT_EQ(::mkfifo(file.c_str(), 0600), 0);
        writer_ = std::thread([file, content] { std::ofstream(file, std::ios::binary) << content; });
        return file;
    }
    void TearDown() override {
        if (writer_.joinable()) writer_.join();
    }

    test::TemporaryDirectory directory_;
    std::thread writer_;
};

void expect_padded(std::string_view bytes) {
    EXPECT_TRUE(std::all_of(bytes.end(), bytes.end() + 64, [](char c) { return c == '\0'; })) << bytes.size();
}

TEST_F(InputTest, AnArchiveInMemoryIsOpenedWhateverItsNameIs) {
    const auto file = directory_.path() / "A.tsp";
    const auto tiles = test::sample_tiles<double>();
    write_archive(file, tiles, formats::format_table());
    const Input input("nowhere.tsp", test::content_of(file));
    EXPECT_EQ(open_archive<double>(input, formats::format_table()).values, tiles.values);
}

TEST_F(InputTest, FilesAndPipesHaveTheirBytesAndZerosBehind) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    for (const auto size : {std::size_t{0}, std::size_t{1}, page - 1, page, 3 * page, std::size_t{1} << 20}) {
        const std::string content(size, 'x');
        const Input file(directory_.file("file", content));
        EXPECT_EQ(file.bytes(), content);
        EXPECT_FALSE(file.is_stream());
        expect_padded(file.bytes());
        const Input stream(pipe(content));
        EXPECT_EQ(stream.bytes(), content);
        EXPECT_TRUE(stream.is_stream());
        expect_padded(stream.bytes());
        writer_.join();
        fs::remove(stream.file());
    }
}

TEST_F(InputTest, DevicesAreReadAsPipesAre) {
    const Input input{fs::path("/dev/null")};
    EXPECT_TRUE(input.is_stream());
    EXPECT_EQ(input.bytes(), "");
}

TEST_F(InputTest, DecompressedTextHasZerosBehind) {
    const TextFile text{Input(test::kCorpus / "permissive" / "unsorted_gzip.mtx.gz")};
    EXPECT_TRUE(std::string_view(text.begin(), text.end()).starts_with("%%MatrixMarket"));
    expect_padded({text.begin(), text.end()});
}

TEST_F(InputTest, CopiesKeepTheBytesAlive) {
    auto input = std::make_unique<Input>(pipe("content"));
    const Input copy = *input;
    input.reset();
    EXPECT_EQ(copy.bytes(), "content");
}

TEST_F(InputTest, SaysWhyAFileCannotBeRead) {
    const auto missing = directory_.path() / "missing";
    EXPECT_EQ(test::error_of([&] { Input{missing}; }),
              missing.string() + ": cannot be read: No such file or directory");
    EXPECT_EQ(test::error_of([&] { Input{directory_.path()}; }),
              directory_.path().string() + ": cannot be read: found a directory, expected a file");
}

TEST_F(InputTest, ReadsOnAfterASignalAndFailsForAnyOtherReason) {
    read_failures = {EINTR, EINTR};
    EXPECT_EQ(Input(pipe("content")).bytes(), "content");
    EXPECT_TRUE(read_failures.empty());
    for (const auto& [error, reason] : {std::pair{EIO, "Input/output error"},
                                        {EAGAIN, "Resource temporarily unavailable"},
                                        {EISDIR, "Is a directory"},
                                        {EBADF, "Bad file descriptor"}}) {
        read_failures = {error, EINTR};
        EXPECT_EQ(test::error_of([] { Input{fs::path("/dev/null")}; }),
                  std::string("/dev/null: cannot be read: ") + reason);
    }
}

TEST_F(InputTest, NothingStaysOpen) {
    const auto file = directory_.file("file", "content");
    const auto before = test::open_descriptors();
    for (const fs::path& name : {file, fs::path("/dev/null"), directory_.path(), directory_.path() / "missing"}) {
        test::error_of([&] {
            const Input input(name);
            EXPECT_EQ(test::open_descriptors(), before) << name;
        });
        EXPECT_EQ(test::open_descriptors(), before) << name;
    }
    read_failures = {EIO};
    test::error_of([] { Input{fs::path("/dev/null")}; });
    EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(InputTest, LimitsAreTheLargerOfBytesAndRatio) {
    constexpr std::uint64_t text = std::uint64_t{64} << 20;
    EXPECT_EQ(InputLimits{}.most_text(0), text);
    EXPECT_EQ(InputLimits{}.most_text(text / 200), text);
    EXPECT_EQ(InputLimits{}.most_text(text), 200 * text);
    EXPECT_GT(InputLimits::none().most_text(0), std::uint64_t{1} << 62);
    constexpr index_t rows = 67108863;  // 2^26 - 1: of as many columns, with the last pointer, 8 bytes less than 1 GiB
    EXPECT_EQ(test::error_of([] { InputLimits{}.require_backed("A", rows, rows, 100); }), "no error");
    EXPECT_NE(test::error_of([] { InputLimits{}.require_backed("A", rows + 1, rows + 1, 100); }), "no error");
    EXPECT_EQ(test::error_of([] { InputLimits{}.require_backed("A", 2 * rows, 2 * rows, 20 << 20); }), "no error");
    EXPECT_EQ(test::error_of([] { InputLimits::none().require_backed("A", 2147483647, 2147483647, 100); }), "no error");
}

TEST_F(InputTest, AnArchiveFromAPipeOpensAsOftenAsAskedEvenIfFormatsHaveAnotherOrder) {
    const auto file = directory_.path() / "A.tsp";
    const auto tiles = test::sample_tiles<double>();
    const auto table = formats::format_table();
    write_archive<double>(file, tiles, table);
    const Input input(pipe(test::content_of(file)));
    EXPECT_TRUE(is_archive(input));
    EXPECT_EQ(archive_value_type(input), "float64");
    std::vector<FormatInfo> reversed(table.rbegin(), table.rend());
    const auto first = open_archive<double>(input, reversed);
    EXPECT_FALSE(std::ranges::equal(first.tiles, tiles.tiles));
    EXPECT_TRUE(test::same_bytes(open_archive<double>(input, table), tiles));
}

}  // namespace
}  // namespace tilespmv
