#include "tile/io/output_file.hpp"
#include "tile/io/file_identity.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/open_descriptors.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tile/io/input.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using ::testing::HasSubstr;

std::string error_of(const fs::path& file, std::string_view text) {
    return test::error_of([&] {
        OutputFile output(file);
        output.write(text);
        output.commit();
    });
}

auto files_in(const fs::path& directory) {
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
}

unsigned mode_of(const fs::path& file) { return static_cast<unsigned>(fs::status(file).permissions()); }

/// Somebody else than root, whom permissions do not bind.
class Nobody {
public:
    Nobody() {
        if (::geteuid() == 0 && ::seteuid(kId) != 0) ADD_FAILURE();
    }
    ~Nobody() {
        if (::getuid() == 0 && ::seteuid(0) != 0) ADD_FAILURE();
    }
    static constexpr uid_t kId = 65534;
};

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

TEST_F(OutputFileTest, LeavesAloneWhatHasTheNameOfItsTemporaryFile) {
    const auto made_by = [&] {
        const OutputFile output(file_);
        return fs::directory_iterator(directory_.path())->path().filename().string();
    };
    const auto name = made_by();  // .tilespmv-PROCESS-COUNT.tmp
    const auto count = name.rfind('-') + 1;
    const auto next = name.substr(0, count) + std::to_string(std::stoi(name.substr(count)) + 1) + ".tmp";
    directory_.file(next, "of a process that is gone");
    EXPECT_EQ(error_of(file_, "new"), "no error");
    EXPECT_EQ(content_of(file_), "new");
    EXPECT_EQ(content_of(directory_.path() / next), "of a process that is gone");
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

TEST_F(OutputFileTest, MakesTheFileThatALinkLeadsTo) {
    fs::create_directory(directory_.path() / "folder");
    fs::create_symlink("../second", directory_.path() / "folder" / "first");
    fs::create_symlink(directory_.path() / "target.txt", directory_.path() / "second");
    fs::create_symlink("folder/first", file_);
    EXPECT_EQ(error_of(file_, "new"), "no error");
    for (const auto& link : {file_, directory_.path() / "folder" / "first", directory_.path() / "second"}) {
        EXPECT_TRUE(fs::is_symlink(link)) << link;
    }
    EXPECT_EQ(content_of(directory_.path() / "target.txt"), "new");
}

TEST_F(OutputFileTest, FollowsAsManyLinksAsTheSystemDoes) {
    constexpr int most = 40;
    const auto link = [&](int i) { return directory_.path() / std::to_string(i); };
    fs::create_symlink("target.txt", link(1));
    for (int i = 2; i <= most + 1; ++i) fs::create_symlink(std::to_string(i - 1), link(i));
    EXPECT_EQ(error_of(link(most), "new"), "no error");
    EXPECT_EQ(content_of(link(most)), "new");
    EXPECT_THAT(error_of(link(most + 1), "newer"), HasSubstr("Too many levels of symbolic links"));
    EXPECT_EQ(content_of(directory_.path() / "target.txt"), "new");
}

TEST_F(OutputFileTest, ReportsLinksThatLeadToEachOther) {
    fs::create_symlink("out.txt", directory_.path() / "other");
    fs::create_symlink("other", file_);
    EXPECT_THAT(error_of(file_, "new"), HasSubstr("out.txt: cannot be written: Too many levels of symbolic links"));
    EXPECT_TRUE(fs::is_symlink(file_));
}

TEST_F(OutputFileTest, FollowsTheUmask) {
    const auto mask = ::umask(027);
    EXPECT_EQ(error_of(file_, "x"), "no error");
    ::umask(mask);
    EXPECT_EQ(mode_of(file_), 0640u);
}

TEST_F(OutputFileTest, KeepsTheModeOfWhatItReplaces) {
    directory_.file("out.txt", "old");
    for (const unsigned mode : {0600u, 0666u, 0700u, 01644u, 02770u}) {
        ASSERT_EQ(::chmod(file_.c_str(), mode), 0);
        EXPECT_EQ(error_of(file_, "new"), "no error");
        EXPECT_EQ(mode_of(file_), mode);
    }
}

TEST_F(OutputFileTest, KeepsTheOwnerOfWhatItReplaces) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
    directory_.file("out.txt", "old");
    ASSERT_EQ(::chown(file_.c_str(), Nobody::kId, 65533), 0);
    EXPECT_EQ(error_of(file_, "new"), "no error");
    struct stat status {};
    ASSERT_EQ(::stat(file_.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, Nobody::kId);
    EXPECT_EQ(status.st_gid, 65533u);
}

TEST_F(OutputFileTest, OpensToNobodyElseWhatItCannotGiveToTheOldOwner) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root makes files of others";
    fs::permissions(directory_.path(), fs::perms::all);
    struct Case {
        uid_t owner;
        gid_t group;
        unsigned mode;
    };
    // The group of root is that of this process, too.
    for (const auto& [owner, group, mode] :
         {Case{0, 0, 0777}, {0, 65533, 0707}, {Nobody::kId, 65533, 0707}, {Nobody::kId, 0, 01777}}) {
        directory_.file("out.txt", "old");
        ASSERT_EQ(::chown(file_.c_str(), owner, group), 0);
        ASSERT_EQ(::chmod(file_.c_str(), 01777), 0);
        {
            const Nobody nobody;
            EXPECT_EQ(error_of(file_, "new"), "no error");
        }
        EXPECT_EQ(mode_of(file_), mode) << owner << ' ' << group;
    }
}

