#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "formats/list.hpp"
#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/archive/archive.hpp"
#include "tile/error.hpp"
#include "tools/commands/command.hpp"

namespace tilespmv::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Runs `stats` with some arguments on an archive and keeps what it wrote.
class Stats : public ::testing::Test {
protected:
    Stats() {
        const auto a = testing::matrix_of(40, 40, {{0, 0}, {1, 1}, {39, 39}});
        write_archive(directory_.path() / "a.tsp", convert(a, *make_policy("only:ell")), formats::format_table());
    }

    /// Standard output.
    std::string run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"stats", path("a.tsp")});
        std::reverse(arguments.begin(), arguments.end());
        CLI::App app{"test"};
        add_stats(app);
        ::testing::internal::CaptureStdout();
        try {
            app.parse(arguments);
        } catch (...) {
            ::testing::internal::GetCapturedStdout();
            throw;
        }
        return ::testing::internal::GetCapturedStdout();
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
    [[nodiscard]] std::string content(const std::string& name) const { return test::content_of(path(name)); }

private:
    test::TemporaryDirectory directory_;
};

TEST_F(Stats, ShowsAnArchiveAsStored) {
    const auto text = run({});
    EXPECT_THAT(text, StartsWith("a: 40 x 40, 3 nonzeros, float64\n"));
    EXPECT_THAT(text, HasSubstr("Selector: as stored\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nell +2 +100.0% +3 "));
}

TEST_F(Stats, ConvertsAnArchiveAnewForANamedSelector) {
    const auto json = nlohmann::json::parse(run({"--selector", "only:coo", "--selector", "only:csr", "--json", "-"}));
    ASSERT_EQ(json["selectors"].size(), 2);
    EXPECT_EQ(json["selectors"][0]["formats"]["coo"]["tiles"], 2);
    EXPECT_EQ(json["selectors"][1]["formats"]["csr"]["tiles"], 2);
}

TEST_F(Stats, ValueTypeCanBeChosen) {
    const auto json = nlohmann::json::parse(run({"--values", "float32", "--json", "-"}));
    EXPECT_EQ(json["value_type"], "float32");
    EXPECT_EQ(json["storage"]["coo"]["bytes"], 3 * 12);
    EXPECT_EQ(json["selectors"][0]["value_bytes"], 4 * (16 + 8));
}

TEST_F(Stats, WritesFilesBesideTheText) {
    const auto text = run({"--json", path("a.json"), "--csv", path("a.csv"), "--image", path("a.png")});
    EXPECT_THAT(text, StartsWith("a: 40 x 40"));
    EXPECT_EQ(nlohmann::json::parse(content("a.json"))["nnz"], 3);
    EXPECT_THAT(content("a.csv"), StartsWith("matrix,value_type,rows,cols,nnz,"));
    EXPECT_THAT(content("a.png"), StartsWith("\x89PNG"));
}

TEST_F(Stats, ComparesSeveralMatrices) {
    const auto text = run({"gen:laplace2d:n=20", "--selector", "only:coo"});
    EXPECT_THAT(text, StartsWith("selector: only:coo\n"));
    EXPECT_THAT(text, ::testing::ContainsRegex("\na +40 +3 +2 +- +100 / 100 "));
    EXPECT_THAT(text, ::testing::ContainsRegex("\nlaplace2d:n=20 +400 "));
    const auto json = nlohmann::json::parse(run({"gen:laplace2d:n=20", "--json", "-"}));
    ASSERT_EQ(json.size(), 2);
    EXPECT_EQ(json[0]["selectors"][0]["selector"], "as stored");
    EXPECT_EQ(json[1]["selectors"][0]["selector"], "bytes");
}

TEST_F(Stats, RefusesWhatMakesNoSense) {
    const auto code_of = [&](const std::vector<std::string>& arguments) {
        try {
            run(arguments);
        } catch (const Error& error) {
            return error.code();
        }
        return ExitCode::ok;
    };
    EXPECT_EQ(code_of({"--selector", "bytes", "--selector", "paper", "--image", path("a.png")}), ExitCode::usage);
    EXPECT_EQ(code_of({path("a.tsp"), "--image", path("a.png")}), ExitCode::usage);
    EXPECT_EQ(code_of({"--selector", "nonsense"}), ExitCode::usage);
    EXPECT_EQ(code_of({"--json", path("missing/a.json")}), ExitCode::failure);
    EXPECT_EQ(code_of({"--image", path("missing/a.png")}), ExitCode::failure);
}

}  // namespace
}  // namespace tilespmv::tools
