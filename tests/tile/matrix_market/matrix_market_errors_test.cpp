#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tile/matrix_market/matrix_market_support.hpp"
#include "tile/matrix_market/header.hpp"

namespace tilespmv {
namespace {

namespace fs = std::filesystem;
using test::error_of;

/// expected.txt lists `file:line: found X, expected Y`, one line a file.
std::vector<std::string> expected_messages() {
    std::ifstream stream(test::kCorpus / "invalid" / "expected.txt");
    std::vector<std::string> messages;
    for (std::string line; std::getline(stream, line);) messages.push_back(line);
    return messages;
}

std::string file_of(const std::string& message) { return message.substr(0, message.find(':')); }

class RefusedFile : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedFile, GivesTheSameLineForAnyNumberOfThreads) {
    const auto file = test::kCorpus / "invalid" / file_of(GetParam());
    const auto expected = (test::kCorpus / "invalid").string() + "/" + GetParam();
    for (const int count : {1, 2, 7}) {
        const test::Threads threads(count);
        EXPECT_EQ(error_of([&] { read_matrix_market<double>(file); }), expected) << count << " threads";
    }
}

INSTANTIATE_TEST_SUITE_P(Corpus, RefusedFile, ::testing::ValuesIn(expected_messages()), [](const auto& test) {
    std::string name = file_of(test.param);
    std::replace(name.begin(), name.end(), '.', '_');
    return name;
});

TEST(RefusedFiles, AreAllListed) {
    const fs::directory_iterator files(test::kCorpus / "invalid");
    EXPECT_EQ(std::distance(begin(files), end(files)), static_cast<std::ptrdiff_t>(expected_messages().size()) + 1);
}

/// A file of many lines in which entry k stands in line k + 2, and the lines given are replaced.
std::string long_file(int entries, const std::vector<std::pair<int, std::string>>& replaced) {
    std::vector<std::string> lines{"%%MatrixMarket matrix coordinate real general",
                                   "1000 1000 " + std::to_string(entries)};
    for (int k = 1; k <= entries; ++k) lines.push_back(std::to_string(k % 1000 + 1) + " 1 0.25");
    for (const auto& [line, text] : replaced) lines[line - 1] = text;
    std::string content;
    for (const auto& line : lines) content += line + "\n";
    return content;
}

/// The error of a file of that content, without its name, which must not depend on the threads.
std::string error_of_text(const std::string& content) {
    const test::TemporaryDirectory directory;
    const auto file = directory.file("A.mtx", content);
    std::string first;
    for (const int count : {1, 2, 7}) {
        const test::Threads threads(count);
        const auto error = error_of([&] { read_matrix_market<double>(file); });
        if (first.empty()) first = error;
        EXPECT_EQ(error, first) << count << " threads";
    }
    return first.substr(first.find(".mtx:") + 5);
}

TEST(ReadErrors, TheFirstOfManyBadLinesIsReported) {
    std::vector<std::pair<int, std::string>> bad;
    for (int line = 60000; line >= 30000; line -= 10) bad.emplace_back(line, "7 x 0.25");
    EXPECT_EQ(error_of_text(long_file(70000, bad)), "30000: found 'x', expected a column from 1 to 1000");
}

TEST(ReadErrors, ABadLineInFrontOfTooManyEntriesIsReported) {
    EXPECT_EQ(error_of_text(long_file(70000, {{2, "1000 1000 50000"}, {40000, "1 1 one"}})),
              "40000: found 'one', expected a real number");
}

TEST(ReadErrors, TooManyEntriesInFrontOfABadLineAreReported) {
    EXPECT_EQ(error_of_text(long_file(70000, {{2, "1000 1000 30000"}, {40000, "1 1 one"}})),
              "30003: found one more entry, expected 30000 entries as the size line says");
    EXPECT_EQ(error_of_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 2\n1 1 one\n"),
              "4: found one more entry, expected 1 entries as the size line says");
}

TEST(ReadErrors, WordsOfUpTo32CharactersAreShownWhole) {
    const std::string word(32, 'x');
    for (const std::string behind : {"", " ", "\t", " y"}) {
        EXPECT_EQ(error_of_text(long_file(9, {{5, "1 1 " + word + behind}})),
                  "5: found '" + word + "', expected a real number");
    }
    EXPECT_EQ(error_of_text(long_file(9, {{5, "1 1 " + word + "x"}})),
              "5: found '" + word + "...', expected a real number");
}

TEST(ReadErrors, TellTheEndOfALineFromWordsThatDoNotPrint) {
    for (const auto* end : {"", "\r", " \r"}) {
        EXPECT_EQ(error_of_text(long_file(9, {{5, std::string("1 1 ") + end}})),
                  "5: found end of line, expected a real number");
    }
    EXPECT_EQ(error_of_text(long_file(9, {{5, "1 1 !~\x7f\x1f\x80"}})),
              R"(5: found '!~\x7f\x1f\x80', expected a real number)");
}

TEST(ReadErrors, ALetterBehindANumberIsNamedWithItWhateverWayItIsRead) {
    for (const std::string number : {"1", "-2.5", "+2.5", "1e5", "1d5", "1e-400", "0.12345678901234567890",
                                     "12345678901234567890123", "1.0000000000000000000000e5", "nan", "-inf"}) {
        EXPECT_EQ(error_of_text(long_file(9, {{5, "1 1 " + number + "x"}})),
                  "5: found '" + number + "x', expected a real number");
        EXPECT_EQ(error_of_text(long_file(9, {{5, "1 1 " + number + " x"}})), "5: found 'x', expected end of line");
    }
}

class SizeLine : public ::testing::Test {
protected:
    /// What reads the number as field 0 (rows), 1 (columns) or 2 (entries): the number, or the error behind the line.
    static std::string read(int field, const std::string& number) {
        std::array<std::string, 3> fields{"5", "5", "5"};
        fields[field] = number;
        const test::TemporaryDirectory directory;
        const auto file = directory.file("A.mtx", "%%MatrixMarket matrix coordinate real general\n" + fields[0] + " " +
                                                      fields[1] + " " + fields[2] + "\n");
        offset_t value = 0;
        const auto error = error_of([&] {
            const TextFile text{Input(file)};
            const auto header = matrix_market::parse_header(text);
            value = std::array<offset_t, 3>{header.rows, header.cols, header.entries}[field];
        });
        return error == "no error" ? std::to_string(value) : error.substr(error.find(".mtx:") + 5);
    }
};

TEST_F(SizeLine, TakesNumbersUpToTheLimitOfTheirFieldAndNoLonger) {
    constexpr std::array<std::string_view, 3> names{"rows", "columns", "entries"};
    for (int field = 0; field < 3; ++field) {
        const bool is_entries = field == 2;
        const std::string most = is_entries ? "9223372036854775807" : "2147483647";
        for (const std::string number : {"0", "1", "2147483646", "2147483647", "0000002147483647"}) {
            EXPECT_EQ(read(field, number), std::to_string(std::stoll(number))) << names[field];
        }
        for (const std::string number :
             {"2147483648", "4294967295", "4294967296", "4294967301", "9223372036854775807", "9223372036854775808",
              "18446744073709551615", "18446744073709551616", "18446744073709551617", "18446744073709551621",
              "36893488147419103233", "100000000000000000000000000005"}) {
            const bool fits = is_entries && (number.size() < most.size() || number == most);
            EXPECT_EQ(read(field, number), fits ? number
                                                : "2: found '" + number + "', expected the number of " +
                                                      std::string(names[field]) + " (0 to " + most + ")");
        }
        EXPECT_THAT(read(field, "-1"), ::testing::HasSubstr("2: found '-1', expected the number of"));
        EXPECT_THAT(read(field, "5x"), ::testing::HasSubstr("2: found '5x', expected the number of"));
    }
}

TEST(ReadErrors, FloatsOverflowWhereDoublesDoNot) {
    const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e39\n";
    EXPECT_EQ(test::read_text<double>(text).values[0], 1e39);
    EXPECT_THAT(
        error_of([&] { test::read_text<float>(text); }),
        ::testing::HasSubstr(":3: found '1e39', expected a number in the range of float32 (--values float64 has a "
                             "larger one)"));
}

TEST(ReadErrors, SumsOfDuplicatesThatOverflowAreRefusedAtTheirPlace) {
    // Two places; the first by row and column is reported, whatever the order of the file.
    const auto error_in = [](auto value, const std::string& numbers) {
        std::string text = "%%MatrixMarket matrix coordinate real general\n3000 9 6\n";
        for (const auto* place : {"2000 8 ", "1000 7 ", "1000 6 ", "2000 8 ", "1000 7 ", "1000 6 "}) {
            text += place + (place[5] == '6' ? "1" : numbers) + "\n";
        }
        std::string first;
        for (const int count : {1, 3}) {
            const test::Threads threads(count);
            auto error = error_of([&] { test::read_text<decltype(value)>(text); });
            error.erase(0, std::min(error.find("row"), error.size()));
            if (count == 1) first = error;
            EXPECT_EQ(error, first) << count << " threads";
        }
        return first;
    };
    EXPECT_EQ(error_in(float{}, "3e38"),
              "row 1000, column 7: found 6.0000000109955115e+38 as the sum of 2 entries, expected a number in the "
              "range of float32 (--values float64 has a larger one)");
    EXPECT_EQ(error_in(Half{}, "-40000"),
              "row 1000, column 7: found -80000 as the sum of 2 entries, expected a number in the range of float16 "
              "(--values float64 has a larger one)");
    EXPECT_EQ(error_in(double{}, "1e308"),
              "row 1000, column 7: found inf as the sum of 2 entries, expected a number in the range of float64");
    EXPECT_EQ(error_in(double{}, "inf"), "") << "what was Inf may stay Inf";
    EXPECT_EQ(error_in(float{}, "1e38"), "");
    EXPECT_EQ(error_in(Half{}, "32759"), "") << "65518 rounds to the largest number";
}

TEST(ReadErrors, RowsThatAreMuchMoreThanTheFileAreRefusedUnlessAllowed) {
    const test::TemporaryDirectory directory;
    const std::string text = "%%MatrixMarket matrix coordinate real general\n% x\n1000 1 1\n5 1 2.5\n";
    const auto file = directory.file("A.mtx", text);  // 1001 row pointers and two vectors take 8016 bytes
    const auto read = [&](const InputLimits& limits) {
        return error_of([&] { read_matrix_market<double>(file, {.limits = limits}); });
    };
    const auto read_x = [&](const VectorOptions& options) {
        return error_of([&] { read_vector<double>(file, options); });
    };
    const auto refused =
        file.string() +
        ":3: found a matrix of 1000 x 1, whose row pointers and vectors take 8016 bytes, in an input of " +
        std::to_string(text.size()) + ", expected at most 8015 bytes (--allow-large lifts this limit)";
    EXPECT_EQ(read({.bytes = 8015, .ratio = 0}), refused);
    EXPECT_EQ(read({.bytes = 8016, .ratio = 0}), "no error");
    EXPECT_EQ(read({.bytes = 0, .ratio = 8016 / text.size() + 1}), "no error");
    EXPECT_EQ(read(InputLimits::none()), "no error");
    EXPECT_EQ(read_x({.limits = {.bytes = 8015, .ratio = 0}}), refused);
    EXPECT_EQ(read_x({.size = 1000, .meaning = "", .limits = {.bytes = 8015, .ratio = 0}}), "no error");
    EXPECT_THAT(error_of_text("%%MatrixMarket matrix coordinate pattern general\n2147483647 1 1\n1 1\n"),
                ::testing::HasSubstr("2: found a matrix of 2147483647 x 1, whose row pointers and vectors take "
                                     "17179869192 bytes, in an input of "));
}

std::string vector_error(const std::string& content) {
    const test::TemporaryDirectory directory;
    const auto file = directory.file("x.mtx", content);
    const auto error = error_of([&] { read_vector<double>(file); });
    return error.substr(error.find(".mtx:") + 5);
}

TEST(VectorErrors, AnotherSizeIsRefusedBeforeItsEntriesAreRead) {
    const test::TemporaryDirectory directory;
    const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
    const auto file = directory.file("x.mtx", banner + "2147483647 1 1\nx x x\n");
    EXPECT_EQ(error_of([&] { read_vector<double>(file, {.size = 7, .meaning = "the columns of the matrix"}); }),
              file.string() + ": found a vector of 2147483647 values, expected 7, the columns of the matrix");
}

TEST(VectorErrors, OfSeveralColumns) {
    const auto refused = [](const std::string& content) {
        const test::TemporaryDirectory directory;
        const auto file = directory.file("b.mtx", content);
        const auto error = error_of([&] { read_vectors<double>(Input(file), {.size = 2, .meaning = "the rows"}); });
        return error.substr(error.find("b.mtx") + 5);
    };
    const std::string banner = "%%MatrixMarket matrix array real general\n";
    EXPECT_THAT(refused(banner + "3 2\n1\n2\n3\n4\n5\n6\n"),
                ::testing::HasSubstr("found a vector of 3 values, expected 2"));
    EXPECT_THAT(refused(banner + "2 0\n"), ::testing::HasSubstr("found 0 columns"));
    EXPECT_THAT(refused(banner + "2 2\n1\n2\n3\n"),
                ::testing::HasSubstr("found end of file after 3 entries, expected 4"));
    EXPECT_THAT(refused(banner + "2 2147483647\n1\n"), ::testing::HasSubstr("found end of file after 1 entries"));
}

TEST(VectorErrors, TellTheLine) {
    const std::string banner = "%%MatrixMarket matrix array real general\n";
    EXPECT_EQ(vector_error(banner + "3 2\n1\n2\n3\n4\n5\n6\n"), "2: found 2 columns, expected a vector of one column");
    EXPECT_EQ(vector_error(banner + "3 1\n1\n2\n"),
              "5: found end of file after 2 entries, expected 3 as the size line says");
    EXPECT_EQ(vector_error(banner + "1 1\n1\n2\n"),
              "4: found one more entry, expected 1 entries as the size line says");
    EXPECT_EQ(vector_error(banner + "0 1\n1\n"), "3: found one more entry, expected 0 entries as the size line says");
    EXPECT_EQ(vector_error(banner + "2 1\n1\n2 2\n"), "4: found '2', expected end of line");
    EXPECT_EQ(vector_error(banner + "2147483647 1\n1\n"),
              "4: found end of file after 1 entries, expected 2147483647 as the size line says");
    EXPECT_EQ(vector_error("%%MatrixMarket matrix coordinate real general\n2 2 0\n"),
              "2: found 2 columns, expected a vector of one column");
    EXPECT_EQ(vector_error(banner + "3 0\n"), "2: found 0 columns, expected a vector of one column");
    EXPECT_EQ(vector_error("%%MatrixMarket matrix coordinate real general\n2 0 0\n"),
              "2: found 0 columns, expected a vector of one column");
}

}  // namespace
}  // namespace tilespmv
