#include "tools/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "selector/models/profile_file.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/tools/report/sample_profile.hpp"

namespace tilespmv::tools {
namespace {

using nlohmann::json;
using test::sample_profile;
using ::testing::HasSubstr;
using ::testing::Not;

/// What the page has as its data, found as a browser does: up to the first end of a script.
json embedded(const std::string& page) {
    const std::string begin = R"(<script type="application/json" id="profile">)";
    const auto from = page.find(begin) + begin.size();
    return json::parse(page.substr(from, page.find("</script", from) - from));
}

std::size_t count_of(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

TEST(Report, HoldsAllKernelsAndOperatorsOfTheProfile) {
    const Profile profile = sample_profile({.kernels = 4, .operators = 5, .more_operators = {"brand-new"}});
    const json data = embedded(report_page(profile));
    ASSERT_EQ(data["vectors"].size(), 4U);
    for (std::size_t i = 0; i < profile.vectors.size(); ++i) {
        EXPECT_EQ(data["vectors"][i]["kernel"], profile.vectors[i].work.kernel);
        EXPECT_EQ(data["vectors"][i]["points"].size(), profile.vectors[i].points.size());
        EXPECT_EQ(data["vectors"][i]["tree"].size(), profile.vectors[i].model.tree.size());
    }
    ASSERT_EQ(data["matrices"].size(), profile.matrices.size());
    EXPECT_EQ(data["matrices"][0]["products"].back()["operator"], "brand-new");
    EXPECT_EQ(data["models"].size(), profile.models.size());
    EXPECT_FALSE(data.contains("small")) << "large, and not shown";
}

TEST(Report, AddsWhatOthersPredictAndChoose) {
    const Profile profile = sample_profile({});
    const json data = json::parse(report_data(profile));
    for (std::size_t i = 0; i < profile.matrices.size(); ++i) {
        const auto& matrix = profile.matrices[i];
        const auto question = question_on(profile.probe, matrix.features);
        const json& shown = data["matrices"][i];
        EXPECT_EQ(shown["by_models"][0], rank_operators(question, profile).front().specification);
        EXPECT_EQ(shown["by_rules"][0], rank_operators(question).front().specification);
        const auto candidate = modelled_operator(true, matrix.products[0].specification).candidate;
        EXPECT_EQ(shown["products"][0]["naive_s"],
                  naive_seconds(product_work(candidate, matrix.features, profile.probe)));
        EXPECT_FALSE(shown["features"].contains("row_rounds"));
    }
    EXPECT_TRUE(data["matrices"][6]["products"].back().contains("error"));
    EXPECT_FALSE(data["models"][0].contains("anchors"));
}

TEST(Report, SaysWhatModelsOfTheSolverDo) {
    const Profile profile = sample_profile({});
    const json solver = json::parse(report_data(profile))["solver"];
    EXPECT_EQ(solver["figures"]["memory_rate"], profile.probe.copy_rate);
    EXPECT_EQ(solver["measured"], json({"cache_bytes", "cached_rate", "memory_rate"}));
    ASSERT_EQ(solver["recurrences"].size(), 4U);
    EXPECT_EQ(solver["recurrences"][0]["launches"], 3);
    const json& first = solver["iterations"].front();
    EXPECT_EQ(first["rows"], 1000);
    EXPECT_LT(first["chronopoulos_gear_s"], first["textbook_s"]);
    EXPECT_EQ(first["chosen"], "chronopoulos-gear") << "launches count";
    EXPECT_EQ(solver["iterations"][16]["chosen"], "textbook") << "bytes do";
    ASSERT_EQ(solver["forms"].size(), 10U);
    for (const json& form : solver["forms"]) {
        const std::size_t products = form["form"] == "explicit" ? 1
                                     : form["form"] == "pair"   ? 2
                                                                : 2 * form["order"].get<std::size_t>();
        EXPECT_EQ(form["operators"].size(), products) << form;
        EXPECT_GT(form["seconds"], 0);
    }
    EXPECT_TRUE(json::parse(report_data({}))["solver"].is_null());
}

TEST(Report, ChoicesThatAreHeldOutGoByTheTimesThatWere) {
    Profile profile = sample_profile({});
    auto& products = profile.matrices[0].products;
    products[0].held_out = 3;
    products[1].held_out = 1;
    products[2].held_out = 0;  // without a model
    for (auto& model : profile.models) model.doubt = 0;
    const json data = json::parse(report_data(profile));
    EXPECT_EQ(data["matrices"][0]["by_held_out"], json({products[1].specification, products[0].specification}));
}

TEST(Report, ChoicesThatAreHeldOutDoNotDependOnModelsThatHaveSeenTheMatrix) {
    Profile profile = sample_profile({});
    auto& matrix = profile.matrices[0];
    for (auto& product : matrix.products) product.held_out = 0;
    std::vector<std::string> ruled;  // of these models, in the order of the rules
    for (const auto& one : rank_operators(question_on(profile.probe, matrix.features))) {
        const auto product = std::ranges::find(matrix.products, one.specification, &ProductTime::specification);
        if (product == matrix.products.end()) continue;
        product->held_out = 1e-6;
        ruled.push_back(one.specification);
    }
    ASSERT_GE(ruled.size(), 2U);
    for (auto& model : profile.models) {
        if (model.specification != ruled[1]) continue;
        for (double& cost : model.costs) cost *= 100;
    }
    EXPECT_EQ(json::parse(report_data(profile))["matrices"][0]["by_held_out"], json(ruled));
}

TEST(Report, NamesCannotBecomeMarkup) {
    const std::string hostile = R"(</script><script>alert("1")</script><!--<b>&amp;)";
    Profile profile = sample_profile({.more_operators = {hostile}, .machine = hostile});
    profile.vectors[0].work.kernel = hostile;
    profile.matrices[0].name = hostile;
    const std::string page = report_page(profile);
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_EQ(count_of(page, "<script"), 2U) << "the data and the script of the page";
    EXPECT_EQ(count_of(page, "</script"), 2U);
    EXPECT_EQ(count_of(page, "<!--"), 0U);
    const json data = embedded(page);
    EXPECT_EQ(data["probe"]["name"], hostile);
    EXPECT_EQ(data["vectors"][0]["kernel"], hostile);
    EXPECT_EQ(data["matrices"][0]["name"], hostile);
    EXPECT_EQ(data["matrices"][0]["products"].back()["operator"], hostile);
}

TEST(Report, LoadsNothing) {
    const std::string page = report_page(sample_profile({.kernels = 1, .operators = 2, .matrices = 4}));
    for (const char* one : {"src=", "href=", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "<link"}) {
        EXPECT_THAT(page, Not(HasSubstr(one)));
    }
    EXPECT_EQ(count_of(page, "https:"), 0U);
    EXPECT_EQ(count_of(page, "http:"), count_of(page, "http://www.w3.org/2000/svg"))
        << "the name of SVG, which is no link";
    EXPECT_EQ(count_of(page, "url("), count_of(page, "url(#")) << "parts of the page itself";
    EXPECT_THAT(page, HasSubstr("default-src 'none'")) << "browsers hold it to that";
    EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Report, IsWrittenForAProfileWithoutAnything) {
    const test::TemporaryDirectory folder;
    write_report(folder.path() / "empty.html", Profile{});
    EXPECT_EQ(test::content_of(folder.path() / "empty.html"), report_page(Profile{}));
    EXPECT_THAT(test::message_of([&] { write_report(folder.path() / "missing" / "a.html", Profile{}); }),
                HasSubstr("missing"));
}

}  // namespace
}  // namespace tilespmv::tools
