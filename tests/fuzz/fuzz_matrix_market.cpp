// Matrix Market files from hostile hands: either a one-line `Error`, or a valid matrix that survives being written and
// read; and the same, bit by bit, for any number of threads.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <omp.h>
#include <sys/resource.h>

#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tile/io/text_output.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace {

using namespace tilespmv;
namespace fs = std::filesystem;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void require(bool condition, const std::string& what) {
    if (condition) return;
    fmt::print(stderr, "{}\n", what);
    std::abort();
}

/// So small that an input that asks for much is refused, and memory shows whatever is taken in spite of that.
constexpr InputLimits kLimits{.bytes = 1 << 20, .text_bytes = 1 << 22, .ratio = 1};

/// What reading gave: a matrix or a message.
struct Outcome {
    CsrMatrix<double> matrix;
    std::string error;
    ReadNotes notes;
};

Outcome read(const fs::path& path, int threads) {
    omp_set_num_threads(threads);
    Outcome outcome;
    try {
        outcome.matrix = read_matrix_market<double>(path, {.limits = kLimits, .notes = &outcome.notes});
    } catch (const Error& error) {
        outcome.error = error.what();
    }
    return outcome;
}

bool same_bits(const CsrMatrix<double>& a, const CsrMatrix<double>& b) {
    return a.rows == b.rows && a.cols == b.cols && a.row_ptrs == b.row_ptrs && a.col_idxs == b.col_idxs &&
           (a.values.empty() || std::memcmp(a.values.data(), b.values.data(), a.values.bytes()) == 0);
}

bool is_one_line(std::string_view text) { return text.find('\n') == std::string_view::npos; }

void read_as_vector(const fs::path& path) {
    try {
        read_vector<float>(path, {.limits = kLimits});
    } catch (const Error& error) {
        require(is_one_line(error.what()), error.what());
    }
}

/// What stands behind the name of the file in a message.
std::string without_name(const std::string& error, const fs::path& file) {
    return error.starts_with(file.string()) ? error.substr(file.string().size()) : error;
}

/// A compressed text is the same text.
void compare_compressed(const test::TemporaryDirectory& directory, std::string_view text, const Outcome& plain) {
    const auto file = directory.path() / "compressed.mtx.gz";
    TextOutput out(file);
    out.write(text);
    out.commit();
    const auto outcome = read(file, 2);
    if (plain.error.find("--allow-large") != std::string::npos) return;  // which depends on the bytes of the file
    require(without_name(outcome.error, file) == without_name(plain.error, directory.path() / "input.mtx"),
            "compression changes the error: " + plain.error + " / " + outcome.error);
    require(same_bits(outcome.matrix, plain.matrix), "compression changes the matrix");
}

/// Written as its file says, with one triangle alone where that is symmetric: the same but for signs of zeros and NaN.
void compare_written(const test::TemporaryDirectory& directory, const Outcome& outcome, Symmetry symmetry) {
    const auto copy = directory.path() / "copy.mtx";
    write_matrix_market(copy, outcome.matrix, symmetry);
    auto again = read(copy, 2);
    require(again.error.empty() && again.notes.warnings.empty(), "what was written is not accepted: " + again.error);
    auto expected = outcome.matrix.clone();
    for (auto* a : {&again.matrix, &expected}) {
        if (symmetry == Symmetry::general) break;
        for (double& value : a->values) value = std::isnan(value) ? kNaN : value == 0 ? 0.0 : value;
    }
    require(same_bits(expected, again.matrix), "writing and reading changes the matrix");
}

/// Promises of a header must not become memory or time.
void require_little_used(std::clock_t start) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    require(usage.ru_maxrss < 1 << 20, "more than 1 GiB of memory was used");
    require(std::clock() - start < 20 * CLOCKS_PER_SEC, "more than 20 seconds were used");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryDirectory directory;
    const auto start = std::clock();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto file = directory.file("input.mtx", text);
    const auto one = read(file, 1);
    const auto many = read(file, 3);
    require(one.error == many.error, "threads change the error: " + one.error + " / " + many.error);
    require(one.notes.warnings == many.notes.warnings, "threads change the warnings");
    require(is_one_line(one.error), "the error has several lines: " + one.error);
    for (const auto& warning : one.notes.warnings) require(is_one_line(warning), "a warning has several lines");
    require(same_bits(one.matrix, many.matrix), "threads change the matrix");
    read_as_vector(file);
    if (text.starts_with('%') && size % 8 == 0) compare_compressed(directory, text, one);
    if (one.error.empty()) {
        validate(one.matrix);
        compare_written(directory, one, Symmetry::general);
        if (one.notes.symmetry != Symmetry::general) compare_written(directory, one, one.notes.symmetry);
    }
    require_little_used(start);
    return 0;
}
