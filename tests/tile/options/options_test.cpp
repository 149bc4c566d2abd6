#include "tile/options/options.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"

namespace tilespmv {
namespace {

TEST(Options, AreTakenApart) {
    Options options("operator", "csr:threads=4,share=0.5,order=row");
    EXPECT_EQ(options.name(), "csr");
    EXPECT_TRUE(options.has("share"));
    EXPECT_FALSE(options.has("csr"));
    EXPECT_EQ(options.one_of("threads", 0, {2, 4, 8}), 4);
    EXPECT_EQ(options.number("share", 1, 0, 1), 0.5);
    EXPECT_EQ(options.word("order", "col"), "row");
    Options more("operator", "csr:n=4e3,on=1");
    EXPECT_EQ(more.whole("n", 0, 0, 5000), 4000);
    EXPECT_TRUE(more.flag("on", false));
    more.finish();
    options.finish();
}

TEST(Options, HaveDefaults) {
    Options options("operator", "csr");
    EXPECT_EQ(options.one_of("threads", 0, {2, 4, 8}), 0);
    EXPECT_EQ(options.number("share", 0.25, 0, 1), 0.25);
    EXPECT_EQ(options.word("order", "col"), "col");
    options.finish();
}

/// What reading the options n (whole, 2 to 9), share (0.5 to 1.5, or a word), way (1 or 4) and on (a flag) says.
std::string read(const std::string& specification) {
    return test::message_of([&] {
        Options options("thing", specification);
        options.whole("n", 3, 2, 9);
        options.number("share", 1, 0.5, 1.5, {{"half", 0.5}, {"all", 1}});
        options.one_of("way", 1, {1, 4});
        options.flag("on", true);
        options.finish();
    });
}

TEST(Options, RefuseWhatIsNotExpected) {
    for (const auto* right : {"a", "a:n=2", "a:n=9", "a:share=0.5", "a:share=1.5", "a:share=half", "a:way=4,n=9,on=0"})
        EXPECT_EQ(read(right), "0: ") << right;
    struct Row {
        const char* message;
        std::vector<const char*> wrong;
    };
    for (const auto& [message, wrong] :
         {Row{", expected a whole number from 2 to 9", {"n=1", "n=10", "n=2.5", "n=-1", "n=4x", "n=nan", "n=1e400"}},
          {", expected a number from 0.5 to 1.5, or half (0.5), or all (1)",
           {"share=0.499", "share=1.51", "share=Half", "share=nan", "share=-1e-9", "share=1e400", "share=0.5 "}},
          {", expected one of 1, 4", {"way=2", "way=4x", "way=04", "way=-4"}},
          {", expected one of 0, 1", {"on=2", "on=0.5", "on=yes"}}}) {
        for (const auto* option : wrong)
            EXPECT_EQ(read(fmt::format("a:{}", option)), fmt::format("2: thing 'a:{0}': {0}{1}", option, message));
    }
    const auto expect = [](const std::string& specification, const std::string& message) {
        EXPECT_EQ(read(specification), fmt::format("2: thing '{}': {}", specification, message));
    };
    expect("a:n=2,m=1,k=1", "no option 'm'; it takes n, share, way, on");
    expect("a:n=2,m=2,n=3", "'n' is given twice");
    for (const auto& [specification, found] :
         {std::pair{"a:", ""}, {"a:n", "n"}, {"a:n=", "n="}, {"a:=2", "=2"}, {"a:n=2,", ""}})
        expect(specification, fmt::format("found '{}', expected option=value", found));
    EXPECT_EQ(test::message_of([] { Options("thing", "a:n=1").finish(); }),
              "2: thing 'a:n=1': no option 'n'; it takes none");
}

}  // namespace
}  // namespace tilespmv
