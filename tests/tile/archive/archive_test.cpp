#include "tile/archive/archive.hpp"

#include <algorithm>
#include <csignal>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <xxhash.h>

#include "selector/policy.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/temporary_directory.hpp"
#include "tests/tile/archive/archive_bytes.hpp"
#include "tests/tile/archive/sample_tiles.hpp"
#include "tile/archive/layout.hpp"
#include "tile/error.hpp"
#include "tile/io/mapped_file.hpp"

namespace tilespmv {
namespace {

using test::error_of;
using ::testing::HasSubstr;

const auto kFormats = formats::format_table();

std::vector<std::string> names_in(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
    return names;
}

template <class V>
class Archive : public ::testing::Test {
protected:
    void expect_round_trip(const TileMatrix<V>& a, const std::string& what) {
        write_archive<V>(file_, a, kFormats);
        EXPECT_TRUE(test::same_bytes(open_archive<V>(file_, kFormats), a)) << what;
        EXPECT_TRUE(is_archive(Input(file_)));
        EXPECT_EQ(archive_value_type(Input(file_)), value_name<V>());
    }

    test::TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "A.tsp";
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(Archive, ValueTypes);

TYPED_TEST(Archive, RoundTripsEverySelectorOnEveryMatrix) {
    std::vector<std::string> names{"paper-deferred:defer=3", "paper-deferred:defer=256",
                                   "paper-tuned:coo=0,hyb=0,defer_hyb=1"};
    for (const auto& info : selectors()) names.emplace_back(info.name);
    const auto matrices = testing::matrix_battery();
    for (const auto& name : names) {
        const auto policy = make_policy(name);
        for (const auto& matrix : matrices) {
            this->expect_round_trip(convert(convert_values<TypeParam>(matrix.csr), *policy), name + " " + matrix.name);
        }
    }
}

TYPED_TEST(Archive, RoundTripsEveryFormatAndEveryKindOfDeferredPart) {
    const auto listed = test::sample_tiles<TypeParam>();
    std::set<std::string_view> names;
    for (const TileEntry& tile : listed.tiles) names.insert(kFormats[tile.format()].name);
    EXPECT_THAT(names, ::testing::UnorderedElementsAreArray(test::kSampleFormats));
    EXPECT_FALSE(listed.deferred.row_ids.empty());
    this->expect_round_trip(listed, "some rows deferred");
    const auto narrow = test::sample_with_all_rows_deferred<TypeParam>(false);
    EXPECT_TRUE(narrow.deferred.row_ids.empty() && !narrow.deferred.row_ptrs32.empty());
    this->expect_round_trip(narrow, "32-bit pointers");
    const auto wide = test::sample_with_all_rows_deferred<TypeParam>(true);
    EXPECT_FALSE(wide.deferred.row_ptrs64.empty());
    this->expect_round_trip(wide, "64-bit pointers");
}

TYPED_TEST(Archive, RefusesTheOtherValueType) {
    using Other = std::conditional_t<std::same_as<TypeParam, double>, float, double>;
    write_archive<Other>(this->file_, test::sample_tiles<Other>(), kFormats);
    EXPECT_EQ(error_of([&] { open_archive<TypeParam>(this->file_, kFormats); }),
              fmt::format("{}: holds {} values, expected {}", this->file_.string(), value_name<Other>(),
                          value_name<TypeParam>()));
}

using ArchiveOfDoubles = Archive<double>;

/// 20 x 40: two nonzeros in a COO tile at tile row 1, tile column 2, and one that is deferred.
TileMatrix<double> small_matrix(int coo) {
    TileMatrix<double> a;
    a.rows = 20;
    a.cols = 40;
    a.nnz = 3;
    a.tile_rows = {1};
    a.tile_ptrs = {0, 1};
    a.value_ptrs = {0, 2};
    a.index_ptrs = {0, 2};
    a.tiles = {TileEntry(2, coo, 2, 2, 2, 0)};
    a.values = {1.5, -2.0};
    a.indices = {0x07, 0x31};
    a.deferred = {{3}, {0, 1}, {}, {5}, {8.0}};
    return a;
}

/// The bytes that the layout promises, read at the places that it names.
TEST_F(ArchiveOfDoubles, HasTheDocumentedLayout) {
    const std::vector<FormatInfo> table{{"dense", nullptr}, {"coo", nullptr}};
    write_archive<double>(file_, small_matrix(1), table);
    const auto content = test::content_of(file_);
    const auto number = [&]<class T>(std::size_t offset, T value) {
        std::memcpy(&value, content.data() + offset, sizeof(value));
        return value;
    };
    EXPECT_EQ(content.substr(0, 8), "\x89TSP\r\n\x1a\n");
    EXPECT_EQ(number(8, std::uint32_t{}), 1u);
    EXPECT_EQ(number(12, std::uint32_t{}), 1408u);
    EXPECT_EQ(number(24, std::uint64_t{}), content.size());
    EXPECT_EQ(number(32, std::int32_t{}), 20);
    EXPECT_EQ(number(36, std::int32_t{}), 40);
    EXPECT_EQ(number(40, std::int64_t{}), 3);
    EXPECT_EQ(content.substr(48, 8), std::string("float64\0", 8));
    EXPECT_EQ(content.substr(352, 64), std::string("dense").append(27, '\0').append("coo").append(29, '\0'));
    const auto tiles = number(64 + 4 * 24, std::uint64_t{});
    EXPECT_EQ(number(64 + 4 * 24 + 8, std::uint64_t{}), 8u);
    EXPECT_EQ(number(tiles, std::uint32_t{}), 2u | 1u << 27);
    EXPECT_EQ(number(tiles + 4, std::uint32_t{}), 1u | 1u << 8 | 2u << 16);
    // Covers the sums of all sections, hence every byte: archives that exist depend on it.
    EXPECT_EQ(number(16, std::uint64_t{}), 10026940956246294104u);
    EXPECT_TRUE(test::same_bytes(open_archive<double>(file_, kFormats), small_matrix(formats::format_id("coo"))));
}

TEST(ArchiveLayout, SectionsAreSummedInPiecesOfOneMebibyte) {
    constexpr std::size_t piece = 1 << 20;
    std::string section(3 * piece + 5, '\0');
    for (std::size_t i = 0; i < section.size(); ++i) section[i] = static_cast<char>(i % 251);
    std::vector<std::uint64_t> sums;
    for (std::size_t i = 0; i < section.size(); i += piece) {
        sums.push_back(XXH3_64bits(section.data() + i, std::min(piece, section.size() - i)));
    }
    EXPECT_EQ(archive::section_checksum(std::as_bytes(std::span(section))),
              XXH3_64bits(sums.data(), sums.size() * sizeof(std::uint64_t)));
}

TEST(ArchiveOfVersion1, IsStillUnderstood) {
    const auto a = open_archive<double>(TILESPMV_TEST_DATA "/archive/version1.tsp", kFormats);
    EXPECT_TRUE(test::same_bytes(a, test::sample_tiles<double>()));
}

TEST_F(ArchiveOfDoubles, WritingToAnOpenedMatrixLeavesTheFileAlone) {
    write_archive<double>(file_, test::sample_tiles<double>(), kFormats);
    const auto before = test::content_of(file_);
    auto a = open_archive<double>(file_, kFormats);
    std::fill(a.values.begin(), a.values.end(), 7.0);
    EXPECT_EQ(test::content_of(file_), before);
}

TEST_F(ArchiveOfDoubles, AnOpenedMatrixOutlivesItsFile) {
    const auto a = test::sample_tiles<double>();
    write_archive<double>(file_, a, kFormats);
    const auto opened = open_archive<double>(file_, kFormats);
    write_archive<double>(file_, test::sample_with_all_rows_deferred<double>(false), kFormats);
    EXPECT_TRUE(test::same_bytes(opened, a));
    std::filesystem::remove(file_);
    EXPECT_TRUE(test::same_bytes(opened, a));
}

TileMatrix<double> with_formats_renumbered(TileMatrix<double> a, const std::function<int(int)>& number) {
    for (TileEntry& e : a.tiles) {
        e = TileEntry(e.column(), number(e.format()), e.nnz(), e.values(), e.index_bytes(), e.parameter());
    }
    return a;
}

TEST_F(ArchiveOfDoubles, TranslatesFormatsThatStandInAnotherOrder) {
    const std::vector<FormatInfo> reversed(kFormats.rbegin(), kFormats.rend());
    const auto a = test::sample_tiles<double>();
    const auto renumbered =
        with_formats_renumbered(test::sample_tiles<double>(), [](int id) { return formats::kFormatCount - 1 - id; });
    write_archive<double>(file_, renumbered, reversed);
    const auto before = test::content_of(file_);
    EXPECT_TRUE(test::same_bytes(open_archive<double>(file_, kFormats), a));
    EXPECT_TRUE(test::same_bytes(open_archive<double>(file_, reversed), renumbered));
    EXPECT_EQ(test::content_of(file_), before);
}

TEST_F(ArchiveOfDoubles, AFormatThatIsMissingMattersOnlyToTilesInIt) {
    std::vector<FormatInfo> more{{"zigzag", nullptr}};
    more.insert(more.end(), kFormats.begin(), kFormats.end());
    const auto a = test::sample_tiles<double>();
    write_archive<double>(file_, with_formats_renumbered(test::sample_tiles<double>(), [](int id) { return id + 1; }),
                          more);
    EXPECT_TRUE(test::same_bytes(open_archive<double>(file_, kFormats), a));
    std::vector<FormatInfo> other(kFormats.begin(), kFormats.end());
    other[formats::format_id("dense")].name = "zigzag";
    write_archive<double>(file_, a, other);
    EXPECT_EQ(error_of([&] { open_archive<double>(file_, kFormats); }),
              fmt::format("{}: tile 0 has format {} ('zigzag'), which this program does not know", file_.string(),
                          formats::format_id("dense")));
    write_archive<double>(file_, a, kFormats.first(1));
    EXPECT_THAT(error_of([&] { open_archive<double>(file_, kFormats); }), HasSubstr("(''), which this program"));
}

TEST_F(ArchiveOfDoubles, AFormatBehindTheKnownOnesIsNamed) {
    std::vector<FormatInfo> more(kFormats.begin(), kFormats.end());
    more.push_back({"zigzag", nullptr});
    write_archive<double>(file_, small_matrix(formats::kFormatCount), more);
    EXPECT_EQ(error_of([&] { open_archive<double>(file_, kFormats); }),
              fmt::format("{}: tile 0 has format {} ('zigzag'), which this program does not know", file_.string(),
                          formats::kFormatCount));
}

TEST_F(ArchiveOfDoubles, RefusesToWriteFormatNamesThatDoNotFit) {
    const std::string name(32, 'x');
    const std::vector<FormatInfo> one{{name, nullptr}};
    EXPECT_THAT(error_of([&] { write_archive<double>(file_, {}, one); }), HasSubstr(name));
    const std::vector<FormatInfo> many(TileEntry::kMaxFormats + 1, {"x", nullptr});
    EXPECT_THAT(error_of([&] { write_archive<double>(file_, {}, many); }), HasSubstr("formats"));
    EXPECT_THAT(names_in(directory_.path()), ::testing::IsEmpty());
}

/// Limits the size of files that this process may write, as a full disk does.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

TEST_F(ArchiveOfDoubles, AWriteThatFailsKeepsTheOldFileAndLeavesNothingElse) {
    const auto a = test::sample_tiles<double>();
    write_archive<double>(file_, a, kFormats);
    const auto message = [&] {
        const FileSizeLimit limit(5000);
        return error_of([&] { write_archive<double>(file_, a, kFormats); });
    }();
    EXPECT_THAT(message, HasSubstr("A.tsp: cannot be written: File too large"));
    EXPECT_THAT(message, ::testing::Not(HasSubstr("\n")));
    EXPECT_TRUE(test::same_bytes(open_archive<double>(file_, kFormats), a));
    EXPECT_THAT(names_in(directory_.path()), ::testing::ElementsAre("A.tsp"));
}

TEST_F(ArchiveOfDoubles, SaysWhyAFileCannotBeWrittenOrRead) {
    const auto missing = directory_.path() / "missing" / "A.tsp";
    const auto a = test::sample_tiles<double>();
    EXPECT_THAT(error_of([&] { write_archive<double>(missing, a, kFormats); }), HasSubstr("No such file"));
    EXPECT_THAT(error_of([&] { write_archive<double>("/dev/full", a, kFormats); }), HasSubstr("No space left"));
    EXPECT_THAT(error_of([&] { open_archive<double>(missing, kFormats); }), HasSubstr("No such file"));
    EXPECT_FALSE(is_archive(Input(directory_.file("short", "\x89TSP"))));
}

}  // namespace
}  // namespace tilespmv
