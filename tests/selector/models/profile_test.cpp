#include "selector/models/profile_file.hpp"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/selector/models/synthetic.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::TemporaryDirectory;
using ::testing::HasSubstr;

Profile sample() {
    Profile profile;
    profile.probe = test::h200_like();
    profile.build = {"0.1.0", "abc", 13000, 12080};
    profile.date = "2026-11-22T20:31:00Z";
    profile.set = "tiny";
    for (int i = 1; i <= 6; ++i) {
        MeasuredMatrix m{"gen:laplace2d:n=" + std::to_string(i), "float64", {}, {}};
        m.features.rows = m.features.cols = 1000 * i;
        m.features.nnz = 5000 * i;
        m.features.x_sectors = 0.1 * i;
        m.features.row_rounds[3] = {16, 1000, 2, 40};
        m.products.push_back(
            {.specification = "csr-merge", .seconds = 1e-6 * i, .preparation_seconds = 1e-4, .error = {}});
        m.products.push_back({.specification = "ell", .error = "too \"large\""});
        profile.matrices.push_back(m);
    }
    profile.checks = {{"float64", {8, 8}, 12, 0.93, 0.4, {12, 0.9, 1.02, 1.03, 1.3}, {12, 0.8, 1.05, 1.06, 1.5}},
                      {"float32", {4, 8}, 9, 0.9, 0.5, {9, 0.9, 1.02, 1.03, 1.3}, {9, 0.8, 1.01, 1.06, 1.5}}};
    fit_models(profile);
    SmallModel small{.sizes = {4, 8}, .matrices = 2, .weights = {0.25F, -1e-6F, 0.1F, 0}};
    for (const char* name : {"csr-merge", "csr-vector:threads=4"})
        small.operators.push_back(SmallModel::Times::of(name, -13.5));
    small.operators[1].preparation = {1e-4, 1e-9, 2e-9, 0};
    for (int i = 0; i < 16; ++i) small.places.push_back(0.1F * static_cast<float>(i));
    profile.small_models.push_back(small);
    return profile;
}

TEST(ProfileFile, KeepsEverything) {
    const Profile profile = sample();
    ASSERT_FALSE(profile.models.empty());
    const TemporaryDirectory folder;
    const fs::path file = folder.path() / "new" / "profile.json";
    write_profile(file, profile);
    EXPECT_EQ(read_profile(file), profile);
    EXPECT_EQ(profile_text(read_profile(file)), profile_text(profile));
}

TEST(ProfileFile, KeepsEveryFeature) {
    Profile profile = sample();
    for (const char* source : {"rmat:scale=10", "dense:rows=64,cols=64", "laplace2d:n=40"})
        profile.matrices.push_back({source, "float64", features_of(pattern_of(generate<double>(source))), {}});
    EXPECT_EQ(parse_profile(profile_text(profile), "p.json").matrices, profile.matrices);
}

TEST(ProfileFile, HasOnOneLineWhatFitsIt) {
    const std::string text = profile_text(sample());
    EXPECT_THAT(
        text,
        HasSubstr("\n \"build\": {\"version\":\"0.1.0\",\"revision\":\"abc\",\"driver\":13000,\"runtime\":12080},\n"));
    EXPECT_THAT(text, HasSubstr("\n   \"name\": \"gen:laplace2d:n=1\",\n")) << "a matrix takes several";
    EXPECT_THAT(text, HasSubstr("\n    {\"operator\":\"ell\",\"error\":\"too \\\"large\\\"\"}\n"));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("\"anchors\"") != std::string::npos) continue;
        EXPECT_LE(line.size(), 160) << line;
    }
}

TEST(ProfileFile, OfNothingIsOne) {
    EXPECT_EQ(parse_profile(profile_text({}), "empty"), Profile{});
    const TemporaryDirectory folder;
    EXPECT_THAT(message_of([&] { read_profile(folder.path() / "none"); }), HasSubstr("none: cannot be read"));
}

/// The text with one piece of it replaced.
std::string damaged(const std::string& what, const std::string& by) {
    std::string text = profile_text(sample());
    const auto at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}
std::string refusal(const std::string& text) {
    return message_of([&] { parse_profile(text, "p.json"); });
}

