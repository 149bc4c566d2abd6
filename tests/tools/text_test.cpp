#include <gtest/gtest.h>

#include <limits>

#include "tools/text/markdown_table.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

TEST(NumberText, GroupsThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1000), "1,000");
    EXPECT_EQ(grouped(1234567), "1,234,567");
    EXPECT_EQ(grouped(-123456), "-123,456");
    EXPECT_EQ(grouped(std::numeric_limits<std::int64_t>::max()), "9,223,372,036,854,775,807");
}

TEST(NumberText, PercentNeverRoundsSomethingToNothing) {
    EXPECT_EQ(percent(0), "0.0%");
    EXPECT_EQ(percent(1), "100.0%");
    EXPECT_EQ(percent(0.4126), "41.3%");
    EXPECT_EQ(percent(0.001), "0.1%");
    EXPECT_EQ(percent(0.00096), "0.1%");
    EXPECT_EQ(percent(0.00094), "0.094%");
    EXPECT_EQ(percent(0.00052), "0.052%");
    EXPECT_EQ(percent(1e-9), "<0.0001%");
    EXPECT_EQ(percent(-0.5), "-50.0%");
    EXPECT_EQ(percent(-12.34), "-1234.0%");
}

TEST(NumberText, ByteSizesKeepThreeDigits) {
    EXPECT_EQ(byte_size(0), "0 B");
    EXPECT_EQ(byte_size(999), "999 B");
    EXPECT_EQ(byte_size(1000), "1.00 kB");
    EXPECT_EQ(byte_size(9994), "9.99 kB");
    EXPECT_EQ(byte_size(9996), "10.0 kB");
    EXPECT_EQ(byte_size(45600), "45.6 kB");
    EXPECT_EQ(byte_size(99940), "99.9 kB");
    EXPECT_EQ(byte_size(99960), "100 kB");
    EXPECT_EQ(byte_size(999499), "999 kB");
    EXPECT_EQ(byte_size(999999), "1.00 MB");
    EXPECT_EQ(byte_size(123456789), "123 MB");
    EXPECT_EQ(byte_size(std::numeric_limits<std::int64_t>::max()), "9.22 EB");
}

TEST(TextTable, AlignsColumnsAndTrimsLines) {
    TextTable table;
    table.add({"name", "n", "share"});
    table.add({"a", "1,000", ""});
    table.add({});
    table.add({"long name", "2", "50%"});
    EXPECT_EQ(table.str(),
              "name           n  share\n"
              "a          1,000\n"
              "\n"
              "long name      2    50%\n");
}

TEST(MarkdownTable, BarsDoNotEndTheirCell) {
    MarkdownTable table({"a|b", "c"});
    table.add({"||d|", "e"});
    EXPECT_EQ(table.str(), R"(| a\|b | c |
|---|---:|
| \|\|d\| | e |
)");
}

}  // namespace
}  // namespace tilespmv::tools
