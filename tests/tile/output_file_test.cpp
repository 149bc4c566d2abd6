#include "tile/output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using ::testing::HasSubstr;

std::string error_of(const fs::path& file, std::string_view text) {
    try {
        OutputFile output(file);
        output.write(text);
        output.commit();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

auto files_in(const fs::path& directory) {
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

class OutputFileTest : public ::testing::Test {
protected:
    test::TemporaryDirectory directory_;
    fs::path file_ = directory_.path() / "out.txt";
};

TEST_F(OutputFileTest, AppearsOnCommitOnly) {
    OutputFile output(file_);
    output.write("one ");
    output.write("two");
    EXPECT_FALSE(fs::exists(file_));
    output.commit();
    EXPECT_EQ(content_of(file_), "one two");
    EXPECT_EQ(files_in(directory_.path()), 1);
}

TEST_F(OutputFileTest, WithoutCommitTheOldFileStays) {
    directory_.file("out.txt", "old");
    { OutputFile(file_).write("new"); }
    EXPECT_EQ(content_of(file_), "old");
    EXPECT_EQ(files_in(directory_.path()), 1);
}

TEST_F(OutputFileTest, ReplacesTheOldFile) {
    directory_.file("out.txt", "old and longer");
    EXPECT_EQ(error_of(file_, "new"), "no error");
    EXPECT_EQ(content_of(file_), "new");
}

TEST_F(OutputFileTest, KeepsALinkThatLeadsToTheFile) {
    directory_.file("target.txt", "old");
    fs::create_symlink("target.txt", file_);
    EXPECT_EQ(error_of(file_, "new"), "no error");
    EXPECT_TRUE(fs::is_symlink(file_));
    EXPECT_EQ(content_of(directory_.path() / "target.txt"), "new");
}

TEST_F(OutputFileTest, FollowsTheUmask) {
    const auto mask = ::umask(027);
    EXPECT_EQ(error_of(file_, "x"), "no error");
    ::umask(mask);
    EXPECT_EQ(static_cast<unsigned>(fs::status(file_).permissions()), 0640u);
}

TEST_F(OutputFileTest, DevicesAreWrittenInPlace) {
    EXPECT_EQ(error_of("/dev/null", "x"), "no error");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, ReportsAFullDevice) { EXPECT_THAT(error_of("/dev/full", "x"), HasSubstr("No space left")); }

TEST_F(OutputFileTest, ReportsADirectory) {
    EXPECT_THAT(error_of(directory_.path(), "x"), HasSubstr("Is a directory"));
}

TEST_F(OutputFileTest, ReportsAMissingDirectory) {
    EXPECT_EQ(error_of(directory_.path() / "no" / "out.txt", "x"),
              (directory_.path() / "no" / "out.txt").string() + ": cannot be written: No such file or directory");
}

}  // namespace
}  // namespace tilespmv
