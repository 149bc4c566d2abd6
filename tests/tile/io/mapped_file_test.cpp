#include "tile/io/mapped_file.hpp"

#include <memory>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::filesystem::path& file) {
    return test::error_of([&] { const MappedFile mapped(file); });
}

std::string text_of(const MappedFile& mapped, std::size_t size) {
    return {reinterpret_cast<const char*>(mapped.data()), size};
}

class MappedFileTest : public ::testing::TestWithParam<std::size_t> {
protected:
    test::TemporaryDirectory directory_;
};

TEST_P(MappedFileTest, HoldsTheFileAndZeroPadding) {
    const std::string content(GetParam(), 'x');
    const MappedFile mapped(directory_.file("f", content));
    ASSERT_EQ(mapped.size(), content.size());
    EXPECT_EQ(text_of(mapped, content.size() + MappedFile::kPadding),
              content + std::string(MappedFile::kPadding, '\0'));
}

TEST_P(MappedFileTest, WritesNeverReachTheFile) {
    const std::string content(GetParam(), 'x');
    const auto file = directory_.file("f", content);
    MappedFile mapped(file);
    std::fill_n(mapped.data(), mapped.size(), std::byte{'y'});
    EXPECT_EQ(text_of(mapped, content.size()), std::string(GetParam(), 'y'));
    EXPECT_EQ(test::content_of(file), content);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MappedFileTest, ::testing::Values(0, 1, 4095, 4096, 4097, 8192, 100000));

/// Whether the file is named for this byte of it. In a process of its own: what a handler has found it keeps.
void expect_named(const std::filesystem::path& file, std::ptrdiff_t byte, bool expected) {
    const auto look = [&] {
        const MappedFile mapped(file);
        const char* name = mapped_file_at(mapped.data() + byte);
        ::_exit(name == nullptr ? 0 : name == file.string() ? 1 : 2);
    };
    EXPECT_EXIT(look(), ::testing::ExitedWithCode(expected ? 1 : 0), "") << byte;
}

TEST(MappedFileDeathTest, AnAddressIsThatOfTheFileFromItsFirstByteToItsLast) {
    const test::TemporaryDirectory directory;
    const auto file = directory.file("f", std::string(100, 'x'));
    expect_named(file, -1, false);
    expect_named(file, 0, true);
    expect_named(file, 99, true);
    expect_named(file, 100, false);
}

TEST(MappedFileDeathTest, SixtyFourFilesAtATimeAreNamed) {
    const test::TemporaryDirectory directory;
    const auto file = directory.file("f", "x");
    std::vector<std::unique_ptr<MappedFile>> mapped(65);
    for (int times = 0; times < 2; ++times) {  // those that are unmapped, named or not, leave room for as many
        for (auto& one : mapped) one = std::make_unique<MappedFile>(file);
        const auto exit_if_named = [&](std::size_t i) {
            ::_exit(mapped_file_at(mapped[i]->data()) != nullptr ? 1 : 0);
        };
        EXPECT_EXIT(exit_if_named(63), ::testing::ExitedWithCode(1), "");
        EXPECT_EXIT(exit_if_named(64), ::testing::ExitedWithCode(0), "");
        for (auto& one : mapped) one.reset();
    }
}

TEST(MappedFileErrors, SayThatAFileHasNoRoomInMemory) {
    const int descriptor = ::memfd_create("large", 0);  // of pages that nobody touches
    ASSERT_EQ(::ftruncate(descriptor, off_t{1} << 60), 0);
    const auto file = fmt::format("/proc/self/fd/{}", descriptor);
    EXPECT_EQ(error_of(file), file + ": cannot be read: Cannot allocate memory");
    ::close(descriptor);
}

TEST(MappedFileErrors, AreOneLineWithTheReason) {
    const test::TemporaryDirectory directory;
    for (const auto& [file, reason] : {std::pair(directory.path() / "missing", "missing: cannot be read: No such file"),
                                       {directory.path(), "found a directory"},
                                       {"/dev/null", "device"}})
        EXPECT_THAT(error_of(file), HasSubstr(reason));
}

}  // namespace
}  // namespace tilespmv
