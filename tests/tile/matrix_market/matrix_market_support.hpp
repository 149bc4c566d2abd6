#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/message_of.hpp"
#include "tests/support/threads.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::test {

/// Files to accept (permissive/) and to refuse (invalid/), shared with the fuzzer.
inline const std::filesystem::path kCorpus = std::filesystem::path(TILESPMV_TEST_DATA) / "matrix_market";

/// Row and column counted from 1, as in a file, and the bits of the value.
using Triplet = std::tuple<std::int64_t, std::int64_t, std::uint64_t>;

inline Triplet triplet(std::int64_t row, std::int64_t col, double value) {
    return {row, col, std::bit_cast<std::uint64_t>(value)};
}

template <Value V>
std::vector<Triplet> triplets(const CsrMatrix<V>& a) {
    std::vector<Triplet> list;
    for (index_t row = 0; row < a.rows; ++row) {
        for (offset_t p = a.row_ptrs[row]; p < a.row_ptrs[row + 1]; ++p) {
            list.push_back(triplet(std::int64_t{row} + 1, std::int64_t{a.col_idxs[p]} + 1, a.values[p]));
        }
    }
    return list;
}

/// Reads a file of the given content.
template <Value V = double>
CsrMatrix<V> read_text(std::string_view content) {
    const TemporaryDirectory directory;
    auto a = read_matrix_market<V>(directory.file("A.mtx", content));
    validate(a);
    return a;
}

}  // namespace tilespmv::test
