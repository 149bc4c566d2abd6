#include "bench/harness/result_file.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "tests/bench/sample_results.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const Machine kMachine{
    .cpu = "Z80",
    .vectors = "",
    .system = "CP/M",
    .cores = 1,
    .hardware_threads = 1,
    .memory_bytes = 65536,
    .cache_bytes = 1,
    .gpu = {.name = "TMS9918", .memory_bytes = 16384, .l2_bytes = 2, .driver = 13000, .runtime = 12000}};
const Build kBuild{.version = "1.0", .revision = "abc", .compiler = "cc", .type = "Release"};

class ResultFile : public testing::Test {
protected:
    void TearDown() override { std::filesystem::remove(file_); }

    void write_text(const std::string& text) { std::ofstream(file_, std::ios::binary) << text; }

    // The one line that reading the file ends with.
    std::string refusal() {
        try {
            resume_results(file_, kMachine, kBuild);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    }

    // Tests may run at the same time.
    const std::string file_ = testing::TempDir() + "tilespmv_" +
                              testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()) +
                              ".json";
};

TEST_F(ResultFile, GoesOnWithWhatItHolds) {
    ResultSet written = resume_results(file_, kMachine, kBuild);
    EXPECT_THAT(written.results, SizeIs(0));
    written.put(sample_result("a", {1, 2, 3}));
    written.put(sample_result("b", {4}));
    write_results(file_, written);

    const ResultSet read = resume_results(file_, kMachine, kBuild);
    EXPECT_EQ(read.machine, kMachine);
    EXPECT_EQ(read.build, kBuild);
    ASSERT_THAT(read.results, SizeIs(2));
    EXPECT_EQ(read.results[0].warm.seconds, (std::vector<double>{1, 2, 3}));
    EXPECT_TRUE(read.finished(written.results[1].id));
}

TEST_F(ResultFile, OnlyRightAndSkippedResultsAreFinished) {
    ResultSet set;
    Result result = sample_result("a", {1});
    for (const auto& [status, finished] :
         {std::pair{Status::ok, true}, {Status::wrong, false}, {Status::failed, false}, {Status::skipped, true}}) {
        result.status = status;
        set.put(result);
        EXPECT_EQ(set.finished(result.id), finished);
        write_results(file_, {.machine = kMachine, .build = kBuild, .results = {result}});
        EXPECT_EQ(read_results(file_).results.at(0).status, status);
    }
    EXPECT_THAT(set.results, SizeIs(1));
}

TEST_F(ResultFile, CasesDifferInEveryPartOfTheirId) {
    ResultSet set;
    set.put(sample_result("a", {1}));
    const CaseId id = set.results[0].id;
    std::vector<CaseId> others(7, id);
    others[0].matrix = "b";
    others[1].operator_name = "csr-omp";
    others[2].selector = "paper";
    others[3].values = "float32";
    others[4].device = "gpu";
    others[5].threads = 1;
    others[6].accumulator = "float32";
    for (const CaseId& other : others) EXPECT_EQ(set.find(other), nullptr);
    EXPECT_NE(set.find(id), nullptr);
}

TEST_F(ResultFile, ForeignAndDamagedFilesGetOneLine) {
    write_results(file_, {.machine = kMachine, .build = kBuild, .results = {sample_result("a", {1})}});
    std::ifstream in(file_);
    const std::string good((std::istreambuf_iterator<char>(in)), {});
    const std::vector<std::string> bad{"",
                                       "not json",
                                       std::string("\0\xff\x7f\n", 4),
                                       "{}",
                                       "[1, 2]",
                                       R"({"format": "other", "version": 1})",
                                       R"({"format": "tilespmv-bench", "version": 1, "machine": 3})",
                                       good.substr(0, good.size() / 2)};
    for (const std::string& text : bad) {
        write_text(text);
        EXPECT_THAT(refusal(), AllOf(HasSubstr(file_), HasSubstr("not a result file"), Not(HasSubstr("\n")))) << text;
    }
}

TEST_F(ResultFile, WhatItHoldsIsPrintable) {
    Machine machine = kMachine;
    machine.cpu = "Z\x1b[31m80";
    Result result = sample_result("a\x1b]0;b\x07", {1});
    write_results(file_, {.machine = machine, .build = kBuild, .results = {result}});
    const ResultSet read = read_results(file_);
    EXPECT_EQ(read.machine.cpu, R"(Z\x1b[31m80)");
    EXPECT_EQ(read.results.at(0).id.matrix, R"(a\x1b]0;b\x07)");
}

TEST_F(ResultFile, OfBeforeDoesNotSayWhichVectorsRan) {
    write_results(file_, {.machine = kMachine, .build = kBuild, .results = {}});
    auto json = nlohmann::json::parse(std::ifstream(file_));
    json.at("machine").erase("vectors");
    write_text(json.dump());
    EXPECT_EQ(read_results(file_).machine.vectors, "");
}

TEST_F(ResultFile, NewerKindIsRefused) {
    write_text(R"({"format": "tilespmv-bench", "version": 2})");
    EXPECT_THAT(refusal(), HasSubstr("newer version"));
}

TEST_F(ResultFile, ResultsOfAnotherMachineOrBuildAreNotMixed) {
    Machine machine = kMachine;
    machine.cpu = "6502";
    write_results(file_, {.machine = machine, .build = kBuild, .results = {}});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("another machine (6502"), HasSubstr("--restart")));
    machine = kMachine;
    machine.vectors = "sse4";
    write_results(file_, {.machine = machine, .build = kBuild, .results = {}});
    EXPECT_THAT(refusal(), HasSubstr("another machine (Z80 (sse4)"));
    Build build = kBuild;
    build.revision = "def";
    write_results(file_, {.machine = kMachine, .build = build, .results = {}});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("revision def"), HasSubstr("this is abc")));
}

TEST_F(ResultFile, ResultsOfAnotherGpuOrDriverAreNotMixed) {
    Machine machine = kMachine;
    machine.gpu.name = "V9938";
    write_results(file_, {.machine = machine, .build = kBuild, .results = {}});
    EXPECT_THAT(refusal(), HasSubstr("another machine (Z80, CP/M, V9938, CUDA driver 13000, runtime 12000)"));
    machine = kMachine;
    machine.gpu.driver = 12080;
    write_results(file_, {.machine = machine, .build = kBuild, .results = {}});
    EXPECT_THAT(refusal(), HasSubstr("CUDA driver 12080"));
    machine.gpu = {};
    write_results(file_, {.machine = machine, .build = kBuild, .results = {}});
    EXPECT_THAT(refusal(), HasSubstr("another machine (Z80, CP/M, no GPU)"));
}

TEST_F(ResultFile, ReadingWhatIsNotThere) {
    EXPECT_THROW(read_results(file_), Error);
    EXPECT_THROW(read_results(testing::TempDir()), Error);
}

TEST_F(ResultFile, BuildKnowsItsRevision) {
    EXPECT_THAT(this_build().revision, testing::MatchesRegex("unknown|[0-9a-f]{12}(-dirty)?"));
}

}  // namespace
}  // namespace tilespmv::bench
