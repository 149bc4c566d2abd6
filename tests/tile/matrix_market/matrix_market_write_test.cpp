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
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv {
namespace {

using test::triplets;

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
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    write_matrix_market(file, CsrMatrix<double>{2, 2, {0, 1, 2}, {1, 0}, {kNaN, kNaN}}, Symmetry::symmetric);
    EXPECT_EQ(test::content_of(file), "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n2 1 nan\n");
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
    const auto many = test::read_text(
        "%%MatrixMarket matrix coordinate real general\n4096 4096 4\n6 7 1\n7 6 2\n3001 3002 3\n3002 3001 4\n");
    EXPECT_EQ(refusal(many, Symmetry::symmetric),
              "a matrix cannot be written as symmetric: the entry in row 6, column 7 has no equal across the diagonal");
}

TEST(WriteErrors, AreReportedFromInsideTheParallelLoop) {
    const auto a = special_values<double>();
    EXPECT_THAT(test::error_of([&] { write_matrix_market("/dev/full", a); }), ::testing::HasSubstr("No space left"));
}

}  // namespace
}  // namespace tilespmv
