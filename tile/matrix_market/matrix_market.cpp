#include "tile/matrix_market/matrix_market.hpp"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/matrix_market/assemble.hpp"
#include "tile/matrix_market/parse.hpp"

namespace tilespmv {
namespace {

using namespace matrix_market;

/// Entries take most of the time, then decompressing if it is needed, then assembling.
constexpr double kDecompressShare = 0.5;
constexpr double kParseShare = 0.7;

/// A Matrix Market file between its header and its matrix.
template <Value V>
class Reading {
public:
    Reading(Input input, const InputLimits& limits, const std::function<void(double)>& listener)
        : progress_(listener),
          file_(std::in_place, input, limits, [this](double share) { progress_.reach(share * kDecompressShare); }),
          name_(file_->name()),
          header_(parse_header(*file_)) {}

    const Header& header() const { return header_; }
    const std::string& name() const { return name_; }

    [[noreturn]] void fail_size(std::string_view found, std::string_view expected) const {
        file_->fail(header_.size, found, expected);
    }
    [[noreturn]] void fail_layout(std::string_view expected) const { file_->fail(file_->begin(), "'array'", expected); }

    /// Refuses rows that take much more memory than the input, whatever its text says.
    void require_backed_rows(std::uint64_t input_bytes, const InputLimits& limits) const {
        const auto needed = (static_cast<std::uint64_t>(header_.rows) + 1) * sizeof(offset_t);
        const auto most = limits.most(input_bytes);
        if (header_.layout == Layout::array || needed <= most) return;
        fail_size(fmt::format("{} rows, which take {} bytes, in an input of {}", header_.rows, needed, input_bytes),
                  fmt::format("at most {} bytes (--allow-large lifts this limit)", most));
    }

    template <class E = Entry<V>>
    EntryStore<E> entries() {
        auto entries = parse_entries<E>(*file_, header_, progress_, progress_.rest() * kParseShare);
        file_.reset();  // the text is not needed any more, its memory may be
        return entries;
    }
    CsrMatrix<V> matrix() {
        const bool ones = header_.field == Field::pattern && header_.symmetry != Symmetry::skew_symmetric;
        if (ones) return assemble<V>(name_, header_.rows, header_.cols, entries<PatternEntry>(), progress_);
        return assemble<V>(name_, header_.rows, header_.cols, entries(), progress_);
    }

private:
    Progress progress_;
    std::optional<TextFile> file_;
    std::string name_;
    Header header_;
};

template <Value V>
Buffer<V> dense_values(const EntryStore<Entry<V>>& entries, offset_t size) {
    Buffer<V> x(static_cast<std::size_t>(size));
    V* out = x.data();
    for (std::int64_t bucket = 0; bucket < entries.buckets(); ++bucket) {
        entries.for_each_run(bucket, [&](auto run) {
            for (const auto& entry : run) *out++ = entry.value;
        });
    }
    return x;
}

template <Value V>
Buffer<V> dense_vector(const CsrMatrix<V>& column) {
    Buffer<V> x(static_cast<std::size_t>(column.rows), V{0});
    for (index_t row = 0; row < column.rows; ++row) {
        if (column.row_ptrs[row] < column.row_ptrs[row + 1]) x[row] = column.values[column.row_ptrs[row]];
    }
    return x;
}

/// Columns of an array, as many as `most`, or one of a coordinate file.
template <Value V>
Vectors<V> read_columns(Input input, const VectorOptions& options, index_t most) {
    const auto input_bytes = input.bytes().size();
    Reading<V> reading(std::move(input), options.limits, {});
    const Header header = reading.header();
    const bool is_array = header.layout == Layout::array;
    if (header.cols < 1 || header.cols > (is_array ? most : 1))
        reading.fail_size(fmt::format("{} columns", header.cols), "a vector of one column");
    if (!options.size) {
        reading.require_backed_rows(input_bytes, options.limits);
    } else if (header.rows != *options.size) {
        throw Error(fmt::format("{}: found a vector of {} values, expected {}, {}", reading.name(), header.rows,
                                *options.size, options.meaning));
    }
    if (is_array) return {header.rows, header.cols, dense_values(reading.entries(), header.entries)};
    return {header.rows, 1, dense_vector(reading.matrix())};
}

}  // namespace

template <Value V>
CsrMatrix<V> read_matrix_market(Input input, const ReadOptions& options) {
    const auto input_bytes = input.bytes().size();
    Reading<V> reading(std::move(input), options.limits, options.progress);
    if (reading.header().layout == Layout::array)
        reading.fail_layout("'coordinate' (only vectors are read from arrays)");
    reading.require_backed_rows(input_bytes, options.limits);
    if (options.on_pattern && reading.header().field == Field::pattern) options.on_pattern();
    return reading.matrix();
}

template <Value V>
CsrMatrix<V> read_matrix_market(const std::filesystem::path& file, const ReadOptions& options) {
    return read_matrix_market<V>(Input(file), options);
}

template <Value V>
Buffer<V> read_vector(Input input, const VectorOptions& options) {
    return read_columns<V>(std::move(input), options, 1).values;
}

template <Value V>
Vectors<V> read_vectors(Input input, const VectorOptions& options) {
    return read_columns<V>(std::move(input), options, std::numeric_limits<index_t>::max());
}

template <Value V>
Buffer<V> read_vector(const std::filesystem::path& file, const VectorOptions& options) {
    return read_vector<V>(Input(file), options);
}

#define TILESPMV_INSTANTIATE(V)                                                                 \
    template CsrMatrix<V> read_matrix_market(Input, const ReadOptions&);                        \
    template CsrMatrix<V> read_matrix_market(const std::filesystem::path&, const ReadOptions&); \
    template Buffer<V> read_vector(Input, const VectorOptions&);                                \
    template Buffer<V> read_vector(const std::filesystem::path&, const VectorOptions&);         \
    template Vectors<V> read_vectors(Input, const VectorOptions&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
