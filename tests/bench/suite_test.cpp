#include "bench/harness/suite.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <gtest/gtest.h>

#include "bench/harness/contest.hpp"
#include "kernels/choose_operator.hpp"
#include "selector/policy.hpp"
#include "tile/generate/generate.hpp"
#include "tile/options/options.hpp"

namespace tilespmv::bench {
namespace {

// Throws for an unknown kind or parameter; generating the matrix would take minutes.
void check_source(std::string_view source) {
    ASSERT_TRUE(source.starts_with("gen:")) << source;
    Options options("generator", source.substr(4));
    const auto kind = std::ranges::find(generators(), options.name(), &GeneratorInfo::name);
    ASSERT_NE(kind, generators().end()) << source;
    for (const auto& p : kind->parameters) options.number(p.name, p.default_value, p.min, p.max);
    EXPECT_NO_THROW(options.finish()) << source;
}

TEST(Suites, NameWhatThereIs) {
    for (const Suite& suite : suites()) {
        SCOPED_TRACE(std::string(suite.name));
        EXPECT_EQ(find_suite(suite.name).name, suite.name);
        EXPECT_FALSE(suite.summary.empty());
        EXPECT_EQ(suite.sources.empty(), suite.name == "paper");
        EXPECT_LT(suite.groups.middle, suite.groups.most);
        if (std::isdigit(static_cast<unsigned char>(suite.summary.front())) != 0) {
            EXPECT_EQ(std::stoul(std::string(suite.summary)), suite.sources.size()) << "as its summary says";
        }
        const std::set<std::string_view> different(suite.sources.begin(), suite.sources.end());
        EXPECT_EQ(different.size(), suite.sources.size());
        for (const auto source : suite.sources) check_source(source);
        for (const auto selector : suite.selectors) EXPECT_NO_THROW(make_policy(selector)) << selector;
    }
}

TEST(Suites, NameOperatorsOfTheGpu) {
    const auto entries = operators<double>(Backend::cuda);
    if (entries.empty()) GTEST_SKIP() << "this build has no operators for the GPU";
    const auto any = [&](std::string_view baseline) {
        return std::ranges::any_of(entries, [&](const auto& entry) { return stands_for(baseline, entry.name); });
    };
    for (const Suite& suite : suites()) {
        for (const auto name : suite.operators) EXPECT_NO_THROW(find_operator<double>(Backend::cuda, name)) << name;
        for (const auto name : suite.more_operators) {
            EXPECT_TRUE(find_operator<double>(Backend::cuda, name).only_if_named) << name << " is there already";
        }
        for (const auto name : suite.baselines) EXPECT_TRUE(any(name) || !any("cusparse")) << name;
    }
}

}  // namespace
}  // namespace tilespmv::bench
