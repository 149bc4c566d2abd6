#include "bench/harness/result_lock.hpp"

#include <optional>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/open_descriptors.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

namespace fs = std::filesystem;

class ResultLockTest : public testing::Test {
protected:
    static bool locked(const fs::path& file) {
        try {
            const ResultLock lock(file);
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr(file.string() + ": another benchmark is writing to it"));
            return true;
        }
        return false;
    }

    test::TemporaryDirectory directory_;
    fs::path file_ = directory_.path() / "r.json";
};

TEST_F(ResultLockTest, IsHeldOnceUntilItsEnd) {
    std::optional<ResultLock> first(file_);
    EXPECT_TRUE(locked(file_));
    directory_.file("r.json", "replaced");
    EXPECT_TRUE(locked(file_));
    EXPECT_FALSE(locked(directory_.path() / "other.json"));
    first.reset();
    EXPECT_FALSE(locked(file_));
    fs::remove(file_);
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(ResultLockTest, HoldsForEveryNameOfTheFile) {
    fs::create_symlink("r.json", directory_.path() / "link");
    const ResultLock first(directory_.path() / "link");
    EXPECT_TRUE(locked(file_));
    EXPECT_TRUE(locked(directory_.path() / "." / "link"));
}

TEST_F(ResultLockTest, LeavesNothingOpen) {
    const auto before = test::open_descriptors();
    EXPECT_FALSE(locked(file_));
    EXPECT_FALSE(locked("/dev/null"));
    EXPECT_EQ(test::open_descriptors(), before);
    const ResultLock first(file_);
    const auto with_lock = test::open_descriptors();
    EXPECT_TRUE(locked(file_));
    EXPECT_EQ(test::open_descriptors(), with_lock);
}

TEST_F(ResultLockTest, NamesMayBeLong) {
    const fs::path file = directory_.path() / std::string(255, 'r');
    const ResultLock first(file);
    EXPECT_TRUE(locked(file));
}

TEST_F(ResultLockTest, EndsWithTheProcess) {
    const auto child = ::fork();
    if (child == 0) {
        new ResultLock(file_);
        ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(fs::exists(directory_.path() / ".r.json.lock"));
    EXPECT_FALSE(locked(file_));
    EXPECT_TRUE(fs::is_empty(directory_.path()));
}

TEST_F(ResultLockTest, IsOfOrdinaryFilesOnly) {
    const ResultLock first("/dev/null");
    EXPECT_FALSE(locked("/dev/null"));
    EXPECT_FALSE(fs::exists("/dev/.null.lock"));
}

}  // namespace
}  // namespace tilespmv::bench
