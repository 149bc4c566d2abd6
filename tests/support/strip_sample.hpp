#pragma once

#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "kernels/operators/strip/archive.hpp"
#include "kernels/operators/strip/strip.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "kernels/operators/strip/verify_strips.hpp"
#include "tests/support/battery.hpp"

/// Matrices of which some rows become strips, and archives of strips as plain bytes.
namespace tilespmv::testing {

/// 102 x 90: four tile rows of one pattern, one with holes, one of too many slots, six rows below.
inline CsrMatrix<double> strip_sample_csr() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < 64; ++r) {
        for (const index_t k : {0, 3, 20, 21, 22}) positions.insert({r, r + k});
    }
    for (index_t r = 64; r < 102; r += 3) positions.insert({r, (r * 7) % 90});
    for (index_t c = 0; c < 90; c += 5) positions.insert({90, c});
    return matrix_of(102, 90, positions);
}
/// The same as strips of at most nine slots: something in every array.
template <Value V = double>
StripMatrix<V> strip_sample() {
    return make_strip_matrix(convert_values<V>(strip_sample_csr()),
                             {.value_bytes = sizeof(V), .max_slots = 9, .most_bytes = 1000});
}

/// 48,000 rows in three parts of 16,384: a band with a row of 9,000 nonzeros, nonzeros here and there, a band.
inline CsrMatrix<double> strips_beside_others() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < 48'000; ++r) {
        const bool scattered = r / 16'384 == 1;
        for (index_t k = 0; k < 3; ++k) positions.insert({r, scattered ? (r * 977 + k * 5'003) % 48'000 : r + k});
    }
    for (index_t k = 0; k < 9'000; ++k) positions.insert({1'000, k * 5});
    return matrix_of(48'000, 48'002, positions);
}

}  // namespace tilespmv::testing

namespace tilespmv::test {

/// Opens an archive in memory of its own, of exactly its size, so that a sanitizer sees every step beyond it.
template <Value V>
StripMatrix<V> open_strip_bytes(std::string_view content) {
    auto copy = std::make_shared<Buffer<std::byte>>(std::as_bytes(std::span(content)));
    const std::span<std::byte> bytes(copy->data(), copy->size());
    return open_strips<V>(bytes, std::move(copy), "A.tsp");
}

/// Throws `Error` if strips that were accepted are not as good as those of our own.
template <Value V>
void use(const StripMatrix<V>& m) {
    validate(m);
    constexpr index_t many = 100000;  // rows of strips cost little, those of CSR a pointer each
    if (m.rows <= many) validate(to_csr(m));
}

}  // namespace tilespmv::test
