// Matrix Market files from hostile hands: either a one-line `Error`, or a valid matrix that survives being written and
// read; and the same, bit by bit, for any number of threads.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <omp.h>

#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tile/matrix_market/header.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace {

using namespace tilespmv;
namespace fs = std::filesystem;

void require(bool condition, const std::string& what) {
    if (condition) return;
    fmt::print(stderr, "{}\n", what);
    std::abort();
}

/// What reading gave: a matrix or a message.
struct Outcome {
    CsrMatrix<double> matrix;
    std::string error;
};

Outcome read(const fs::path& path, int threads) {
    omp_set_num_threads(threads);
    try {
        return {read_matrix_market<double>(path), ""};
    } catch (const Error& error) {
        return {{}, error.what()};
    }
}

bool same_bits(const CsrMatrix<double>& a, const CsrMatrix<double>& b) {
    return a.rows == b.rows && a.cols == b.cols && a.row_ptrs == b.row_ptrs && a.col_idxs == b.col_idxs &&
           (a.values.empty() || std::memcmp(a.values.data(), b.values.data(), a.values.bytes()) == 0);
}

/// Dimensions are backed by memory, not by the file: the format allows 2^31 - 1 rows in a line.
bool is_small(const fs::path& path) {
    try {
        return matrix_market::parse_header(TextFile(Input(path))).rows < 2000;
    } catch (const Error&) {
        return true;
    }
}

void read_as_vector(const fs::path& path) {
    try {
        read_vector<float>(path);
    } catch (const Error& error) {
        require(std::string_view(error.what()).find('\n') == std::string_view::npos, error.what());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const test::TemporaryDirectory directory;
    const auto file = directory.file("input.mtx", {reinterpret_cast<const char*>(data), size});
    if (!is_small(file)) return 0;
    const auto one = read(file, 1);
    const auto many = read(file, 3);
    require(one.error == many.error, "threads change the error: " + one.error + " / " + many.error);
    require(one.error.find('\n') == std::string::npos, "the error has several lines: " + one.error);
    require(same_bits(one.matrix, many.matrix), "threads change the matrix");
    read_as_vector(file);
    if (!one.error.empty()) return 0;
    validate(one.matrix);
    const auto copy = directory.path() / "copy.mtx";
    write_matrix_market(copy, one.matrix);
    require(same_bits(one.matrix, read(copy, 2).matrix), "writing and reading changes the matrix");
    return 0;
}
