#include <functional>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"
#include "tests/tile/archive_bytes.hpp"
#include "tests/tile/sample_tiles.hpp"
#include "tile/error.hpp"

namespace tilespmv {
namespace {

using archive::Header;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const auto kFormats = formats::format_table();

std::string archived(const TileMatrix<double>& a) {
    const test::TemporaryDirectory directory;
    write_archive<double>(directory.path() / "A.tsp", a, kFormats);
    return test::content_of(directory.path() / "A.tsp");
}

const std::string& sample() {
    static const std::string content = archived(test::sample_tiles<double>());
    return content;
}

/// What opening says, or "accepted".
std::string verdict(std::string_view content) {
    try {
        test::open_bytes<double>(content);
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(ArchiveDamage, TheSampleIsAccepted) { EXPECT_EQ(verdict(sample()), "accepted"); }

TEST(ArchiveDamage, EveryFlippedBitIsNoticed) {
    std::string content = sample();
    for (std::size_t i = 0; i < content.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            content[i] = static_cast<char>(content[i] ^ 1 << bit);
            const auto said = verdict(content);
            ASSERT_THAT(said, AllOf(StartsWith("A.tsp: "), Not(HasSubstr("\n")))) << "bit " << bit << " of byte " << i;
            content[i] = sample()[i];
        }
    }
}

TEST(ArchiveDamage, EveryTruncationIsNoticed) {
    for (std::size_t size = 0; size < sample().size(); ++size) {
        ASSERT_THAT(verdict(sample().substr(0, size)),
                    StartsWith(size < 8 ? "A.tsp: not a .tsp archive" : "A.tsp: truncated: "))
            << size;
    }
}

TEST(ArchiveDamage, BytesBehindTheEndAreNoticed) {
    for (const std::size_t more : {1, 63, 64, 4096}) {
        EXPECT_EQ(verdict(sample() + std::string(more, '\0')),
                  fmt::format("A.tsp: damaged: {} bytes, expected {}", sample().size() + more, sample().size()));
    }
}

struct Damage {
    std::string name;
    std::function<void(std::string&)> apply;
    std::string message;
};

Damage in_header(std::string name, std::function<void(Header&)> edit, std::string message) {
    return {std::move(name),
            [edit](std::string& content) {
                auto header = test::header_of(content);
                edit(header);
                test::set_header(content, header);
            },
            std::move(message)};
}

std::vector<Damage> damages() {
    constexpr auto max = ~std::uint64_t{0};
    const auto section = [](std::string name, std::size_t i, std::uint64_t offset, std::uint64_t bytes) {
        return in_header(
            std::move(name),
            [=](Header& h) {
                h.sections[i].offset += offset;
                h.sections[i].bytes += bytes;
            },
            "damaged: place or size of a section");
    };
    return {
        {"foreign", [](auto& c) { c = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"; },
         "not a .tsp archive"},
        {"text_mode_transfer", [](auto& c) { c.erase(4, 1); }, "not a .tsp archive"},
        in_header(
            "newer", [](Header& h) { h.version = 2; }, "version 2 of .tsp is newer than this program can read (1)"),
        {"newer_and_short", [](auto& c) { c[8] = 2, c.resize(12); }, "version 2 of .tsp is newer"},
        in_header(
            "version_0", [](Header& h) { h.version = 0; }, "damaged: version or header size"),
        in_header(
            "header_size", [](Header& h) { h.header_bytes = 64; }, "damaged: version or header size"),
        {"header", [](auto& c) { c[33] ^= 1; }, "damaged: checksum of the header"},
        {"values", [](auto& c) { c[test::header_of(c).sections[5].offset] ^= 1; },
         "damaged: checksum of section values"},
        in_header(
            "reserved", [](Header& h) { h.reserved[31] = 1; }, "damaged: reserved bytes of the header"),
        in_header(
            "type_name", [](Header& h) { h.value_type[0] = '\n'; }, "damaged: a name in the header"),
        in_header(
            "type_of_other_program", [](Header& h) { h.value_type = {"bfloat16"}; },
            "holds bfloat16 values, expected float64"),
        in_header(
            "format_name_with_tail", [](Header& h) { h.format_names[3][30] = 'x'; }, "damaged: a name in the header"),
        in_header(
            "format_name_without_end", [](Header& h) { h.format_names[31].fill('x'); },
            "damaged: a name in the header"),
        in_header(
            "file_size", [](Header& h) { h.file_bytes += 64; }, "truncated: "),
        {"zero_bytes_between",
         [](auto& c) {
             const auto first = test::header_of(c).sections[0];
             c[first.offset + first.bytes] = 1;
         },
         "damaged: bytes between sections"},
        {"more_behind_the_last_section",
         [](auto& c) {
             auto header = test::header_of(c);
             header.file_bytes += 64;
             c.append(64, '\0');
             test::set_header(c, header);
         },
         "damaged: bytes behind the last section"},
        section("offset_beyond", 5, std::uint64_t{1} << 40, 0),
        section("offset_wraps", 5, max - 63, 0),
        section("offset_unaligned", 5, 1, 0),
        section("bytes_beyond", 5, 0, std::uint64_t{1} << 40),
        in_header(
            "bytes_wrap", [=](Header& h) { h.sections[5].bytes = max; }, "damaged: place or size of a section"),
        section("last_section_beyond", 11, 0, 64),
        {"size_of_no_multiple",
         [](auto& c) {
             auto header = test::header_of(c);
             header.sections[0].bytes += 1;
             test::set_header(c, header);
             test::reseal(c);
         },
         "damaged: size of section tile_rows"},
        {"broken_tile",
         [](auto& c) {
             c[test::header_of(c).sections[4].offset + 4] ^= 1;
             test::reseal(c);
         },
         "damaged: tile (0, 0): sizes or index bytes are not those of a dense tile"},
    };
}

class ArchiveDamaged : public ::testing::TestWithParam<Damage> {};

TEST_P(ArchiveDamaged, IsRefusedInOneLineThatSaysWhy) {
    std::string content = sample();
    GetParam().apply(content);
    const auto said = verdict(content);
    EXPECT_THAT(said, StartsWith("A.tsp: " + GetParam().message));
    EXPECT_THAT(said, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ArchiveDamaged, ::testing::ValuesIn(damages()),
                         [](const auto& instance) { return instance.param.name; });

/// Changes a byte, or a number to one that is near it, zero or extreme.
void edit(std::string& content, std::size_t begin, std::size_t end, std::mt19937& random) {
    const std::size_t width = std::size_t{1} << random() % 4;
    const std::size_t at = (begin + random() % (end - begin)) / width * width;
    std::uint64_t number = 0;
    std::memcpy(&number, &content[at], width);
    switch (random() % 5) {
        case 0:
            number = 0;
            break;
        case 1:
            number = ~std::uint64_t{0} >> random() % 2;
            break;
        case 2:
            number ^= std::uint64_t{1} << random() % (8 * width);
            break;
        default:
            number += random() % 9 - 4;
    }
    std::memcpy(&content[at], &number, width);
}

/// Edits that a checksum would notice, with the checksums put right again.
void attack(const std::string& original, unsigned seed, int times) {
    std::mt19937 random(seed);
    int accepted = 0;
    for (int i = 0; i < times; ++i) {
        std::string content = original;
        const auto section = test::header_of(content).sections[random() % archive::kSections];
        for (auto edits = 1 + random() % 3; edits > 0; --edits) {
            const bool in_header = section.bytes == 0 || random() % 4 == 0;
            if (in_header)
                edit(content, 12, 352, random);
            else
                edit(content, section.offset, section.offset + section.bytes, random);
        }
        test::reseal(content);
        try {
            test::use(test::open_bytes<double>(content));
            ++accepted;
        } catch (const Error& error) {
            ASSERT_THAT(error.what(), AllOf(StartsWith("A.tsp: "), Not(HasSubstr("\n"))));
        }
    }
    EXPECT_GT(accepted, times / 100);  // values may be anything
    EXPECT_LT(accepted, times / 2);
}

TEST(ArchiveDamage, HostileEditsAreRefusedOrHarmless) {
    attack(sample(), 1, 10000);
    attack(archived(test::sample_with_all_rows_deferred<double>(false)), 2, 5000);
    attack(archived(test::sample_with_all_rows_deferred<double>(true)), 3, 5000);
}

}  // namespace
}  // namespace tilespmv
