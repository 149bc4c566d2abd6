#include "tile/io/mapped_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::filesystem::path& file) {
    try {
        const MappedFile mapped(file);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
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

TEST(MappedFileErrors, AreOneLineWithTheReason) {
    const test::TemporaryDirectory directory;
    EXPECT_THAT(error_of(directory.path() / "missing"), HasSubstr("missing: cannot be read: No such file"));
    EXPECT_THAT(error_of(directory.path()), HasSubstr("found a directory"));
    EXPECT_THAT(error_of("/dev/null"), HasSubstr("device"));
}

}  // namespace
}  // namespace tilespmv
