// The page as a browser shows it.
#include <regex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/browser.hpp"
#include "tests/tools/report/sample_profile.hpp"
#include "tools/report/report.hpp"

namespace tilespmv::tools {
namespace {

using test::between;
using test::number_of;
using test::sample_profile;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Points that are drawn in the chart of this name; -1 without one.
int points_of(const std::string& dom, const std::string& chart) {
    const auto root = between(dom, fmt::format("data-chart=\"{}\"", chart), "</svg>");
    if (!root) return -1;
    int count = 0;
    const std::regex path("<path class=\"points[^\"]*\" d=\"([^\"]*)\"");
    for (auto it = std::sregex_iterator(root->begin(), root->end(), path); it != std::sregex_iterator(); ++it) {
        const std::string d = (*it)[1];
        count += static_cast<int>(std::count(d.begin(), d.end(), 'M'));
    }
    return count;
}

/// What people see, without the script and its data.
std::string shown_in(const std::string& dom) { return between(dom, "<main", "</main>").value_or(""); }

class ReportInBrowser : public test::InBrowser {
protected:
    /// The page after its script has run.
    [[nodiscard]] std::string dom(const Profile& profile, const std::string& fragment) const {
        const auto file = folder_.path() / "report.html";
        write_report(file, profile);
        return InBrowser::dom(file, fragment);
    }

