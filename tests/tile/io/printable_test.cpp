#include "tile/io/printable.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>

namespace tilespmv {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
    for (const char* text : {"", "a/b c.mtx", R"(quotes " ' and \ backslash)", "größe ≤ 行列 🙂",
                             "\u00a0\u07ff\u0800\U00010000"}) {
        EXPECT_EQ(printable(text), text);
    }
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
    EXPECT_EQ(printable("a\x1b[31mb\r\n\t\x7f"), R"(a\x1b[31mb\r\n\t\x7f)");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), R"(a\x00b)");
    EXPECT_EQ(printable("a\u202eb\u0085"), R"(a\u202eb\x85)");
}

TEST(Printable, ShowsTheFirstAndTheLastOfWhatIsInvisible) {
    EXPECT_EQ(printable("\u00ad\u0600\u0605\u061c\u180e"), R"(\xad\u0600\u0605\u061c\u180e)");
    EXPECT_EQ(printable("\u200b\u200f\u2028\u202e\u2060\u206f"), R"(\u200b\u200f\u2028\u202e\u2060\u206f)");
    EXPECT_EQ(printable("\ufeff\ufff0\uffff\U000e0000\U0010ffff"), R"(\ufeff\ufff0\uffff\U000e0000\U0010ffff)");
    for (const char* beside : {"\u00ae", "\u05ff", "\u0606", "\u200a", "\u2010", "\u2027", "\u202f", "\u2070"}) {
        EXPECT_EQ(printable(beside), beside);
    }
}

TEST(Printable, ShowsSurrogatesByTheirBytes) {
    EXPECT_EQ(printable("\xed\xa0\x80 \xed\xbf\xbf"), R"(\xed\xa0\x80 \xed\xbf\xbf)");
    EXPECT_EQ(printable("\xed\x9f\xbf \xee\x80\x80"), "\xed\x9f\xbf \xee\x80\x80");  // those before and behind
}

TEST(Printable, ShowsStrayBytes) {
    EXPECT_EQ(printable("\xff.mtx"), R"(\xff.mtx)");
    EXPECT_EQ(printable("caf\xe9 \xc3"), R"(caf\xe9 \xc3)");
    EXPECT_EQ(printable("\xed\xa0\x80 \xc0\xaf"), R"(\xed\xa0\x80 \xc0\xaf)");
    EXPECT_EQ(printable("\xf0\x82\x82\xac"), R"(\xf0\x82\x82\xac)") << "four bytes for what has three";
}

TEST(Printable, ShowsACharacterThatIsCutOffByItsBytes) {
    constexpr std::string_view text = "\u00e9\u2264\U0001f642";
    constexpr std::array shown{R"(\xc3)", R"(\xa9)", R"(\xe2)", R"(\x89)", R"(\xa4)",
                               R"(\xf0)", R"(\x9f)", R"(\x99)", R"(\x82)"};
    for (const auto& [first, end] : {std::pair<std::size_t, std::size_t>{0, 2}, {2, 5}, {5, 9}}) {
        std::string bytes;
        for (std::size_t cut = first + 1; cut < end; ++cut) {
            bytes += shown[cut - 1];
            EXPECT_EQ(printable(text.substr(first, cut - first)), bytes);
            EXPECT_EQ(printable(std::string(text.substr(first, cut - first)) + '.'), bytes + '.');
        }
    }
}

TEST(Printable, DoneTwiceIsDoneOnce) {
    for (const char* text : {"a\x1b", R"(a\x1b)", "\xff\n\\"}) EXPECT_EQ(printable(printable(text)), printable(text));
}

TEST(Escaped, KeepsDifferentTextsDifferent) {
    EXPECT_EQ(escaped("gen:fem:n=5"), "gen:fem:n=5");
    EXPECT_EQ(escaped("a\xff"), R"(a\xff)");
    EXPECT_EQ(escaped(R"(a\xff)"), R"(a\\xff)");
    EXPECT_EQ(printable(escaped("a\xff\x1b")), escaped("a\xff\x1b"));
}

}  // namespace
}  // namespace tilespmv
