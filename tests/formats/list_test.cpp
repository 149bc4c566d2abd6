#include "formats/list.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilespmv::formats {
namespace {

TEST(FormatList, NamesAreUniqueAndFindTheirIds) {
    std::set<std::string_view> names;
    for (int id = 0; id < kFormatCount; ++id) {
        const auto name = format_table()[static_cast<std::size_t>(id)].name;
        EXPECT_TRUE(names.insert(name).second) << name;
        EXPECT_EQ(format_id(name), id);
    }
    EXPECT_EQ(published_formats().size(), 7u);
    EXPECT_EQ(published_formats().data(), format_table().data());
    EXPECT_FALSE(visit_format(kFormatCount, []<class F>() {}));
}

}  // namespace
}  // namespace tilespmv::formats
