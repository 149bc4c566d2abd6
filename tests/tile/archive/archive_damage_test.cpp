#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/tile/archive/archive_bytes.hpp"
#include "tests/tile/archive/sample_tiles.hpp"

namespace tilespmv {
namespace {

using archive::Header;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const auto kDamagedFormats = formats::format_table();

std::string archived(const TileMatrix<double>& a) {
    const test::TemporaryDirectory directory;
    write_archive<double>(directory.path() / "A.tsp", a, kDamagedFormats);
    return test::content_of(directory.path() / "A.tsp");
}

const std::string& sample() {
    static const std::string content = archived(test::sample_tiles<double>());
    return content;
}

/// What opening says.
std::string verdict_on(std::string_view content) {
    return test::error_of([&] { test::open_bytes<double>(content); });
}

TEST(ArchiveDamage, EveryFlippedBitIsNoticed) {
    std::string content = sample();
    ASSERT_EQ(verdict_on(content), "no error");
    for (std::size_t i = 0; i < content.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            content[i] = static_cast<char>(content[i] ^ 1 << bit);
            const auto said = verdict_on(content);
            ASSERT_THAT(said, AllOf(StartsWith("A.tsp: "), Not(HasSubstr("\n")))) << "bit " << bit << " of byte " << i;
            content[i] = sample()[i];
        }
    }
}

TEST(ArchiveDamage, EveryTruncationIsNoticed) {
    for (std::size_t size = 0; size < sample().size(); ++size) {
        ASSERT_THAT(verdict_on(sample().substr(0, size)),
                    StartsWith(size < 8 ? "A.tsp: not a .tsp archive" : "A.tsp: truncated: "))
            << size;
    }
}

TEST(ArchiveDamage, BytesBehindTheEndAreNoticed) {
    for (const std::size_t more : {1, 63, 64, 4096}) {
        EXPECT_EQ(verdict_on(sample() + std::string(more, '\0')),
                  fmt::format("A.tsp: damaged: {} bytes, expected {}", sample().size() + more, sample().size()));
    }
}

struct Damage {
    std::string name;
    std::string message;
    std::function<void(std::string&)> apply;
};

Damage in_header(std::string name, std::string message, std::function<void(Header&)> edit) {
    return {std::move(name), std::move(message), [edit](std::string& content) {
                auto header = test::header_of(content);
                edit(header);
                test::set_header(content, header);
            }};
}

std::vector<Damage> foreign_files() {
    return {
        {"matrix_market", "not a .tsp archive",
         [](auto& c) { c = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"; }},
        {"text_mode_transfer", "not a .tsp archive", [](auto& c) { c.erase(4, 1); }},
        in_header("newer", "version 3 of .tsp is newer than this program can read (1)",
                  [](Header& h) { h.version = 3; }),
        {"newer_and_short", "version 3 of .tsp is newer than this", [](auto& c) { c[8] = 3, c.resize(12); }},
        {"strips", "an archive of strips; this version reads archives of tiles only: convert the matrix again",
         [](auto& c) { c = test::content_of(TILESPMV_TEST_DATA "/archive/strips_version2.tsp"); }},
        in_header("other_values", "holds bfloat16 values, expected float64",
                  [](Header& h) { h.value_type = {"bfloat16"}; }),
    };
}

std::vector<Damage> broken_headers() {
    const auto in_names = [](std::string name, std::function<void(Header&)> edit) {
        return in_header(std::move(name), "damaged: a name in the header", std::move(edit));
    };
    return {
        {"header", "damaged: checksum of the header", [](auto& c) { c[33] ^= 1; }},
        in_header("version_0", "damaged: version or header size", [](Header& h) { h.version = 0; }),
        in_header("header_size", "damaged: version or header size", [](Header& h) { h.header_bytes = 64; }),
        in_header("file_size", "truncated: ", [](Header& h) { h.file_bytes += 64; }),
        in_header("reserved", "damaged: reserved bytes of the header", [](Header& h) { h.reserved[31] = 1; }),
        in_names("type_of_other_characters", [](Header& h) { h.value_type[0] = '\n'; }),
        in_names("format_with_tail", [](Header& h) { h.format_names[3][30] = 'x'; }),
        in_names("format_without_end", [](Header& h) { h.format_names[31].fill('x'); }),
    };
}

std::vector<Damage> misplaced_sections() {
    constexpr auto max = ~std::uint64_t{0};
    constexpr auto far = std::uint64_t{1} << 40;
    const auto moved = [](std::string name, std::function<void(Header&)> edit) {
        return in_header(std::move(name), "damaged: place or size of a section", std::move(edit));
    };
    return {
        moved("offset_beyond", [](Header& h) { h.sections[5].offset += far; }),
        moved("offset_wraps", [](Header& h) { h.sections[5].offset -= h.sections[5].offset + 64; }),
        moved("offset_unaligned", [](Header& h) { h.sections[5].offset += 1; }),
        moved("bytes_beyond", [](Header& h) { h.sections[5].bytes += far; }),
        moved("bytes_wrap", [](Header& h) { h.sections[5].bytes = max; }),
        moved("bytes_wrap_to_nothing", [](Header& h) { h.sections[5].bytes = max - 62; }),
        moved("last_section_beyond", [](Header& h) { h.sections[11].bytes += 64; }),
        {"last_padding_cut_off", "damaged: place or size of a section",
         [](auto& c) {
             c.pop_back();
             in_header("", "", [](Header& h) { --h.file_bytes; }).apply(c);
         }},
    };
}

std::vector<Damage> broken_sections() {
    return {
        {"values", "damaged: checksum of section values",
         [](auto& c) { c[test::header_of(c).sections[5].offset] ^= 1; }},
        {"between", "damaged: bytes between sections",
         [](auto& c) {
             const auto first = test::header_of(c).sections[0];
             c[first.offset + first.bytes] = 1;
         }},
        {"behind", "damaged: bytes behind the last section",
         [](auto& c) {
             c.append(64, '\0');
             in_header("", "", [](Header& h) { h.file_bytes += 64; }).apply(c);
         }},
        {"size_of_no_multiple", "damaged: size of section tile_rows",
         [](auto& c) { in_header("", "", [](Header& h) { ++h.sections[0].bytes; }).apply(c); }},
        {"padding", "damaged: tile (0, 0): sizes, index bytes or padding are not those of a dense tile",
         [](auto& c) {
             c[test::header_of(c).sections[5].offset + 8 * sizeof(double) + 7] ^= '\x80';  // place (8, 0): -0
             test::reseal(c);
         }},
        {"tile", "damaged: tile (0, 0): sizes, index bytes or padding are not those of a dense tile",
         [](auto& c) {
             c[test::header_of(c).sections[4].offset + 4] ^= 1;
             test::reseal(c);
         }},
    };
}

TEST(ArchiveDamage, NamesAreOfSmallLettersDigitsAndUnderscores) {
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyz0123456789_";
    for (int byte = 0; byte < 256; ++byte) {
        const auto c = static_cast<char>(byte);
        std::string content = sample();
        in_header("", "", [c](Header& h) { h.format_names[0] = {'t', c}; }).apply(content);
        const bool is_plain = c == '\0' || plain.find(c) != std::string_view::npos;
        EXPECT_EQ(verdict_on(content),
                  is_plain ? fmt::format("A.tsp: tile 0 has format 0 ('t{}'), which this program does not know",
                                         std::string_view(&c, c == '\0' ? 0 : 1))
                           : "A.tsp: damaged: a name in the header")
            << byte;
    }
}

class ArchiveDamaged : public ::testing::TestWithParam<Damage> {};

TEST_P(ArchiveDamaged, IsRefusedInOneLineThatSaysWhy) {
    std::string content = sample();
    GetParam().apply(content);
    const auto said = verdict_on(content);
    EXPECT_THAT(said, StartsWith("A.tsp: " + GetParam().message));
    EXPECT_THAT(said, Not(HasSubstr("\n")));
}

std::string name_of(const ::testing::TestParamInfo<Damage>& instance) { return instance.param.name; }

INSTANTIATE_TEST_SUITE_P(Foreign, ArchiveDamaged, ::testing::ValuesIn(foreign_files()), name_of);
INSTANTIATE_TEST_SUITE_P(Header, ArchiveDamaged, ::testing::ValuesIn(broken_headers()), name_of);
INSTANTIATE_TEST_SUITE_P(Places, ArchiveDamaged, ::testing::ValuesIn(misplaced_sections()), name_of);
INSTANTIATE_TEST_SUITE_P(Sections, ArchiveDamaged, ::testing::ValuesIn(broken_sections()), name_of);

}  // namespace
}  // namespace tilespmv
