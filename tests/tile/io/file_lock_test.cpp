#include "tile/io/file_lock.hpp"

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/open_descriptors.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;

class FileLockTest : public testing::Test {
protected:
    static bool locked(const fs::path& file) {
        const auto said = test::message_of([&] { const FileLock lock(file); });
        EXPECT_THAT(said, testing::AnyOf("0: ", "1: " + file.string() +
                                                    ": another process is writing to it; wait for its "
                                                    "end, or name another file"));
        return said != "0: ";
    }

    test::TemporaryDirectory directory_;
    fs::path file_ = directory_.path() / "r.json";
};

TEST_F(FileLockTest, IsHeldOnceUntilItsEnd) {
    std::optional<FileLock> first(file_);
    EXPECT_TRUE(locked(file_));
    directory_.file("r.json", "replaced");
    EXPECT_TRUE(locked(file_));
    EXPECT_FALSE(locked(directory_.path() / "other.json"));
    first.reset();
    EXPECT_FALSE(locked(file_));
    fs::remove(file_);
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

/// Its file is removed at the end, when another thread may have opened it already.
TEST_F(FileLockTest, IsHeldByOneOfManyThreads) {
    std::atomic<int> holders = 0;
    std::atomic<bool> was_shared = false;
    const auto take = [&] {
        for (int i = 0; i < 2000; ++i) {
            try {
                const FileLock lock(file_);
                if (++holders > 1) was_shared = true;
                std::this_thread::yield();
                --holders;
            } catch (const Error&) {  // another one has it
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back(take);
    }
    EXPECT_FALSE(was_shared);
}

TEST_F(FileLockTest, HoldsForEveryNameOfTheFile) {
    fs::create_symlink("r.json", directory_.path() / "link");
    const FileLock first(directory_.path() / "link");
    EXPECT_TRUE(locked(file_));
    EXPECT_TRUE(locked(directory_.path() / "." / "link"));
}

TEST_F(FileLockTest, LeavesNothingOpen) {
    const auto before = test::open_descriptors();
    EXPECT_FALSE(locked(file_));
    EXPECT_FALSE(locked("/dev/null"));
    EXPECT_EQ(test::open_descriptors(), before);
    const FileLock first(file_);
    const auto with_lock = test::open_descriptors();
    EXPECT_TRUE(locked(file_));
    EXPECT_EQ(test::open_descriptors(), with_lock);
}

TEST_F(FileLockTest, NamesMayBeLong) {
    const fs::path file = directory_.path() / std::string(255, 'r');
    const FileLock first(file);
    EXPECT_TRUE(locked(file));
}

TEST_F(FileLockTest, EndsWithTheProcess) {
    const auto child = ::fork();
    if (child == 0) {
        new FileLock(file_);
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(fs::exists(directory_.path() / ".r.json.lock"));
    EXPECT_FALSE(locked(file_));
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(FileLockTest, IsOfOrdinaryFilesOnly) {
    const FileLock first("/dev/null");
    EXPECT_FALSE(locked("/dev/null"));
    EXPECT_FALSE(fs::exists("/dev/.null.lock"));
}

TEST_F(FileLockTest, NeedsAFolder) {
    const auto file = directory_.path() / "no" / "a.json";
    const auto lock = directory_.path() / "no" / ".a.json.lock";
    EXPECT_EQ(test::message_of([&] { FileLock{file}; }),
              "1: " + file.string() + ": cannot be written: no lock " + lock.string() + ": No such file or directory");
}

}  // namespace
}  // namespace tilespmv
