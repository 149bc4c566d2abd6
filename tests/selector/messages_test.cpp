// The whole text of every error of selectors, at both ends of what each option takes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "selector/policy.hpp"
#include "tests/support/lists.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv {
namespace {

struct Row {
    std::string specification;
    std::string message;
};

std::string made(const std::string& specification) {
    return test::message_of([&] { make_policy(specification); });
}

TEST(SelectorMessages, Names) {
    const std::string selectors = "; there are " + test::selector_names();
    const std::string formats = "; there are " + test::format_names();
    for (const auto& [specification, message] :
         {Row{"magic", "2: unknown selector 'magic'" + selectors},
          {"", "2: unknown selector ''" + selectors},
          {"Paper:coo=1", "2: unknown selector 'Paper'" + selectors},
          {"only", "2: unknown selector 'only'" + selectors},
          {"only:", "2: unknown format ''" + formats},
          {"only:jad", "2: unknown format 'jad'" + formats},
          {"only:coo:else=jad", "2: unknown format 'jad'" + formats},
          {"only:coo:els=csr", "2: selector 'only:els=csr': no option 'els'; it takes else"},
          {"only:coo:", "2: selector 'only:': found '', expected option=value"},
          {"paper-csr:coo=1", "2: selector 'paper-csr:coo=1': no option 'coo'; it takes none"},
          {"bytes:coo=1", "2: selector 'bytes:coo=1': no option 'coo'; it takes saving, defer, walked"}}) {
        EXPECT_EQ(made(specification), message);
    }
}

TEST(SelectorMessages, OptionsOfTheRules) {
    const std::string taken = "it takes dense, coo, ell, ell_fill, hyb, hyb_rest, hyb_coo, defer_hyb";
    EXPECT_EQ(made("paper:x=1"), "2: selector 'paper:x=1': no option 'x'; " + taken);
    EXPECT_EQ(made("paper-tuned:defer=1"), "2: selector 'paper-tuned:defer=1': no option 'defer'; " + taken);
    EXPECT_EQ(made("paper-deferred:x=1"), "2: selector 'paper-deferred:x=1': no option 'x'; " + taken + ", defer");
}

TEST(SelectorMessages, Ranges) {
    for (const auto& [option, expected] : {Row{"coo", "a whole number from 0 to 256"},
                                           {"hyb_rest", "a whole number from 0 to 256"},
                                           {"defer", "a whole number from 0 to 256"}}) {
        for (const auto* wrong : {"-1", "257", "1.5", "many"}) {
            const std::string specification = "paper-deferred:" + option + "=" + wrong;
            EXPECT_EQ(made(specification),
                      "2: selector '" + specification + "': " + option + "=" + wrong + ", expected " + expected);
        }
        for (const auto* right : {"0", "256"}) EXPECT_EQ(made("paper-deferred:" + option + "=" + right), "0: ");
    }
    struct Range {
        const char* option;
        const char* low;
        const char* high;
        const char* below;
        const char* above;
        const char* names;
    };
    for (const auto& r : {Range{"dense", "0", "2", "-0.1", "2.1", ", or published (0.75), or cpu-code (0.5)"},
                          {"ell", "-1", "16", "-1.1", "16.1", ""},
                          {"ell_fill", "0", "1", "-0.1", "1.1", ""},
                          {"hyb", "0", "16", "-0.1", "16.1", ""},
                          {"hyb_coo", "0", "1", "-0.1", "1.1", ""}}) {
        for (const auto* right : {r.low, r.high}) EXPECT_EQ(made(fmt::format("paper:{}={}", r.option, right)), "0: ");
        for (const auto* wrong : {r.below, r.above, "nan", "some"}) {
            const auto specification = fmt::format("paper-tuned:{}={}", r.option, wrong);
            EXPECT_EQ(made(specification), fmt::format("2: selector '{}': {}={}, expected a number from {} to {}{}",
                                                       specification, r.option, wrong, r.low, r.high, r.names));
        }
    }
    for (const auto* right : {"0", "4096"}) EXPECT_EQ(made(std::string("bytes:saving=") + right), "0: ");
    EXPECT_EQ(made("bytes:saving=4097"),
              "2: selector 'bytes:saving=4097': saving=4097, expected a whole number from 0 to 4096");
    EXPECT_EQ(made("bytes:defer=2"), "2: selector 'bytes:defer=2': defer=2, expected one of 0, 1");
    EXPECT_EQ(made("paper:defer_hyb=yes"), "2: selector 'paper:defer_hyb=yes': defer_hyb=yes, expected one of 0, 1");
}

}  // namespace
}  // namespace tilespmv
