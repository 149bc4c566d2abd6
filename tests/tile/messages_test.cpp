// The whole text of errors of values out of range and archives.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/list.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/tile/archive/archive_bytes.hpp"
#include "tests/tile/archive/sample_tiles.hpp"
#include "tile/archive/archive.hpp"
#include "tile/value_range.hpp"

namespace tilespmv {
namespace {

using test::message_of;

TEST(TileMessages, ValuesOutOfRange) {
    EXPECT_EQ(message_of([] { fail_range("A.tsp", 0, 41, "1e39", "float32"); }),
              "1: A.tsp: row 1, column 42: found 1e39, expected a number in the range of float32 (--values float64 has "
              "a larger one)");
    constexpr auto last = std::numeric_limits<index_t>::max();
    EXPECT_EQ(message_of([] { fail_range("", last, 0, "1e999", "float64"); }),
              "1: row 2147483648, column 1: found 1e999, expected a number in the range of float64");
}

class ArchiveMessages : public ::testing::Test {
protected:
    ArchiveMessages() {
        const test::TemporaryDirectory directory;
        write_archive<double>(directory.path() / "A.tsp", test::sample_tiles<double>(), formats::format_table());
        content_ = test::content_of(directory.path() / "A.tsp");
    }

    template <Value V = double>
    [[nodiscard]] std::string opened() const {
        return message_of([&] { test::open_bytes<V>(content_); });
    }

    template <class Change>
    void change_header(Change&& change) {
        auto header = test::header_of(content_);
        change(header);
        test::set_header(content_, header);
    }

    std::string content_;
};

TEST_F(ArchiveMessages, ATruncatedHeaderAndAFileOfAnotherLength) {
    const auto whole = content_;
    content_.resize(sizeof(archive::Header) - 1);
    EXPECT_EQ(opened(), fmt::format("1: A.tsp: truncated: {} bytes, the header has {}", sizeof(archive::Header) - 1,
                                    sizeof(archive::Header)));
    content_ = whole.substr(0, whole.size() - 1);
    EXPECT_EQ(opened(), fmt::format("1: A.tsp: truncated: {} bytes, expected {}", whole.size() - 1, whole.size()));
    content_ = whole + 'x';
    EXPECT_EQ(opened(), fmt::format("1: A.tsp: damaged: {} bytes, expected {}", whole.size() + 1, whole.size()));
}

TEST_F(ArchiveMessages, OtherValuesAndUnknownFormats) {
    EXPECT_EQ(opened<float>(), "1: A.tsp: holds float64 values, expected float32");
    change_header([](auto& header) { header.format_names[0][0] = 't'; });
    EXPECT_EQ(opened(), "1: A.tsp: tile 0 has format 0 ('tense'), which this program does not know");
}

TEST_F(ArchiveMessages, NamesAreOfSmallLettersDigitsAndUnderscores) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyz0123456789_";
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<char>(byte);
        change_header([c](auto& header) { header.format_names[0] = {'t', c}; });
        if (c == '\0' || plain.find(c) != std::string_view::npos) {
            EXPECT_EQ(opened(), fmt::format("1: A.tsp: tile 0 has format 0 ('t{}'), which this program does not know",
                                            c == '\0' ? std::string_view() : std::string_view(&c, 1)));
        } else {
            EXPECT_EQ(opened(), "1: A.tsp: damaged: a name in the header") << byte;
        }
    }
}

}  // namespace
}  // namespace tilespmv
