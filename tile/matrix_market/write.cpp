#include <algorithm>
#include <atomic>
#include <cstdint>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/io/text_output.hpp"
#include "tile/matrix_market/matrix_market.hpp"
#include "tile/matrix_market/mirror.hpp"
#include "tile/parallel.hpp"
#include "tile/sizes.hpp"

namespace tilespmv {
namespace {

/// Formats lines [0, count) in parallel, a piece at a time, and writes them in order. `format(text, first, last)`
/// appends lines to a memory buffer.
template <class F>
void write_lines(TextOutput& out, offset_t count, F&& format) {
    constexpr offset_t kPiece = 1 << 15;
    constexpr offset_t kFailed = -1;
    std::atomic<offset_t> next = 0;  // line to be written
    parallel_ranges(0, count, kPiece, [&](offset_t first, offset_t last) {
        try {
            fmt::memory_buffer text;
            format(text, first, last);
            for (offset_t line = next; line != first; line = next) {
                if (line == kFailed) return;
                next.wait(line);
            }
            out.write(std::string_view(text.data(), text.size()));
            next = last;
            next.notify_all();
        } catch (...) {
            next = kFailed;
            next.notify_all();
            throw;
        }
    });
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
    TextOutput out(file);
    const auto rows = x.size() / static_cast<std::size_t>(columns);
    out.write(fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", rows, columns));
    write_lines(out, static_cast<offset_t>(x.size()), [&](fmt::memory_buffer& text, offset_t first, offset_t last) {
        for (offset_t i = first; i < last; ++i) fmt::format_to(fmt::appender(text), FMT_COMPILE("{}\n"), widened(x[i]));
    });
    out.commit();
}

template <Value V>
void write_entries(const std::filesystem::path& file, const CsrMatrix<V>& a, Symmetry symmetry) {
    TextOutput out(file);
    out.write(fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n", symmetry_name(symmetry), a.rows,
                          a.cols, a.nnz()));
    write_lines(out, a.nnz(),
                [&](fmt::memory_buffer& text, offset_t first, offset_t last) { format_entries(text, a, first, last); });
    out.commit();
}

template <Value V>
void require_symmetry(const std::filesystem::path& file, const CsrMatrix<V>& a, Symmetry symmetry) {
    const auto fail = [&](const std::string& why) {
        throw Error(
            fmt::format("{}: a matrix cannot be written as {}: {}", file.string(), symmetry_name(symmetry), why));
    };
    if (a.rows != a.cols) fail(fmt::format("it has {} rows and {} columns", a.rows, a.cols));
    const bool is_skew = symmetry == Symmetry::skew_symmetric;
    const auto image = matrix_market::mirror_image(a, is_skew);
    if (const auto& place = image.alone ? image.alone : image.unequal) {
        fail(fmt::format("the entry in row {}, column {} has no {} across the diagonal", std::int64_t{place->row} + 1,
                         std::int64_t{place->col} + 1, is_skew ? "negative" : "equal"));
    }
    for (index_t row = 0; is_skew && row < a.rows; ++row) {
        const V* diagonal = matrix_market::entry_at(a, row, row);
        if (diagonal == nullptr || widened(*diagonal) == 0) continue;
        fail(fmt::format("the diagonal is not 0 in row {}", std::int64_t{row} + 1));
    }
}

/// The diagonal and what is below it.
template <Value V>
CsrMatrix<V> lower_triangle(const CsrMatrix<V>& a) {
    const auto end_of = [&](index_t row) {
        return std::upper_bound(a.col_idxs.data() + a.row_ptrs[row], a.col_idxs.data() + a.row_ptrs[row + 1], row) -
               a.col_idxs.data();
    };
    Buffer<offset_t> row_ptrs(a.row_ptrs.size());
    row_ptrs[0] = 0;
    for (index_t row = 0; row < a.rows; ++row) row_ptrs[row + 1] = row_ptrs[row] + end_of(row) - a.row_ptrs[row];
    const auto nnz = static_cast<std::size_t>(row_ptrs[a.rows]);
    CsrMatrix<V> lower{a.rows, a.cols, std::move(row_ptrs), Buffer<index_t>(nnz), Buffer<V>(nnz)};
    constexpr std::int64_t grain = 1024;
    parallel_for(0, a.rows, grain, [&](std::int64_t row) {
        const offset_t count = lower.row_ptrs[row + 1] - lower.row_ptrs[row];
        std::copy_n(a.col_idxs.data() + a.row_ptrs[row], count, lower.col_idxs.data() + lower.row_ptrs[row]);
        std::copy_n(a.values.data() + a.row_ptrs[row], count, lower.values.data() + lower.row_ptrs[row]);
    });
    return lower;
}

}  // namespace

bool is_matrix_market_name(const std::filesystem::path& file) {
    return without_compression(file).extension() == ".mtx";
}

template <Value V>
void write_matrix_market(const std::filesystem::path& file, const CsrMatrix<V>& a, Symmetry symmetry) {
    validate_sizes(a);
    if (symmetry == Symmetry::general) return write_entries(file, a, symmetry);
    validate_row_ptrs(a);
    require_symmetry(file, a, symmetry);
    write_entries(file, lower_triangle(a), symmetry);
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

#define TILESPMV_INSTANTIATE(V)                                                                     \
    template void write_matrix_market(const std::filesystem::path&, const CsrMatrix<V>&, Symmetry); \
    template void write_vector(const std::filesystem::path&, std::span<const V>);                   \
    template void write_vectors(const std::filesystem::path&, const Vectors<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
