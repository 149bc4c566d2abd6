#include "tile/csr.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/tile/matrix_market/matrix_market_support.hpp"
#include "tile/generate/generate.hpp"
#include "tile/value_range.hpp"

namespace tilespmv {
namespace {

/// A matrix of one column, without row 1, whose other rows hold the values.
CsrMatrix<double> column(const std::vector<double>& values) {
    const auto rows = static_cast<index_t>(values.size()) + 1;
    CsrMatrix<double> a{rows, 3, Buffer<offset_t>(values.size() + 2), Buffer<index_t>(values.size(), 2),
                        Buffer<double>(std::span(values))};
    for (index_t row = 1; row <= rows; ++row) a.row_ptrs[row] = row - 1;
    a.row_ptrs[0] = 0;
    return a;
}

template <Value To>
std::string error_of_conversion(const std::vector<double>& values) {
    return test::error_of([&] { convert_values<To>(column(values)); });
}

TEST(ConvertValues, TheFirstValueOutOfRangeIsReportedForAnyNumberOfThreads) {
    std::vector<double> values(300000, 1.0);
    for (std::size_t i = 70000; i < values.size(); i += 1000) values[i] = i == 70000 ? -7e304 : 1e39;
    for (const int count : {1, 3}) {
        const test::Threads threads(count);
        EXPECT_EQ(error_of_conversion<float>(values),
                  "row 70002, column 3: found -7e+304, expected a number in the range of float32 (--values float64 has "
                  "a larger one)");
    }
}

TEST(ConvertValues, TheLastRowThereIsHasANumber) {
    EXPECT_EQ(test::message_of([] { fail_range("", std::numeric_limits<index_t>::max(), 0, "1e999", "float64"); }),
              "1: row 2147483648, column 1: found 1e999, expected a number in the range of float64");
}

TEST(ConvertValues, WhatRoundsToTheLargestNumberIsInRange) {
    const double float_tie = 0x1.ffffffp127;  // between the largest float and 2^128
    EXPECT_EQ(error_of_conversion<float>({std::nextafter(float_tie, 0.0)}), "no error");
    EXPECT_NE(error_of_conversion<float>({float_tie}), "no error");
    EXPECT_EQ(error_of_conversion<Half>({65519.99, -65519.99}), "no error");
    EXPECT_NE(error_of_conversion<Half>({-65520}), "no error");
    EXPECT_EQ(error_of_conversion<Bfloat16>({0x1.fefp127}), "no error");
    EXPECT_NE(error_of_conversion<Bfloat16>({0x1.ffp127}), "no error");
}

TEST(ConvertValues, InfNanAndWhatBecomesZeroStay) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto a = convert_values<Half>(column({inf, -inf, std::numeric_limits<double>::quiet_NaN(), 1e-300}));
    EXPECT_EQ(a.values[0].bits(), 0x7c00);
    EXPECT_EQ(a.values[1].bits(), 0xfc00);
    EXPECT_EQ(a.values[2].bits(), 0x7e00);
    EXPECT_EQ(a.values[3].bits(), 0);
}

TEST(ConvertValues, BrokenArraysAreRefused) {
    auto a = column({1, 2, 3});
    a.values.truncate(1);
    EXPECT_EQ(test::error_of([&] { convert_values<float>(a); }), "CSR: 1 values for 3 columns");
    auto b = column({1, 2, 3});
    b.row_ptrs[2] = 7;
    EXPECT_EQ(test::error_of([&] { convert_values<float>(b); }), "CSR: row_ptrs descends from 7 to 2 at row 2");
}

TEST(WriteVectors, BrokenSizesAreRefused) {
    const test::TemporaryDirectory directory;
    const auto message = [&](index_t size, index_t count) {
        const Vectors<double> x{size, count, Buffer<double>(6, 1.0)};
        return test::error_of([&] { write_vectors(directory.path() / "x.mtx", x); });
    };
    EXPECT_EQ(message(3, 2), "no error");
    EXPECT_EQ(message(3, 0), "6 values for 0 vectors of 3");
    EXPECT_EQ(message(4, 2), "6 values for 2 vectors of 4");
    EXPECT_EQ(message(-3, -2), "6 values for -2 vectors of -3");
}

TEST(Generate, AValueOutOfRangeIsReported) {
    EXPECT_EQ(test::error_of([] { generate<float>("kkt:n=1,m=200000,per_row=1"); }), "no error");
    EXPECT_EQ(test::error_of([] { generate<Half>("kkt:n=1,m=200000,per_row=1"); }).substr(0, 50),
              "kkt:n=1,m=200000,per_row=1: row 1, column 1: found");
}

TEST(BorrowCsr, CopiesNeitherColumnsNorValuesAndTakesRowPointersOfBothSizes) {
    const std::vector<index_t> cols{0, 2, 1};
    const std::vector<double> values{1, 2, 3};
    const std::vector<std::int64_t> wide{0, 2, 2, 3};
    const std::vector<std::int32_t> narrow{0, 2, 2, 3};
    const auto a = borrow_csr<double>(3, 4, wide, cols, values);
    const auto b = borrow_csr<double>(3, 4, narrow, cols, values);
    const CsrMatrix<double> expected{3, 4, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}};
    for (const auto* borrowed : {&a, &b}) {
        EXPECT_EQ(*borrowed, expected);
        EXPECT_EQ(borrowed->col_idxs.data(), cols.data());
        EXPECT_EQ(borrowed->values.data(), values.data());
        EXPECT_NO_THROW(validate(*borrowed));
    }
    EXPECT_EQ(a.row_ptrs.data(), wide.data());
}

}  // namespace
}  // namespace tilespmv
