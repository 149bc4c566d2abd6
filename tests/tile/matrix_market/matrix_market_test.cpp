#include "tile/matrix_market/matrix_market.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_directory.hpp"
#include "tests/tile/matrix_market/matrix_market_support.hpp"

namespace tilespmv {
namespace {

using test::read_text;
using test::Triplet;
using test::triplet;
using test::triplets;
using ::testing::ElementsAre;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// ---- files that must be accepted, with what they hold ----

struct Accepted {
    std::string file;
    index_t rows;
    index_t cols;
    std::vector<Triplet> entries;
    friend void PrintTo(const Accepted& accepted, std::ostream* out) { *out << accepted.file; }
};

const std::vector<Triplet> kTwoOnDiagonal{triplet(1, 1, 1.5), triplet(2, 2, 2.5)};
const std::vector<Triplet> kUnsorted{triplet(1, 1, 1), triplet(1, 3, 2), triplet(2, 1, 3),
                                     triplet(2, 2, 4), triplet(3, 1, 5), triplet(3, 4, 6)};

const std::vector<Accepted> kAccepted{
    {"banner_case.mtx", 2, 2, kTwoOnDiagonal},
    {"blanks.mtx", 2, 2, kTwoOnDiagonal},
    {"comments.mtx", 3, 3, {triplet(1, 1, 1), triplet(1, 3, 4), triplet(2, 2, 2.5), triplet(3, 3, -3)}},
    {"crlf.mtx", 2, 2, kTwoOnDiagonal},
    {"duplicates.mtx", 2, 2, {triplet(1, 1, 7), triplet(2, 1, 0.5)}},  // (1e16 + 1) - 1e16 + 0.5 in that order
    {"empty_0x0.mtx", 0, 0, {}},
    {"empty_0x4.mtx", 0, 4, {}},
    {"empty_3x0.mtx", 3, 0, {}},
    {"explicit_zeros.mtx", 2, 2, {triplet(1, 1, 0.0), triplet(1, 2, -0.0), triplet(2, 2, 0.0)}},
    {"last_column.mtx", 2, 2147483647, {triplet(1, 2147483647, 1), triplet(2, 1, 1)}},
    {"leading_zeros.mtx", 2, 2, {triplet(1, 1, 7), triplet(2, 2, -8)}},
    {"no_entries.mtx", 5, 5, {}},
    {"no_final_newline.mtx", 2, 2, kTwoOnDiagonal},
    {"numbers.mtx",
     1,
     16,
     {triplet(1, 1, 1), triplet(1, 2, 1), triplet(1, 3, 0.5), triplet(1, 4, 100), triplet(1, 5, 100),
      triplet(1, 6, 100), triplet(1, 7, -0.15), triplet(1, 8, kNan), triplet(1, 9, kInf), triplet(1, 10, -kInf),
      triplet(1, 11, -0.0), triplet(1, 12, 12.5), triplet(1, 13, 4.9406564584124654e-324), triplet(1, 14, 0.0),
      triplet(1, 15, 1.2345678901234568e29), triplet(1, 16, 0.1)}},
    {"pattern_values.mtx", 2, 3, {triplet(1, 3, 1), triplet(2, 1, 1)}},
    {"rounded_integers.mtx",
     2,
     2,
     {triplet(1, 1, 9007199254740992), triplet(2, 1, 9007199254740992), triplet(2, 2, -1e23)}},
    {"skew_both_triangles.mtx", 3, 3, {triplet(1, 2, -1), triplet(2, 1, 1)}},
    {"skew_zero_diagonal.mtx", 2, 2, {triplet(1, 1, 0), triplet(1, 2, -3), triplet(2, 1, 3)}},
    {"symmetric_above.mtx", 3, 3, {triplet(1, 1, 1), triplet(1, 2, 2), triplet(2, 1, 2)}},
    {"symmetric_both_triangles.mtx",
     3,
     3,
     {triplet(1, 2, 2), triplet(1, 3, -4), triplet(2, 1, 2), triplet(2, 2, 5), triplet(3, 1, -4)}},
    {"symmetric_each_once.mtx",
     3,
     3,
     {triplet(1, 1, 1), triplet(1, 2, 2), triplet(1, 3, 4), triplet(2, 1, 2), triplet(2, 3, 8), triplet(3, 1, 4),
      triplet(3, 2, 8)}},
    {"unsorted.mtx", 3, 4, kUnsorted},
    {"unsorted_bzip2.mtx.bz2", 3, 4, kUnsorted},
    {"unsorted_skippable.mtx.zst", 3, 4, kUnsorted},
    {"unsorted_gzip.mtx.gz", 3, 4, kUnsorted},
    {"unsorted_xz.mtx.xz", 3, 4, kUnsorted},
    {"unsorted.tar.gz", 3, 4, kUnsorted},
};

class AcceptedFile : public ::testing::TestWithParam<Accepted> {};

TEST_P(AcceptedFile, HoldsWhatItShould) {
    const auto file = test::kCorpus / "permissive" / GetParam().file;
    const auto a = read_matrix_market<double>(file, {.limits = InputLimits::none()});
    validate(a);
    EXPECT_EQ(a.rows, GetParam().rows);
    EXPECT_EQ(a.cols, GetParam().cols);
    EXPECT_EQ(triplets(a), GetParam().entries);
}

INSTANTIATE_TEST_SUITE_P(Corpus, AcceptedFile, ::testing::ValuesIn(kAccepted), [](const auto& test) {
    std::string name = test.param.file;
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

TEST(AcceptedFiles, AreAllListed) {
    const std::filesystem::directory_iterator files(test::kCorpus / "permissive");
    EXPECT_EQ(std::distance(begin(files), end(files)), static_cast<std::ptrdiff_t>(kAccepted.size()));
}

// ---- what a reader tells of a file ----

struct Told {
    std::string file;
    std::string warning;  ///< behind the name of the file; empty if there is none
    Symmetry symmetry = Symmetry::general;
    bool is_pattern = false;
    friend void PrintTo(const Told& told, std::ostream* out) { *out << told.file; }
};

constexpr std::string_view kMirroredAbove =
    ": found entries above the diagonal of a symmetric file, which stand for those below it, too";
constexpr std::string_view kBothTriangles =
    ": found both triangles of a symmetric file, which are equal and taken as they stand";

const std::vector<Told> kTold{
    {"unsorted.mtx", ""},
    {"skew_zero_diagonal.mtx", "", Symmetry::skew_symmetric},
    {"symmetric_above.mtx", std::string(kMirroredAbove), Symmetry::symmetric},
    {"symmetric_each_once.mtx", std::string(kMirroredAbove), Symmetry::symmetric},
    {"symmetric_both_triangles.mtx", std::string(kBothTriangles), Symmetry::symmetric},
    {"skew_both_triangles.mtx", std::string(kBothTriangles), Symmetry::skew_symmetric},
    {"pattern_values.mtx", ": found values behind the entries of a pattern, which are ignored", Symmetry::general,
     true},
    {"rounded_integers.mtx", ":4: found an integer that float64 has no number for, the first of 2, which are rounded"},
};

class ToldFile : public ::testing::TestWithParam<Told> {};

TEST_P(ToldFile, IsToldAsItIsForAnyNumberOfThreads) {
    const auto file = test::kCorpus / "permissive" / GetParam().file;
    for (const int count : {1, 3}) {
        const test::Threads threads(count);
        ReadNotes notes;
        read_matrix_market<double>(file, {.notes = &notes});
        std::vector<std::string> expected;
        if (!GetParam().warning.empty()) expected.push_back(file.string() + GetParam().warning);
        EXPECT_EQ(notes.warnings, expected);
        EXPECT_EQ(notes.symmetry, GetParam().symmetry);
        EXPECT_EQ(notes.is_pattern, GetParam().is_pattern);
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, ToldFile, ::testing::ValuesIn(kTold));

TEST(ReadNotes, IntegersAreExactUpToThePrecisionOfTheType) {
    const auto rounded = []<Value V>(V, const std::string& integer) {
        const test::TemporaryDirectory directory;
        ReadNotes notes;
        const auto file =
            directory.file("x.mtx", "%%MatrixMarket matrix array integer general\n1 1\n" + integer + "\n");
        read_vector<V>(file, {.notes = &notes});
        return !notes.warnings.empty();
    };
    EXPECT_FALSE(rounded(double{}, "-9007199254740994"));
    EXPECT_TRUE(rounded(double{}, "-9007199254740995"));
    EXPECT_FALSE(rounded(double{}, "9223372036854775808")) << "2^63, of 19 digits";
    EXPECT_FALSE(rounded(double{}, "100000000000000000000")) << "1e20 is a double";
    EXPECT_TRUE(rounded(double{}, "100000000000000000001"));
    EXPECT_FALSE(rounded(double{}, "000000000000000000000000000001"));
    EXPECT_FALSE(rounded(float{}, "16777216"));
    EXPECT_TRUE(rounded(float{}, "16777217"));
    EXPECT_FALSE(rounded(Half{}, "2048"));
    EXPECT_TRUE(rounded(Half{}, "2049"));
    EXPECT_FALSE(rounded(Bfloat16{}, "258"));
    EXPECT_TRUE(rounded(Bfloat16{}, "257"));
}

TEST(ReadMatrixMarket, ExpandsEveryKindOfHeader) {
    for (const std::string field : {"real", "integer", "pattern"}) {
        const double value = field == "real" ? 3.5 : field == "integer" ? 3 : 1;
        const std::string one = field == "pattern" ? "" : fmt::format(" {}", value);
        for (const std::string symmetry : {"general", "symmetric", "skew-symmetric"}) {
            const bool has_diagonal = symmetry != "skew-symmetric";
            const auto a =
                read_text(fmt::format("%%MatrixMarket matrix coordinate {} {}\n2 2 {}\n2 1{}\n{}", field, symmetry,
                                      has_diagonal ? 2 : 1, one, has_diagonal ? "1 1" + one + "\n" : ""));
            std::vector<Triplet> expected;
            if (has_diagonal) expected.push_back(triplet(1, 1, value));
            if (symmetry != "general") expected.push_back(triplet(1, 2, has_diagonal ? value : -value));
            expected.push_back(triplet(2, 1, value));
            EXPECT_EQ(triplets(a), expected) << field << ' ' << symmetry;
        }
    }
}

TEST(ReadMatrixMarket, AListenerCanStopIt) {
    const ReadOptions options{[](double) { throw Error("interrupted"); }};
    EXPECT_EQ(test::error_of([&] { read_matrix_market<double>(test::kCorpus / "permissive" / "crlf.mtx", options); }),
              "interrupted");
}

TEST(ReadMatrixMarket, HalvesAreRoundedOnce) {
    const auto a = read_text<Half>(
        "%%MatrixMarket matrix coordinate real general\n1 5 5\n1 1 0.1\n1 2 1.00048828126\n1 3 65519\n1 4 1e-9\n1 5 "
        "inf\n");
    EXPECT_EQ(a.values[0].bits(), Half(0.1).bits());
    EXPECT_EQ(a.values[1].bits(), 0x3c01) << "just above the middle of two";
    EXPECT_EQ(a.values[2].bits(), 0x7bff);
    EXPECT_EQ(a.values[3].bits(), 0);
    EXPECT_EQ(a.values[4].bits(), 0x7c00);
    EXPECT_THROW(read_text<Half>("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 65520\n"), Error);
    EXPECT_THROW(read_text<Half>("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 70000\n"), Error);
    EXPECT_EQ(read_text<Bfloat16>("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 70000\n").values[0],
              Bfloat16(70000));
}

// ---- vectors ----

TEST(Vectors, AreTheColumnsOfAnArrayOneAfterTheOther) {
    const test::TemporaryDirectory directory;
    const auto file = directory.file("b.mtx", "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n-6.5\n");
    const auto b = read_vectors<double>(Input(file));
    EXPECT_EQ(b.size, 2);
    EXPECT_EQ(b.count, 3);
    EXPECT_THAT(b.of(0), ElementsAre(1, 2));
    EXPECT_THAT(b.of(2), ElementsAre(5, -6.5));
    const auto copy = directory.path() / "copy.mtx";
    write_vectors<double>(copy, b);
    EXPECT_EQ(test::content_of(copy), test::content_of(file));
}

TEST(Vectors, OfACoordinateFileAreOneWithZerosWhereItHasNone) {
    const test::TemporaryDirectory directory;
    const auto file = directory.file("b.mtx", "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 7\n");
    const auto b = read_vectors<float>(Input(file));
    EXPECT_EQ(b.count, 1);
    EXPECT_THAT(b.of(0), ElementsAre(0, 7, 0));
}

std::vector<double> read_vector_text(std::string_view content) {
    const test::TemporaryDirectory directory;
    const auto x = read_vector<double>(directory.file("x.mtx", content));
    return {x.begin(), x.end()};
}

TEST(ReadVector, ReadsArrays) {
    EXPECT_THAT(read_vector_text("%%MatrixMarket matrix array real general\n% x\n3 1\n1.5\n\n-2\n3e2"),
                ElementsAre(1.5, -2, 300));
    EXPECT_THAT(read_vector_text("%%MatrixMarket matrix array integer general\n2 1\n 7 \r\n-8\r\n"),
                ElementsAre(7, -8));
    EXPECT_THAT(read_vector_text("%%MatrixMarket matrix array real general\n0 1\n"), ElementsAre());
}

TEST(ReadVector, ReadsASparseColumn) {
    EXPECT_THAT(read_vector_text("%%MatrixMarket matrix coordinate real general\n4 1 2\n4 1 2.5\n2 1 1\n"),
                ElementsAre(0, 1, 0, 2.5));
}

TEST(ReadVector, KeepsTheOrderOfALongFile) {
    std::string text = "%%MatrixMarket matrix array integer general\n50000 1\n";
    for (int i = 0; i < 50000; ++i) text += std::to_string(i) + "\n";
    const test::Threads threads(7);
    const auto x = read_vector_text(text);
    ASSERT_EQ(x.size(), 50000u);
    for (int i = 0; i < 50000; ++i) ASSERT_EQ(x[i], i);
}

}  // namespace
}  // namespace tilespmv
