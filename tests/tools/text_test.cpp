#include <gtest/gtest.h>

#include "tools/text/text_table.hpp"

namespace tilespmv::tools {
namespace {

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

}  // namespace
}  // namespace tilespmv::tools
