#include "tile/options/options.hpp"

#include <gmock/gmock.h>

#include "tile/error.hpp"

namespace tilespmv {
namespace {

using ::testing::HasSubstr;

template <class F>
void expect_usage_error(F&& f, const std::string& text) {
    try {
        f();
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_THAT(error.what(), HasSubstr(text));
    }
}

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

TEST(Options, RefuseWhatIsNotExpected) {
    for (const char* text : {"csr:threads=3", "csr:threads=4x", "csr:threads=04", "csr:threads=-4"}) {
        Options options("operator", text);
        expect_usage_error([&] { options.one_of("threads", 0, {2, 4, 8}); }, "expected one of 2, 4, 8");
    }
    for (const char* text : {"csr:n=1.5", "csr:n=-1", "csr:n=11", "csr:n=1x", "csr:n=nan", "csr:n=1e400"}) {
        Options options("operator", text);
        expect_usage_error([&] { options.whole("n", 0, 0, 10); }, ", expected a whole number from 0 to 10");
    }
    for (const char* text : {"csr:on=2", "csr:on=0.5", "csr:on=yes"}) {
        Options options("operator", text);
        expect_usage_error([&] { options.flag("on", true); }, "expected one of 0, 1");
    }
    for (const char* text : {"csr:share=2", "csr:share=nan", "csr:share=-1e-9", "csr:share=1e400", "csr:share=0.5 "}) {
        Options options("operator", text);
        expect_usage_error([&] { options.number("share", 0, 0, 1); }, ", expected a number from 0 to 1");
    }
    Options options("operator", "csr:share=2,more=1");
    expect_usage_error([&] { options.number("share", 0, 0, 1); }, "expected a number from 0 to 1");
    expect_usage_error([&] { options.finish(); }, "no option 'more'; it takes share");
    for (const char* text : {"csr:threads", "csr:threads=", "csr:=2", "csr:", "csr:threads=2,"}) {
        expect_usage_error([&] { Options("operator", text); }, "expected option=value");
    }
    expect_usage_error([] { Options("operator", "csr:n=1,m=2,n=1"); },
                       "operator 'csr:n=1,m=2,n=1': 'n' is given twice");
}

}  // namespace
}  // namespace tilespmv