TEST_F(OutputFileTest, IsNoLongerThanTheLongestName) {
    const auto file = directory_.path() / std::string(255, 'a');
    EXPECT_EQ(error_of(file, "x"), "no error");
    EXPECT_EQ(content_of(file), "x");
}

TEST_F(OutputFileTest, DoesNotReplaceWhatMayNotBeWritten) {
    fs::permissions(directory_.path(), fs::perms::all);
    directory_.file("out.txt", "old");
    fs::permissions(file_, fs::perms::owner_read);
    const Nobody nobody;
    EXPECT_EQ(error_of(file_, "new"), file_.string() + ": cannot be written: Permission denied");
}

TEST_F(OutputFileTest, SaysThatTheFolderMayNotBeWritten) {
    directory_.file("out.txt", "old");
    fs::permissions(file_, fs::perms::all);
    fs::permissions(directory_.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_exec);
    const Nobody nobody;
    EXPECT_EQ(error_of(file_, "new"), file_.string() + ": cannot be written: no new file can be made in its folder " +
                                          directory_.path().string() + ": Permission denied");
}

TEST_F(OutputFileTest, WhatIsOpenIsWrittenInPlace) {
    const auto file = directory_.file("out.txt", "before ");
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND);
    const auto name = "/dev/fd/" + std::to_string(descriptor);
    EXPECT_EQ(error_of(name, "one "), "no error");
    EXPECT_EQ(error_of(name, "two"), "no error");
    ::close(descriptor);
    EXPECT_EQ(content_of(file), "before one two");
    EXPECT_EQ(error_of(name, "x"), name + ": cannot be written: Bad file descriptor");
}

TEST_F(OutputFileTest, DevicesAreWrittenInPlace) {
    EXPECT_EQ(error_of("/dev/null", "x"), "no error");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputFileTest, ReportsAFullDevice) { EXPECT_THAT(error_of("/dev/full", "x"), HasSubstr("No space left")); }

TEST_F(OutputFileTest, LeavesNothingOpen) {
    directory_.file("old.txt", "old");
    const auto before = test::open_descriptors();
    for (const fs::path& file : {file_, directory_.path() / "old.txt", directory_.path(),
                                 directory_.path() / "no" / "x", fs::path("/dev/null"), fs::path("/dev/full")}) {
        error_of(file, "new");
        EXPECT_EQ(test::open_descriptors(), before) << file;
    }
    { const OutputFile uncommitted(file_); }
    EXPECT_EQ(test::open_descriptors(), before);
}

TEST_F(OutputFileTest, ReportsADirectory) {
    EXPECT_THAT(error_of(directory_.path(), "x"), HasSubstr("Is a directory"));
}

TEST_F(OutputFileTest, ReportsAMissingDirectory) {
    EXPECT_EQ(error_of(directory_.path() / "no" / "out.txt", "x"),
              (directory_.path() / "no" / "out.txt").string() + ": cannot be written: No such file or directory");
}

TEST(FileIdentity, TellsFilesByWhateverNames) {
    const test::TemporaryDirectory directory;
    const fs::path file = directory.file("a.mtx", "text"), other = directory.file("b.mtx", "text");
    fs::create_symlink(file, directory.path() / "link");
    fs::create_hard_link(file, directory.path() / "same");
    fs::create_directory(directory.path() / "folder");
    fs::create_symlink(directory.path() / "missing", directory.path() / "to_missing");
    const auto message = [](const fs::path& output, const fs::path& input) {
        return test::message_of([&] { refuse_to_replace(output, input); });
    };
    for (const fs::path& name :
         {file, directory.path() / "link", directory.path() / "same", directory.path() / "folder" / ".." / "a.mtx"}) {
        EXPECT_EQ(message(name, file),
                  "2: " + name.string() + ": would replace the input " + file.string() + "; choose another name");
    }
    EXPECT_EQ(message(other, file), "0: ");
    EXPECT_EQ(message(directory.path() / "missing", file), "0: ");
    EXPECT_EQ(message("/dev/null", "/dev/null"), "0: ") << "what is written there replaces nothing";
    EXPECT_EQ(message(file, ""), "0: ");
    EXPECT_EQ(file_identity(directory.path() / "missing"), file_identity(directory.path() / "to_missing"));
}

}  // namespace
}  // namespace tilespmv
