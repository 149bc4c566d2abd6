#include <algorithm>
#include <cstdint>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/output_file.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

/// Formats lines [0, count) in parallel, a piece at a time, and writes them in order. `format(text, first, last)`
/// appends lines to a memory buffer.
template <class F>
void write_lines(OutputFile& out, offset_t count, F&& format) {
    constexpr offset_t piece = 1 << 15;
    const offset_t pieces = div_up(count, piece);
    FirstException failure;
    bool failed = false;  // only touched in order
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (offset_t i = 0; i < pieces; ++i) {
        fmt::memory_buffer text;
        try {
            format(text, i * piece, std::min((i + 1) * piece, count));
        } catch (...) {
            failure.capture(i);
        }
#pragma omp ordered
        try {
            if (!failed) out.write(std::string_view(text.data(), text.size()));
        } catch (...) {
            failed = true;
            failure.capture(i);
        }
    }
    failure.rethrow();
}

template <Value V>
void format_entries(fmt::memory_buffer& text, const CsrMatrix<V>& a, offset_t first, offset_t last) {
    auto row = std::upper_bound(a.row_ptrs.begin(), a.row_ptrs.end(), first) - a.row_ptrs.begin() - 1;
    constexpr std::size_t longest_line = 64;  // two indices of 10 digits, a value of 24 characters
    text.resize(static_cast<std::size_t>(last - first) * longest_line);
    char* out = text.data();
    for (offset_t p = first; p < last; ++p) {
        while (a.row_ptrs[row + 1] <= p) ++row;
        out = fmt::format_to(out, FMT_COMPILE("{} {} {}\n"), row + 1, std::int64_t{a.col_idxs[p]} + 1,
                             widened(a.values[p]));
    }
    text.resize(static_cast<std::size_t>(out - text.data()));
}

template <Value V>
void write_array(const std::filesystem::path& file, index_t columns, std::span<const V> x) {
    OutputFile out(file);
    const auto rows = x.size() / static_cast<std::size_t>(columns);
    out.write(fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", rows, columns));
    write_lines(out, static_cast<offset_t>(x.size()), [&](fmt::memory_buffer& text, offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i) fmt::format_to(fmt::appender(text), FMT_COMPILE("{}\n"), widened(x[i]));
    });
    out.commit();
}

}  // namespace

template <Value V>
void write_matrix_market(const std::filesystem::path& file, const CsrMatrix<V>& a) {
    validate_sizes(a);
    OutputFile out(file);
    out.write(fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", a.rows, a.cols, a.nnz()));
    write_lines(out, a.nnz(),
                [&](fmt::memory_buffer& text, offset_t first, offset_t last) { format_entries(text, a, first, last); });
    out.commit();
}

template <Value V>
void write_vector(const std::filesystem::path& file, std::span<const V> x) {
    write_array(file, 1, x);
}

template <Value V>
void write_vectors(const std::filesystem::path& file, const Vectors<V>& x) {
    const offset_t expected = static_cast<offset_t>(x.size) * x.count;
    if (x.size < 0 || x.count < 1 || static_cast<offset_t>(x.values.size()) != expected) {
        throw Error(fmt::format("{} values for {} vectors of {}", x.values.size(), x.count, x.size));
    }
    write_array<V>(file, x.count, {x.values.begin(), x.values.end()});
}

#define TILESPMV_INSTANTIATE(V)                                                           \
    template void write_matrix_market(const std::filesystem::path&, const CsrMatrix<V>&); \
    template void write_vector(const std::filesystem::path&, std::span<const V>);         \
    template void write_vectors(const std::filesystem::path&, const Vectors<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
