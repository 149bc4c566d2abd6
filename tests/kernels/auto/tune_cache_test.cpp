#include "kernels/auto/tune_cache.hpp"

#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/auto/build_fingerprint.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

using test::content_of;

class TuneCacheFile : public ::testing::Test {
protected:
    [[nodiscard]] TuneCache cache() const { return TuneCache(file_); }
    void write(const std::string& text) const { std::ofstream(file_) << text; }

    test::TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "new" / "tuning.json";
    TuneKey key_{"0123", "float64", "float64", "a GPU", "csr"};
};

TEST_F(TuneCacheFile, RemembersTimesByWhatTheyWereMeasuredFor) {
    EXPECT_TRUE(cache().find(key_).empty());
    cache().store(key_, {{"csr16", 2e-5}, {"csr-merge", 3e-5}});
    cache().store(key_, {{"csr16", 1e-5}});
    EXPECT_EQ(cache().find(key_), (ProductTimes{{"csr16", 1e-5}, {"csr-merge", 3e-5}}));
    for (std::string TuneKey::*member :
         {&TuneKey::pattern, &TuneKey::values, &TuneKey::accumulator, &TuneKey::device, &TuneKey::forms}) {
        TuneKey other = key_;
        other.*member = "other";
        EXPECT_TRUE(cache().find(other).empty());
        cache().store(other, {{"ell", 4e-5}});
    }
    EXPECT_EQ(cache().find(key_).size(), 2);
}

TEST_F(TuneCacheFile, SaysWhichBuildMeasuredAndUsesNoOther) {
    for (const std::string& own : {std::string(TILESPMV_VERSION), std::string(build_fingerprint())}) {
        std::filesystem::remove(file_);
        cache().store(key_, {{"csr16", 2e-5}});
        std::string text = content_of(file_);
        ASSERT_THAT(text, HasSubstr("\"" + own + "\""));
        write(text.replace(text.find(own), own.size(), "another"));
        EXPECT_TRUE(cache().find(key_).empty());
        cache().store(key_, {{"ell", 1e-5}});
        EXPECT_THAT(content_of(file_), HasSubstr("csr16")) << "what another build found is kept";
        EXPECT_EQ(cache().find(key_).size(), 1);
    }
}

TEST(BuildFingerprint, IsShortAndHexadecimal) {
    EXPECT_THAT(std::string(build_fingerprint()), MatchesRegex("[0-9a-f]{12}"));
}

