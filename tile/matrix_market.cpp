#include "tile/matrix_market.hpp"

#include <memory>
#include <optional>

#include <fmt/format.h>

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
    Reading(const std::filesystem::path& file, const std::function<void(double)>& listener)
        : progress_(listener),
          file_(std::in_place, file, [this](double share) { progress_.reach(share * kDecompressShare); }),
          header_(parse_header(*file_)) {}

    const Header& header() const { return header_; }

    [[noreturn]] void fail_size(std::string_view found, std::string_view expected) const {
        file_->fail(header_.size, found, expected);
    }
    [[noreturn]] void fail_layout(std::string_view expected) const { file_->fail(file_->begin(), "'array'", expected); }

    template <class E = Entry<V>>
    EntryStore<E> entries() {
        auto entries = parse_entries<E>(*file_, header_, progress_, progress_.rest() * kParseShare);
        file_.reset();  // the text is not needed any more, its memory may be
        return entries;
    }
    CsrMatrix<V> matrix() {
        const bool ones = header_.field == Field::pattern && header_.symmetry != Symmetry::skew_symmetric;
        if (ones) return assemble<V>(header_.rows, header_.cols, entries<PatternEntry>(), progress_);
        return assemble<V>(header_.rows, header_.cols, entries(), progress_);
    }

private:
    Progress progress_;
    std::optional<TextFile> file_;
    Header header_;
};

template <Value V>
Buffer<V> dense_vector(const EntryStore<Entry<V>>& entries, index_t size) {
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

}  // namespace

template <Value V>
CsrMatrix<V> read_matrix_market(const std::filesystem::path& file, const ReadOptions& options) {
    Reading<V> reading(file, options.progress);
    if (reading.header().layout == Layout::array)
        reading.fail_layout("'coordinate' (only vectors are read from arrays)");
    return reading.matrix();
}

template <Value V>
Buffer<V> read_vector(const std::filesystem::path& file) {
    Reading<V> reading(file, {});
    const Header header = reading.header();
    if (header.cols != 1) reading.fail_size(fmt::format("{} columns", header.cols), "a vector of one column");
    if (header.layout == Layout::array) return dense_vector(reading.entries(), header.rows);
    return dense_vector(reading.matrix());
}

#define TILESPMV_INSTANTIATE(V)                                                                 \
    template CsrMatrix<V> read_matrix_market(const std::filesystem::path&, const ReadOptions&); \
    template Buffer<V> read_vector(const std::filesystem::path&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
