#include "tile/options.hpp"

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
    EXPECT_EQ(options.one_of("threads", 0, {2, 4, 8}), 4);
    EXPECT_EQ(options.number("share", 1, 0, 1), 0.5);
    EXPECT_EQ(options.word("order", "col"), "row");
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
    Options options("operator", "csr:share=2,more=1");
    expect_usage_error([&] { options.number("share", 0, 0, 1); }, "expected a number from 0 to 1");
    expect_usage_error([&] { options.finish(); }, "no option 'more'; it takes share");
    expect_usage_error([] { Options("operator", "csr:threads"); }, "expected option=value");
}

}  // namespace
}  // namespace tilespmv