TEST(ProfileFile, SaysWhatIsDamagedAndWhere) {
    EXPECT_THAT(refusal("{}"), HasSubstr("p.json: is no profile of tilespmv tune"));
    EXPECT_THAT(refusal(""), HasSubstr("p.json: is no JSON, or was cut off"));
    EXPECT_THAT(refusal("[1, 2]"), HasSubstr("is no profile"));
    EXPECT_THAT(refusal(damaged("\"version\": 11", "\"version\": 8")), HasSubstr("of version 8, expected 11"));
    EXPECT_THAT(refusal(damaged("\"version\": 11", "\"version\": 3")), HasSubstr("run tilespmv tune --restart"));
    EXPECT_THAT(refusal(damaged("\"backend\": \"cuda\"", "\"backend\": \"tpu\"")),
                HasSubstr("p.json.probe.backend: is 'tpu', expected cuda or cpu"));
    EXPECT_THAT(refusal(damaged("\"rows\": 1000", "\"rows\": -1")),
                HasSubstr("p.json.matrices[0].features.rows: is -1, expected none below 0"));
    EXPECT_THAT(refusal(damaged("\"rows\": 1000", "\"rows\": 1.5")), HasSubstr("expected a whole number"));
    EXPECT_THAT(refusal(damaged("\"rows\": 1000", "\"rows\": 1e300")), HasSubstr("too large"));
    EXPECT_THAT(refusal(damaged("\"rows\": 1000", "\"row\": 1000")),
                HasSubstr("p.json.matrices[0].features: rows is missing"));
    EXPECT_THAT(refusal(damaged("\"anchors\": \"", "\"anchors\": \"one ")),
                HasSubstr("p.json.models[0].anchors: is no list of weights and places"));
    EXPECT_THAT(refusal(damaged("\"resident\"", "\"wet\"")), HasSubstr("is 'wet', expected resident or streamed"));
    EXPECT_THAT(refusal(damaged("\"name\":\"launch\"", "\"name\":\"lunch\"")), HasSubstr("no term 'lunch'"));
}

