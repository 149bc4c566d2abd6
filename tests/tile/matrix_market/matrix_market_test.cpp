#include "tile/matrix_market/matrix_market.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

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

// ---- every kind of header ----

struct Kind {
    const char* field;
    const char* symmetry;
    double first;  ///< expected values of the entries (1, 1), (2, 1) and (1, 2)
    double below;
    double mirrored;  ///< 0: no such entry
    friend void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.field << " " << kind.symmetry; }
};

class HeaderKind : public ::testing::TestWithParam<Kind> {};

TEST_P(HeaderKind, IsExpanded) {
    const auto [field, symmetry, first, below, mirrored] = GetParam();
    const std::string type = field;
    const std::string one = type == "pattern" ? "" : type == "integer" ? " 3" : " 3.5";
    const std::string diagonal = std::string(symmetry) == "skew-symmetric" ? "" : "1 1" + one + "\n";
    const auto a = read_text("%%MatrixMarket matrix coordinate " + type + " " + symmetry + "\n2 2 " +
                             (diagonal.empty() ? "1" : "2") + "\n2 1" + one + "\n" + diagonal);
    std::vector<Triplet> expected;
    if (first != 0) expected.push_back(triplet(1, 1, first));
    if (mirrored != 0) expected.push_back(triplet(1, 2, mirrored));
    expected.push_back(triplet(2, 1, below));
    EXPECT_EQ(triplets(a), expected);
}

INSTANTIATE_TEST_SUITE_P(Grid, HeaderKind,
                         ::testing::Values(Kind{"real", "general", 3.5, 3.5, 0},
                                           Kind{"real", "symmetric", 3.5, 3.5, 3.5},
                                           Kind{"real", "skew-symmetric", 0, 3.5, -3.5},
                                           Kind{"integer", "general", 3, 3, 0}, Kind{"integer", "symmetric", 3, 3, 3},
                                           Kind{"integer", "skew-symmetric", 0, 3, -3},
                                           Kind{"pattern", "general", 1, 1, 0}, Kind{"pattern", "symmetric", 1, 1, 1},
                                           Kind{"pattern", "skew-symmetric", 0, 1, -1}));

TEST(ReadMatrixMarket, RoundsToFloatOnce) {
    // Just above the middle of two floats; a double in between would be the middle itself, and round down.
    const auto a =
        read_text<float>("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1.00000005960464477540\n");
    EXPECT_EQ(a.values[0], 1.00000011920928955078125f);
}

TEST(ReadMatrixMarket, ReportsProgressUpToTheEnd) {
    std::vector<double> shares;
    const ReadOptions options{[&](double share) { shares.push_back(share); }};
    read_matrix_market<double>(test::kCorpus / "permissive" / "unsorted_gzip.mtx.gz", options);
    ASSERT_GE(shares.size(), 3u);
    EXPECT_GE(shares.front(), 0);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_DOUBLE_EQ(shares.back(), 1);
}

TEST(ReadMatrixMarket, AListenerCanStopIt) {
    const ReadOptions options{[](double) { throw Error("interrupted"); }};
    EXPECT_EQ(test::error_of([&] { read_matrix_market<double>(test::kCorpus / "permissive" / "crlf.mtx", options); }),
              "interrupted");
}

// ---- writing ----

