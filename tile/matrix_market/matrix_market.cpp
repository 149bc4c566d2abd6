#include "tile/matrix_market/matrix_market.hpp"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/matrix_market/assemble.hpp"
#include "tile/matrix_market/mirror.hpp"
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

    /// Refuses a size that makes memory of much more bytes than the input has, whatever its text says.
    void require_backed_size(std::uint64_t input_bytes, const InputLimits& limits) const {
        if (header_.layout == Layout::array) return;
        limits.require_backed(file_->place(header_.size), header_.rows, header_.cols, input_bytes);
    }

    /// Those of an array.
    EntryStore<Entry<V>> entries() {
        auto entries = parse<Entry<V>>();
        file_.reset();  // the text is not needed any more, its memory may be
        return entries;
    }
    CsrMatrix<V> matrix() {
        notes_.is_pattern = header_.field == Field::pattern;
        notes_.symmetry = header_.symmetry;
        const bool ones = notes_.is_pattern && header_.symmetry != Symmetry::skew_symmetric;
        return ones ? matrix_of<PatternEntry>() : matrix_of<Entry<V>>();
    }
    /// What there is to say of the file, once it is read.
    ReadNotes notes() && { return std::move(notes_); }

private:
    template <class E>
    EntryStore<E> parse() {
        Findings found;
        auto entries = parse_entries<E>(*file_, header_, progress_, progress_.rest() * kParseShare, found);
        if (found.rounded > 0) {
            warn(fmt::format("{}: found an integer that {} has no number for, the first of {}, which are rounded",
                             file_->place(found.first_rounded), value_name<V>(), found.rounded));
        }
        if (found.values > 0)
            warn(fmt::format("{}: found values behind the entries of a pattern, which are ignored", name_));
        has_both_triangles_ = found.above && found.below;
        if (found.above && !found.below) warn_of_mirrored();
        return entries;
    }

    template <class E>
    CsrMatrix<V> matrix_of() {
        auto entries = parse<E>();
        if (!has_both_triangles_) file_.reset();
        auto mirrored = assembled(std::move(entries));
        return has_both_triangles_ ? from_both_triangles<E>(std::move(mirrored)) : std::move(mirrored);
    }

    template <class E>
    CsrMatrix<V> assembled(EntryStore<E> entries) {
        return assemble<V>(name_, header_.rows, header_.cols, std::move(entries), progress_);
    }

    /// Of a symmetric file with entries on both sides of the diagonal: `mirrored` if each stands for both of its
    /// places, the entries as they stand if both triangles are whole and equal.
    template <class E>
    CsrMatrix<V> from_both_triangles(CsrMatrix<V> mirrored) {
        const bool negated = header_.symmetry == Symmetry::skew_symmetric;
        header_.symmetry = Symmetry::general;
        Findings known;
        auto as_listed =
            assembled(parse_entries<E>(*std::exchange(file_, {}), header_, progress_, progress_.rest(), known));
        const auto image = mirror_image(as_listed, negated);
        if (image.pairs == 0) {
            warn_of_mirrored();
            return mirrored;
        }
        if (image.equal == image.entries) {
            warn(fmt::format("{}: found both triangles of a symmetric file, which are equal and taken as they stand",
                             name_));
            return as_listed;
        }
        const auto [row, col] = image.unequal.value_or(*image.paired);
        throw Error(
            fmt::format("{}: found entries in row {}, column {} and across the diagonal of a symmetric file, "
                        "expected one of them, or both triangles whole and equal",
                        name_, std::int64_t{row} + 1, std::int64_t{col} + 1));
    }

    void warn_of_mirrored() {
        warn(fmt::format(
            "{}: found entries above the diagonal of a symmetric file, which stand for those below it, too", name_));
    }
    void warn(std::string line) { notes_.warnings.push_back(std::move(line)); }

    Progress progress_;
    std::optional<TextFile> file_;
    std::string name_;
    Header header_;
    ReadNotes notes_;
    bool has_both_triangles_ = false;
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
        reading.require_backed_size(input_bytes, options.limits);
    } else if (header.rows != *options.size) {
        throw Error(fmt::format("{}: found a vector of {} values, expected {}, {}", reading.name(), header.rows,
                                *options.size, options.meaning));
    }
    Vectors<V> x = is_array ? Vectors<V>{header.rows, header.cols, dense_values(reading.entries(), header.entries)}
                            : Vectors<V>{header.rows, 1, dense_vector(reading.matrix())};
    if (options.notes != nullptr) *options.notes = std::move(reading).notes();
    return x;
}

}  // namespace

template <Value V>
CsrMatrix<V> read_matrix_market(Input input, const ReadOptions& options) {
    const auto input_bytes = input.bytes().size();
    Reading<V> reading(std::move(input), options.limits, options.progress);
    if (reading.header().layout == Layout::array)
        reading.fail_layout("'coordinate' (only vectors are read from arrays)");
    reading.require_backed_size(input_bytes, options.limits);
    auto matrix = reading.matrix();
    if (options.notes != nullptr) *options.notes = std::move(reading).notes();
    return matrix;
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
