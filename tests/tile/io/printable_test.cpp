#include "tile/io/printable.hpp"

#include <gmock/gmock.h>

namespace tilespmv {
namespace {

TEST(Printable, LeavesOrdinaryTextAlone) {
    for (const char* text :
         {"", "a/b c.mtx", R"(quotes " ' and \ backslash)", "größe ≤ 行列 🙂", "\u00a0\u0800\U00010000"}) {
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