TEST_F(TuneCacheFile, LeavesADamagedOneAloneAfterAWarning) {
    std::filesystem::create_directories(file_.parent_path());
    const std::string deep = R"({"format": "tilespmv-tuning", "version": 1, "entries": )" + std::string(200'000, '[');
    for (const std::string& damaged :
         {std::string(), std::string("{"), std::string("[]"), deep, deep + std::string(200'000, ']') + "}",
          std::string(R"({"format": 3})"), std::string(R"({"format": "tilespmv-tuning", "version": 2})"),
          std::string(R"({"format": "tilespmv-tuning", "version": 1, "entries": 1})")}) {
        write(damaged);
        CaptureStderr();
        EXPECT_TRUE(cache().find(key_).empty());
        EXPECT_EQ(GetCapturedStderr(),
                  "tilespmv: warning: " + file_.string() +
                      ": is no cache of tuned operators and is ignored; delete it, or name another "
                      "with cache=FILE\n");
        CaptureStderr();
        cache().store(key_, {{"csr16", 2e-5}});
        EXPECT_THAT(GetCapturedStderr(), HasSubstr("is ignored"));
        EXPECT_EQ(content_of(file_), damaged);
    }
    for (const char* odd : {"1", "{}", R"({"seconds": 1})", R"({"pattern": []})"}) {
        write(R"({"format": "tilespmv-tuning", "version": 1, "entries": [)" + std::string(odd) + "]}");
        cache().store(key_, {{"csr16", 2e-5}});
        EXPECT_EQ(cache().find(key_).size(), 1) << odd;
    }
}

TEST_F(TuneCacheFile, ThatIsAFolderCostsAWarning) {
    std::filesystem::create_directories(file_);
    CaptureStderr();
    EXPECT_TRUE(cache().find(key_).empty());
    EXPECT_EQ(GetCapturedStderr(),
              "tilespmv: warning: " + file_.string() +
                  ": cannot be read: found a directory, expected a file; no time is known from it\n");
    CaptureStderr();
    cache().store(key_, {{"csr16", 2e-5}});
    EXPECT_THAT(GetCapturedStderr(), HasSubstr("tilespmv: warning: "));
    EXPECT_TRUE(std::filesystem::is_empty(file_));
}

TEST_F(TuneCacheFile, ThatCannotBeWrittenCostsAWarning) {
    const std::filesystem::path in_a_file = directory_.path() / "file" / "tuning.json";
    std::ofstream(directory_.path() / "file") << "x";
    CaptureStderr();
    TuneCache(in_a_file).store(key_, {{"csr16", 2e-5}});
    EXPECT_THAT(GetCapturedStderr(), HasSubstr("tilespmv: warning: times are not remembered: "));
}

TEST_F(TuneCacheFile, LosesNothingThatSeveralWriteAtOnce) {
    const auto for_each_key = [this](int writer, const auto& f) {
        for (int k = 0; k < 10; ++k) {
            TuneKey key = key_;
            key.pattern = std::to_string(writer) + "-" + std::to_string(k);
            f(key, ProductTimes{{"csr16", 1e-5 * (writer + 1)}});
        }
    };
    std::vector<std::thread> writers;
    for (int i = 0; i < 4; ++i) {
        writers.emplace_back([&, i] {
            for_each_key(i, [this](const TuneKey& key, const ProductTimes& times) { cache().store(key, times); });
        });
    }
    for (auto& writer : writers) writer.join();
    for (int i = 0; i < 4; ++i) {
        for_each_key(i, [this](const TuneKey& key, const ProductTimes& times) { EXPECT_EQ(cache().find(key), times); });
    }
}

TEST(TuneCacheDefault, IsWhereTheUserKeepsCaches) {
    const auto with = [](const char* cache, const char* home) {
        cache == nullptr ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", cache, 1);
        home == nullptr ? unsetenv("HOME") : setenv("HOME", home, 1);
        return TuneCache::default_file().string();
    };
    EXPECT_EQ(with("/var/cache/me", "/home/me"), "/var/cache/me/tilespmv/tuning.json");
    EXPECT_EQ(with(nullptr, "/home/me"), "/home/me/.cache/tilespmv/tuning.json");
    EXPECT_EQ(with("relative", "/home/me"), "/home/me/.cache/tilespmv/tuning.json");
    EXPECT_EQ(with(nullptr, nullptr), "");
    const TuneCache nowhere{{}};
    nowhere.store({}, {{"csr16", 1}});
    EXPECT_TRUE(nowhere.find({}).empty());
}

TEST(PatternHash, TellsPatternsApart) {
    const std::vector<offset_t> row_ptrs{0, 2, 3};
    const std::vector<index_t> cols{0, 2, 1};
    const PatternView a{2, 3, row_ptrs, cols, 8};
    const std::string hash = pattern_hash(a);
    EXPECT_EQ(hash.size(), 32);
    EXPECT_EQ(pattern_hash({2, 3, row_ptrs, cols, 4}), hash) << "values are no part of it";
    EXPECT_NE(pattern_hash({2, 4, row_ptrs, cols, 8}), hash);
    EXPECT_NE(pattern_hash({2, 3, row_ptrs, std::vector<index_t>{0, 1, 1}, 8}), hash);
    EXPECT_NE(pattern_hash({2, 3, std::vector<offset_t>{0, 1, 3}, cols, 8}), hash);
}

TEST(PatternHash, TakesPiecesOfALargeMatrix) {
    const std::vector<offset_t> row_ptrs{0, offset_t{1} << 22};
    std::vector<index_t> cols(std::size_t{1} << 22, 7);  // 16 MiB
    const PatternView a{1, 1 << 23, row_ptrs, cols, 8};
    const std::string hash = pattern_hash(a);
    for (const std::size_t in_a_piece : {std::size_t{0}, cols.size() - 1}) {
        cols[in_a_piece] = 8;
        EXPECT_NE(pattern_hash(a), hash);
        cols[in_a_piece] = 7;
    }
    EXPECT_EQ(pattern_hash(a), hash);
}

}  // namespace
}  // namespace tilespmv