template <Value V>
CsrMatrix<V> special_values() {
    using Limits = std::numeric_limits<V>;
    CsrMatrix<V> a;
    a.rows = 3;
    a.cols = 2147483647;
    a.row_ptrs = Buffer<offset_t>{0, 6, 6, 12};
    a.col_idxs = Buffer<index_t>{0, 1, 2, 3, 4, 2147483646, 0, 1, 2, 3, 4, 5};
    a.values = Buffer<V>{V(0),
                         V(-0.0),
                         Limits::denorm_min(),
                         -Limits::denorm_min(),
                         Limits::min(),
                         Limits::max(),
                         Limits::lowest(),
                         Limits::infinity(),
                         -Limits::infinity(),
                         Limits::quiet_NaN(),
                         -Limits::quiet_NaN(),
                         V(1) / V(3)};
    return a;
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

TEST(WriteMatrixMarketHalf, EveryFinitePatternComesBack) {
    test::TemporaryDirectory directory;
    const auto file = directory.path() / "x.mtx";
    std::vector<Half> x;
    for (int bits = 0; bits < 0x10000; ++bits) {
        const Half value = Half::from_bits(static_cast<std::uint16_t>(bits));
        if (std::isfinite(static_cast<float>(value))) x.push_back(value);
    }
    write_vector<Half>(file, x);
    const auto y = read_vector<Half>(file);
    ASSERT_EQ(y.size(), x.size());
    EXPECT_EQ(std::memcmp(y.data(), x.data(), y.bytes()), 0);
}

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

template <class V>
class WriteMatrixMarket : public ::testing::Test {
protected:
    test::TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "A.mtx";
};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(WriteMatrixMarket, ValueTypes);

TYPED_TEST(WriteMatrixMarket, SpecialValuesComeBackBitByBit) {
    const auto a = special_values<TypeParam>();
    write_matrix_market(this->file_, a);
    const auto b = read_matrix_market<TypeParam>(this->file_, {.limits = InputLimits::none()});
    EXPECT_EQ(b.rows, a.rows);
    EXPECT_EQ(b.cols, a.cols);
    EXPECT_EQ(triplets(b), triplets(a));
}

TYPED_TEST(WriteMatrixMarket, ManyRandomBitsComeBack) {
    CsrMatrix<TypeParam> a;
    a.rows = 1000;
    a.cols = 100;
    a.row_ptrs = Buffer<offset_t>(1001);
    a.col_idxs = Buffer<index_t>(100000);
    a.values = Buffer<TypeParam>(100000);
    std::uint64_t random = 1;
    for (index_t i = 0; i < 100000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        using Bits = std::conditional_t<sizeof(TypeParam) == 8, std::uint64_t, std::uint32_t>;
        const auto value = std::bit_cast<TypeParam>(static_cast<Bits>(random >> (64 - 8 * sizeof(TypeParam))));
        a.values[i] = std::isfinite(value) ? value : TypeParam(1);
        a.col_idxs[i] = i % 100;
    }
    for (index_t row = 0; row <= 1000; ++row) a.row_ptrs[row] = 100 * row;
    write_matrix_market(this->file_, a);
    EXPECT_EQ(triplets(read_matrix_market<TypeParam>(this->file_)), triplets(a));
}

TYPED_TEST(WriteMatrixMarket, VectorsComeBackBitByBit) {
    const auto x = special_values<TypeParam>().values;
    write_vector<TypeParam>(this->file_, std::span(x.data(), x.size()));
    const auto y = read_vector<TypeParam>(this->file_);
    ASSERT_EQ(y.size(), x.size());
    EXPECT_EQ(std::memcmp(y.data(), x.data(), x.bytes()), 0);
}

TYPED_TEST(WriteMatrixMarket, WritesShortestNumbers) {
    CsrMatrix<TypeParam> a{2, 3, Buffer<offset_t>{0, 2, 3}, Buffer<index_t>{0, 2, 1},
                           Buffer<TypeParam>{1, TypeParam(0.1), -1e30f}};
    write_matrix_market(this->file_, a);
    const std::string large = sizeof(TypeParam) == 8 ? "-1.0000000150474662e+30" : "-1e+30";
    EXPECT_EQ(test::content_of(this->file_),
              "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 0.1\n2 2 " + large + "\n");
}

/// A matrix of as many rows as there can be, of which the last one alone has nonzeros: no memory but that of the pages
/// of row pointers that are looked at.
template <Value V>
CsrMatrix<V> last_of_all_rows(index_t nonzeros, V value) {
    constexpr auto rows = std::numeric_limits<index_t>::max();
    constexpr std::size_t bytes = (std::size_t{rows} + 1) * sizeof(offset_t);
    void* zeros = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) throw std::bad_alloc();
    const std::shared_ptr<void> owner(zeros, [](void* memory) { ::munmap(memory, bytes); });
    CsrMatrix<V> a{rows, rows, Buffer<offset_t>::view(static_cast<offset_t*>(zeros), std::size_t{rows} + 1, owner),
                   Buffer<index_t>(static_cast<std::size_t>(nonzeros)),
                   Buffer<V>(static_cast<std::size_t>(nonzeros), value)};
    a.row_ptrs[rows] = nonzeros;
    for (index_t k = 0; k < nonzeros; ++k) a.col_idxs[k] = rows - nonzeros + k;
    return a;
}

template <class V>
class LongestLines : public ::testing::Test {};
using AllValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(LongestLines, AllValueTypes);

TYPED_TEST(LongestLines, AreWrittenWholeWhereThereIsNoOther) {
    const test::TemporaryDirectory directory;
    using Limits = std::numeric_limits<TypeParam>;
    for (const TypeParam size : {Limits::max(), Limits::min(), Limits::denorm_min(), Limits::infinity()}) {
        const auto value = static_cast<TypeParam>(-static_cast<double>(size));
        const auto a = last_of_all_rows<TypeParam>(100, value);
        write_matrix_market(directory.path() / "A.mtx", a);
        std::string expected = "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 100\n";
        for (const index_t column : a.col_idxs) {
            expected += fmt::format("2147483647 {} {}\n", column + std::int64_t{1}, widened(value));
        }
        EXPECT_EQ(test::content_of(directory.path() / "A.mtx"), expected);
    }
}

// ---- compressed and symmetric files ----

constexpr std::array<std::string_view, 4> kCompressions{".gz", ".bz2", ".xz", ".zst"};

/// 3 x 3 with values of several lines for a compressor.
CsrMatrix<double> symmetric_matrix() { return {3, 3, {0, 2, 4, 5}, {0, 1, 0, 2, 1}, {1.5, -2, -2, 0, 0}}; }

