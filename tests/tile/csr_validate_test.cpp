#include "tile/csr.hpp"

#include <functional>

#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"

namespace tilespmv {
namespace {

using Matrix = CsrMatrix<double>;

/// 4 x 5 with nonzeros (0, 0), (0, 4), (1, 2), (3, 1), (3, 3).
Matrix sample() { return {4, 5, {0, 2, 3, 3, 5}, {0, 4, 2, 1, 3}, {1, 2, 3, 4, 5}}; }

template <class Validate>
std::string verdict(const Matrix& a, Validate&& check) {
    return test::message_of([&] { check(a); });
}

std::string verdict(const Matrix& a) {
    return verdict(a, [](const Matrix& m) { validate(m); });
}

struct Breakage {
    std::string name;
    std::function<void(Matrix&)> apply;
    std::string message;
    bool in_columns = false;  ///< which `validate_row_ptrs` does not look at
};

class BrokenCsr : public ::testing::TestWithParam<Breakage> {};

TEST_P(BrokenCsr, IsNamed) {
    Matrix a = sample();
    GetParam().apply(a);
    EXPECT_EQ(verdict(a), "1: " + GetParam().message);
    const auto of_pointers = verdict(a, [](const Matrix& m) { validate_row_ptrs(m); });
    EXPECT_EQ(of_pointers, GetParam().in_columns ? "0: " : "1: " + GetParam().message);
}

std::vector<Breakage> broken_sizes() {
    return {
        {"rows_negative", [](Matrix& a) { a.rows = -1; }, "CSR: negative size -1 x 5"},
        {"cols_negative", [](Matrix& a) { a.cols = -2; }, "CSR: negative size 4 x -2"},
        {"row_ptr_missing", [](Matrix& a) { a.row_ptrs.truncate(4); },
         "CSR: row_ptrs has 4 entries, expected rows + 1 = 5"},
        {"no_row_ptrs", [](Matrix& a) { a.row_ptrs.truncate(0); },
         "CSR: row_ptrs has 0 entries, expected rows + 1 = 5"},
        {"value_missing", [](Matrix& a) { a.values.truncate(4); }, "CSR: 4 values for 5 columns"},
        {"first_row_ptr", [](Matrix& a) { a.row_ptrs[0] = 1; }, "CSR: row_ptrs runs from 1 to 5, expected 0 to 5"},
        {"last_row_ptr", [](Matrix& a) { a.row_ptrs[4] = 6; }, "CSR: row_ptrs runs from 0 to 6, expected 0 to 5"},
        {"row_ptr_descends", [](Matrix& a) { a.row_ptrs[1] = 4; }, "CSR: row_ptrs descends from 4 to 3 at row 1"},
        {"row_ptr_negative", [](Matrix& a) { a.row_ptrs[1] = -1; }, "CSR: row_ptrs descends from 0 to -1 at row 0"},
    };
}

std::vector<Breakage> broken_columns() {
    return {
        {"col_negative", [](Matrix& a) { a.col_idxs[0] = -1; }, "CSR: row 0 has column -1, expected 0 to 4", true},
        {"col_at_the_end", [](Matrix& a) { a.col_idxs[1] = 5; }, "CSR: row 0 has column 5, expected 0 to 4", true},
        {"col_repeated", [](Matrix& a) { a.col_idxs[4] = 1; },
         "CSR: row 3 has column 1 after 1, expected ascending columns", true},
        {"col_descends", [](Matrix& a) { a.col_idxs[4] = 0; },
         "CSR: row 3 has column 0 after 1, expected ascending columns", true},
    };
}

std::string name_of(const ::testing::TestParamInfo<Breakage>& instance) { return instance.param.name; }

INSTANTIATE_TEST_SUITE_P(Sizes, BrokenCsr, ::testing::ValuesIn(broken_sizes()), name_of);
INSTANTIATE_TEST_SUITE_P(Columns, BrokenCsr, ::testing::ValuesIn(broken_columns()), name_of);

TEST(ValidateCsr, AcceptsWhatIsRight) {
    EXPECT_EQ(verdict(sample()), "0: ");
    EXPECT_EQ(verdict({0, 0, {0}, {}, {}}), "0: ");
    EXPECT_EQ(verdict({0, 5, {0}, {}, {}}), "0: ");
    EXPECT_EQ(verdict({2, 0, {0, 0, 0}, {}, {}}), "0: ");
}

// Of many broken rows, in several ranges of different threads.
TEST(ValidateCsr, NamesTheFirstBrokenRowWhateverTheNumberOfThreads) {
    constexpr index_t rows = 100'000;
    Matrix a{rows, 10, Buffer<offset_t>(rows + 1), Buffer<index_t>(rows), Buffer<double>(rows)};
    for (index_t r = 0; r < rows; ++r) {
        a.row_ptrs[r + 1] = r + 1;
        a.col_idxs[r] = r >= 5000 ? 10 : 9;
    }
    a.row_ptrs[0] = 0;
    for (const int count : {1, 2, 8}) {
        const test::Threads threads(count);
        for (int i = 0; i < 20; ++i) EXPECT_EQ(verdict(a), "1: CSR: row 5000 has column 10, expected 0 to 9");
    }
}

TEST(ConvertValues, KeepsThePatternAndRoundsTheValues) {
    Matrix a = sample();
    a.values[0] = 1.0 + 0x1p-40;
    const auto narrow = convert_values<float>(a);
    EXPECT_EQ(narrow.row_ptrs, a.row_ptrs);
    EXPECT_EQ(narrow.col_idxs, a.col_idxs);
    EXPECT_EQ(narrow.values, (Buffer<float>{1, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace tilespmv
