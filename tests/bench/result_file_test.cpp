#include "bench/harness/result_file.hpp"

#include <gmock/gmock.h>

#include "tests/bench/sample_results.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const Machine kMachine = sample_machine();
const Build kBuild = sample_build();

class ResultFile : public testing::Test {
protected:
    const test::TemporaryDirectory directory_;
    const std::string file_ = (directory_.path() / "r.json").string();
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
    const std::string good = test::content_of(file_);
    const std::vector<std::string> bad{
        "",
        "not json",
        std::string("\0\xff\x7f\n", 4),
        "{}",
        "[1, 2]",
        R"({"format": "other", "version": 1})",
        R"({"format": "tilespmv-bench", "version": 1, "machine": 3})",
        good.substr(0, good.size() / 2),
        good.substr(0, good.rfind("nnz")) + "n" + good.substr(good.rfind("nnz")),
        "{\"deep\": " + std::string(40, '[') + std::string(40, ']') + "," + good.substr(1)};
    for (const std::string& text : bad) {
        directory_.file("r.json", text);
        EXPECT_THAT(test::message_of([&] { resume_results(file_, kMachine, kBuild); }),
                    AllOf(HasSubstr(file_), HasSubstr("not a result file"), Not(HasSubstr("\n"))))
            << text.substr(0, 100);
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

TEST_F(ResultFile, BuildKnowsItsRevision) {
    EXPECT_THAT(this_build().revision, testing::MatchesRegex("unknown|[0-9a-f]{12}(-dirty)?"));
}

}  // namespace
}  // namespace tilespmv::bench