TEST(WriteCompressed, IsReadBackAndTheSameEveryTime) {
    const test::TemporaryDirectory directory;
    const auto a = special_values<double>();
    write_matrix_market(directory.path() / "A.mtx", a);
    for (const auto suffix : kCompressions) {
        SCOPED_TRACE(suffix);
        const auto file = directory.path() / (std::string("B.mtx") + std::string(suffix));
        write_matrix_market(file, a);
        const auto bytes = test::content_of(file);
        EXPECT_NE(bytes, test::content_of(directory.path() / "A.mtx"));
        EXPECT_EQ(triplets(read_matrix_market<double>(file, {.limits = InputLimits::none()})), triplets(a));
        std::filesystem::remove(file);
        write_matrix_market(file, a);
        EXPECT_EQ(test::content_of(file), bytes);
        EXPECT_TRUE(is_matrix_market_name(file));
    }
    EXPECT_TRUE(is_matrix_market_name("A.mtx"));
    EXPECT_FALSE(is_matrix_market_name("A.gz"));
    EXPECT_FALSE(is_matrix_market_name("A.mtx.zip"));
    EXPECT_FALSE(is_matrix_market_name(".gz"));
}

TEST(WriteCompressed, VectorsToo) {
    const test::TemporaryDirectory directory;
    std::vector<double> x(200000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) / 7;
    write_vector<double>(directory.path() / "x.mtx.zst", x);
    const auto read = read_vector<double>(directory.path() / "x.mtx.zst");
    EXPECT_TRUE(std::ranges::equal(read, x));
}

TEST(WriteCompressed, WhatCannotBeWrittenIsReported) {
    const test::TemporaryDirectory directory;
    for (const auto suffix : kCompressions) {
        const auto full = directory.path() / (std::string("full.mtx") + std::string(suffix));
        std::filesystem::create_symlink("/dev/full", full);
        EXPECT_THAT(test::error_of([&] { write_matrix_market(full, special_values<double>()); }),
                    ::testing::HasSubstr("No space left"))
            << suffix;
        const auto missing = directory.path() / "no" / (std::string("A.mtx") + std::string(suffix));
        EXPECT_THAT(test::error_of([&] { write_matrix_market(missing, special_values<double>()); }),
                    ::testing::HasSubstr("cannot be written"));
    }
}

TEST(WriteSymmetric, TheLowerTriangleIsWrittenAndReadBack) {
    const test::TemporaryDirectory directory;
    const auto file = directory.path() / "A.mtx";
    const auto a = symmetric_matrix();
    write_matrix_market(file, a, Symmetry::symmetric);
    EXPECT_EQ(test::content_of(file),
              "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.5\n2 1 -2\n3 2 0\n");
    EXPECT_EQ(triplets(read_matrix_market<double>(file)), triplets(a));
    constexpr float kFloatInf = std::numeric_limits<float>::infinity();
    const CsrMatrix<float> skew{3, 3, {0, 2, 3, 4}, {1, 2, 0, 0}, {2, kFloatInf, -2, -kFloatInf}};
    write_matrix_market(file, skew, Symmetry::skew_symmetric);
    EXPECT_EQ(test::content_of(file),
              "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 -2\n3 1 -inf\n");
    EXPECT_EQ(triplets(read_matrix_market<float>(file)), triplets(skew));
}

TEST(WriteSymmetric, OtherMatricesAreRefusedWithAPlace) {
    const test::TemporaryDirectory directory;
    const auto refusal = [&](const CsrMatrix<double>& a, Symmetry symmetry) {
        const auto file = directory.path() / "A.mtx";
        const auto error = test::error_of([&] { write_matrix_market(file, a, symmetry); });
        EXPECT_FALSE(std::filesystem::exists(file));
        return error.substr(error.find(": ") + 2);
    };
    auto a = symmetric_matrix();
    EXPECT_EQ(refusal(a, Symmetry::skew_symmetric),
              "a matrix cannot be written as skew-symmetric: the entry in row 1, column 2 has no negative across the "
              "diagonal");
    a.values[2] = 2;
    EXPECT_EQ(refusal(a, Symmetry::symmetric),
              "a matrix cannot be written as symmetric: the entry in row 1, column 2 has no equal across the diagonal");
    EXPECT_EQ(refusal(a, Symmetry::skew_symmetric),
              "a matrix cannot be written as skew-symmetric: the diagonal is not 0 in row 1");
    EXPECT_EQ(refusal({2, 2, {0, 0, 1}, {0}, {1}}, Symmetry::symmetric),
              "a matrix cannot be written as symmetric: the entry in row 2, column 1 has no equal across the diagonal");
    EXPECT_EQ(refusal({1, 2, {0, 0}, {}, {}}, Symmetry::symmetric),
              "a matrix cannot be written as symmetric: it has 1 rows and 2 columns");
}

TEST(WriteErrors, AreReportedFromInsideTheParallelLoop) {
    const auto a = special_values<double>();
    EXPECT_THAT(test::error_of([&] { write_matrix_market("/dev/full", a); }), ::testing::HasSubstr("No space left"));
}

// ---- vectors ----

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