TEST(ProfileFile, IsReadInBoundedTimeAndMemory) {
    std::string deep = profile_text({});
    deep.replace(deep.rfind(']'), 1, std::string(200'000, '[') + std::string(200'001, ']'));
    EXPECT_THAT(refusal(deep), HasSubstr("p.json: is no JSON, or was cut off"));
    EXPECT_THAT(refusal(damaged("\"rows\": 1000", "\"rows\": 9223372036854775808")), HasSubstr("too large"));
    EXPECT_THAT(refusal(damaged("\"nnz\": 5000", "\"nnz\": 9223372036854775808")), HasSubstr("too large"));
}

TEST(ProfileFile, HasNoNumbersThatNoMachineComesNear) {
    const auto refusal_of = [](const std::function<void(Profile&)>& spoil) {
        Profile profile = sample();
        spoil(profile);
        return refusal(profile_text(profile));
    };
    EXPECT_THAT(refusal_of([](Profile& p) { p.matrices[0].features.x_sectors = 1e300; }),
                HasSubstr("features.x_sectors: is 1e+300, which is too large"));
    EXPECT_THAT(refusal_of([](Profile& p) { p.matrices[0].products[0].seconds = 1e-20; }),
                HasSubstr("products[0].seconds: is 1e-20, which is too little"));
    EXPECT_THAT(refusal_of([](Profile& p) { p.matrices[0].products[0].seconds = 1e20; }), HasSubstr("too large"));
    EXPECT_THAT(refusal_of([](Profile& p) { p.probe.multiprocessors = 2147483647; }),
                HasSubstr("p.json.probe.multiprocessors: is 2147483647, which is too large"));
}

TEST(ProfileFile, WhatItHoldsIsPrintable) {
    Profile profile = sample();
    profile.probe.name = "a \x1b[31mGPU";
    profile.models[0].specification = "csr\x1b]0;title\x07";
    const Profile read = parse_profile(profile_text(profile), "p.json");
    EXPECT_EQ(read.probe.name, R"(a \x1b[31mGPU)");
    EXPECT_EQ(read.models[0].specification, R"(csr\x1b]0;title\x07)");
}

TEST(ProfileFile, OfBeforeMayHaveLaunchShapesAndSayWhatRulesCountFor) {
    const std::string text =
        damaged(" \"checks\":", " \"vectors\": [{\"kernel\":\"axpy\"}],\n \"rules\": [{\"share\":0.5}],\n \"checks\":");
    EXPECT_EQ(parse_profile(text, "p.json"), sample());
}

TEST(ProfileFile, OfBeforeHasNoModelsOfSmallMatrices) {
    EXPECT_TRUE(parse_profile(damaged("\"small\": [", "\"no_such_key\": ["), "p.json").small_models.empty());
    EXPECT_THAT(refusal(damaged("\"weights\":\"0.1 0\"", "\"weights\":\"0.1\"")),
                HasSubstr("p.json.small[0].operators[1].weights: has 1 numbers, expected 1 for each of 2 matrices"));
    EXPECT_THAT(refusal(damaged("\"matrices\": 2,", "\"matrices\": 2305843009213693952,")),
                HasSubstr("places: has 16 numbers, expected 8 for each of 2305843009213693952 matrices"));
    for (const char* wrong : {"0.1 none", "0.1  0", "0.1 inf", "0.1 0 "}) {
        EXPECT_THAT(refusal(damaged("\"0.1 0\"", '"' + std::string(wrong) + '"')),
                    HasSubstr("weights: is no list of numbers"))
            << wrong;
    }
}

TEST(ProfileFile, IsRefusedWhereverItIsCutOff) {
    const std::string text = profile_text(sample());
    for (std::size_t size = 0; size + 2 < text.size(); size += 4999) {
        EXPECT_THAT(refusal(text.substr(0, size)), HasSubstr("p.json")) << size;
    }
}

TEST(ProfileFile, HasAPlaceOfItsOwnForEachMachine) {
    const TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    EXPECT_EQ(default_profile_file("NVIDIA H200"), folder.path() / "tilespmv" / "profile-nvidia-h200.json");
    EXPECT_EQ(default_profile_file("Xeon(R) 8480+, 2 threads"),
              folder.path() / "tilespmv" / "profile-xeon-r-8480-2-threads.json");
}

/// What operators on float64 are chosen by; null: the rules.
std::shared_ptr<const Profile> deciding_profile(const fs::path& asked_for, std::string_view machine) {
    const FoundProfile found = find_profile(asked_for, machine, {8, 8});
    return found.decides ? found.profile : nullptr;
}

TEST(DecidingProfile, IsTheOneAskedForThenTheNamedThenTheDefaultIfItsCheckSpeaksForIt) {
    const TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    unsetenv("TILESPMV_PROFILE");
    EXPECT_EQ(deciding_profile({}, "a GPU"), nullptr);
    Profile profile = sample();
    write_profile(default_profile_file("a GPU"), profile);
    ASSERT_NE(deciding_profile({}, "a GPU"), nullptr);
    EXPECT_EQ(deciding_profile({}, "another GPU"), nullptr);
    EXPECT_EQ(deciding_profile({}, "a GPU"), deciding_profile({}, "a GPU")) << "read once";

    profile.checks.clear();
    const fs::path other = folder.path() / "other.json";
    write_profile(other, profile);
    write_profile(default_profile_file("another GPU"), profile);
    EXPECT_EQ(deciding_profile({}, "another GPU"), nullptr) << "nothing speaks for it";
    EXPECT_EQ(*find_profile({}, "another GPU", {8, 8}).profile, profile);
    EXPECT_EQ(*deciding_profile(other, "a GPU"), profile);
    setenv("TILESPMV_PROFILE", other.c_str(), 1);
    EXPECT_EQ(*deciding_profile({}, "a GPU"), profile);
    setenv("TILESPMV_PROFILE", "none", 1);
    EXPECT_EQ(deciding_profile({}, "a GPU"), nullptr);
    unsetenv("TILESPMV_PROFILE");
    std::ofstream(default_profile_file("another GPU")) << "{";
    EXPECT_EQ(deciding_profile({}, "another GPU"), nullptr) << "damaged, after a warning";
    EXPECT_THROW(deciding_profile(default_profile_file("another GPU"), ""), Error);
}

TEST(FindProfile, DecidesForEachSizesOfNumbers) {
    const TemporaryDirectory folder;
    setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
    write_profile(default_profile_file("a GPU"), sample());
    EXPECT_TRUE(find_profile({}, "a GPU", {8, 8}).decides);
    EXPECT_FALSE(find_profile({}, "a GPU", {4, 8}).decides) << "its check speaks for the rules";
}

}  // namespace
}  // namespace tilespmv