    /// What the page finds wrong with its looks: nothing.
    static void expect_neat(const std::string& dom, int charts) {
        EXPECT_EQ(number_of(dom, "self-test-result", "data-charts"), charts);
        EXPECT_EQ(number_of(dom, "self-test-result", "data-faults"), 0)
            << between(dom, "id=\"self-test-result\"", "</pre>").value_or("");
        EXPECT_LE(number_of(dom, "self-test-result", "data-wider"), 0) << "no scrolling to the side";
        EXPECT_EQ(number_of(dom, "self-test-result", "data-silent"), 0) << "points say what they are";
        EXPECT_EQ(number_of(dom, "self-test-result", "data-deaf"), 0) << "under the pointer, too";
    }
};

TEST_F(ReportInBrowser, DrawsAllPointsOfTheProfile) {
    const Profile profile = sample_profile({.kernels = 3, .operators = 4, .more_operators = {"brand-new"}});
    const std::string text = dom(profile, "self-test&points=held-out");
    for (const auto& one : profile.vectors) {
        EXPECT_EQ(points_of(text, one.work.kernel + " float64"), static_cast<int>(one.points.size()));
        EXPECT_THAT(shown_in(text), HasSubstr(fmt::format("data-tree=\"{}\"", one.work.kernel)));
    }
    EXPECT_GT(points_of(text, "dot_2 float64 blocks"), 10) << "sums, over blocks";
    for (std::size_t k = 0; k < profile.matrices[0].products.size(); ++k) {
        int wanted = 0;
        for (const auto& matrix : profile.matrices) wanted += matrix.products[k].held_out > 0 ? 1 : 0;
        EXPECT_EQ(points_of(text, profile.matrices[0].products[k].specification), wanted);
    }
    expect_neat(text, 3 + 1 + 5);
}

TEST_F(ReportInBrowser, OfModelsAloneDrawsTreesAndSaysWhyThereAreNoTimes) {
    const Profile profile = without_measurements(sample_profile({.kernels = 3, .operators = 4}));
    const std::string text = dom(profile, "self-test");
    for (const auto& one : profile.vectors) {
        const auto chart = between(text, fmt::format("data-chart=\"{} float64\"", one.work.kernel), "</svg>");
        EXPECT_THAT(chart.value_or(""), HasSubstr("class=\"leaf ")) << one.work.kernel;
    }
    for (const SpmvModel& model : profile.models) {
        const auto costs = between(text, fmt::format("data-costs=\"{}\"", model.specification), "</table>");
        EXPECT_THAT(costs.value_or(""), HasSubstr("launch")) << model.specification;
    }
    EXPECT_THAT(between(text, "id=\"accuracy\"", "</table>").value_or(""), HasSubstr("class=\"bar c0\""));
    EXPECT_THAT(shown_in(text), HasSubstr("The profile holds no measured times"));
    EXPECT_THAT(shown_in(text), Not(ContainsRegex("NaN|Infinity|undefined")));
    expect_neat(text, 3);
}

TEST_F(ReportInBrowser, ShowsTheFiveStepsOfTheSolversModels) {
    const std::string text = dom(sample_profile({}), "self-test");
    for (const char* name : {"recurrence", "preconditioner"}) {
        const auto card = between(text, fmt::format("data-card=\"{}\"", name), "</section>").value_or("");
        for (const char* step : {"1 Features", "2 Kernel", "3 Experiments", "4 Model", "5 Decision"})
            EXPECT_THAT(card, HasSubstr(step)) << name;
    }
    EXPECT_THAT(shown_in(text), ContainsRegex("M diagonal: chronopoulos-gear, textbook from [0-9,]+ rows on"));
    EXPECT_THAT(between(text, "data-figures=\"solver\"", "</table>").value_or(""), HasSubstr("the probe"));
    EXPECT_THAT(between(text, "data-forms=\"solver\"", "</table>").value_or(""), HasSubstr("explicit"));
}

TEST_F(ReportInBrowser, ShowsTheCheckOfEachType) {
    Profile profile = sample_profile({.kernels = 3, .operators = 2});
    EXPECT_THAT(shown_in(dom(profile, "")), HasSubstr("have not been checked"));
    constexpr ChoiceQuality good{29, 1, 1.01, 1.01, 1.1};
    keep_check(profile, {.values = "float64", .sizes = {8, 8}, .matrices = 29, .models = good, .rules = good});
    keep_check(profile, {.values = "float32", .sizes = {4, 8}, .vectors = good});
    const std::string text = shown_in(dom(profile, "self-test"));
    EXPECT_THAT(between(text, "id=\"check-8-8\"", "</table>").value_or(""), HasSubstr("rules alone"));
    EXPECT_THAT(between(text, "id=\"check-4-8\"", "</table>").value_or(""), HasSubstr("float32, choice by"));
    EXPECT_THAT(text, HasSubstr("On 29 matrices"));
    EXPECT_THAT(text, Not(HasSubstr("On 0 matrices")));
}

TEST_F(ReportInBrowser, FiltersAndSwitches) {
    const Profile profile = sample_profile({.kernels = 3, .operators = 4});
    const std::string text =
        dom(profile, "scale=linear&y=ratio&hide=csr16&hide=update_0&self-test&points=fitted&points=naive&features=all");
    EXPECT_EQ(points_of(text, "csr16"), -1);
    EXPECT_EQ(points_of(text, "update_0 float64"), -1);
    EXPECT_EQ(points_of(text, "update_1 float64"), static_cast<int>(profile.vectors[1].points.size()));
    EXPECT_EQ(points_of(text, "csr-merge"), 2 * static_cast<int>(profile.matrices.size()));
    const auto choices = between(text, "id=\"choices\"", "</table>").value_or("");
    EXPECT_THAT(choices, HasSubstr("csr-merge"));
    EXPECT_THAT(choices, HasSubstr("full_tile_share"));
    EXPECT_THAT(choices, Not(HasSubstr("csr16")));
    expect_neat(text, 2 + 1 + 3);
    const std::string other = dom(profile, "scale=log&hide=csr16&hide=update_0");
    const auto line_of = [](const std::string& page) {
        return between(between(page, "data-chart=\"csr-merge\"", "</svg>").value_or(""), "class=\"points", "/path")
            .value_or("");
    };
    EXPECT_NE(line_of(text), line_of(other)) << "scales differ";
}

TEST_F(ReportInBrowser, SortsChoices) {
    const Profile profile = sample_profile({.operators = 2});
    const auto first_row = [&](const std::string& sort) {
        const std::string table = std::regex_replace(
            between(dom(profile, fmt::format("sort={}", sort)), "id=\"choices\"", "</table>").value_or(""),
            std::regex("<wbr>"), "");
        return between(between(table, "<tbody>", "</tr>").value_or(""), "class=\"name\">", "<").value_or("");
    };
    const auto by_rows = [](const auto& a, const auto& b) { return a.features.rows < b.features.rows; };
    const auto [least, most] = std::minmax_element(profile.matrices.begin(), profile.matrices.end(), by_rows);
    EXPECT_EQ(first_row("rows"), least->name);
    EXPECT_EQ(first_row("-rows"), most->name);
}

TEST_F(ReportInBrowser, ShowsHostileNamesAsTheyAre) {
    const std::string hostile = "</script><img id=hack><script>document.title='hacked'</script>\"'&amp;";
    Profile profile = sample_profile({.kernels = 1, .operators = 2, .more_operators = {hostile}, .machine = hostile});
    profile.vectors[0].work.kernel = hostile;
    profile.matrices[0].name = hostile;
    const std::string text = dom(profile, "self-test");
    EXPECT_EQ(text.find("<img"), std::string::npos);
    EXPECT_THAT(between(text, "<title>", "</title>").value_or(""), HasSubstr("tilespmv: &lt;/script&gt;"));
    EXPECT_THAT(shown_in(text), HasSubstr("&lt;img id=hack&gt;"));
}

TEST_F(ReportInBrowser, ShowsAProfileWithoutAnything) {
    const std::string text = dom(Profile{}, "self-test");
    EXPECT_THAT(shown_in(text), HasSubstr("None has been measured."));
}

TEST_F(ReportInBrowser, ShowsWhatWasMeasuredBeforeThereAreModels) {
    Profile profile = sample_profile({.kernels = 3});
    for (auto& one : profile.vectors) one.model = {};
    profile.models.clear();
    for (auto& matrix : profile.matrices) {
        for (auto& product : matrix.products) product.predicted = product.held_out = 0;
    }
    const std::string text = dom(profile, "self-test");
    EXPECT_EQ(points_of(text, "update_0 float64"), static_cast<int>(profile.vectors[0].points.size()));
    EXPECT_THAT(shown_in(text), HasSubstr("Too few matrices have been measured."));
    EXPECT_EQ(points_of(dom(profile, "y=ratio"), "update_0 float64"), 0) << "over nothing";
}

TEST_F(ReportInBrowser, ManyKernelsAndOperatorsStayNeat) {
    const std::string text =
        dom(sample_profile({.kernels = 6, .operators = 15, .matrices = 30}), "self-test&theme=dark");
    expect_neat(text, 6 + 2 + 15);
}

}  // namespace
}  // namespace tilespmv::tools
