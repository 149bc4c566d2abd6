#include "tile/matrix_market/parse.hpp"

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "tile/parallel.hpp"
#include "tile/value_range.hpp"

namespace tilespmv::matrix_market {
namespace {

struct SegmentResult {
    offset_t entries = 0;  ///< in front of the fault
    Fault fault = Fault::none;
    const char* where = nullptr;
    Findings found{};
};

const char* next_line(const char* p, const char* end) {
    const auto* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    return newline != nullptr ? static_cast<const char*>(newline) + 1 : end;
}

/// Cuts the text behind line ends; bounds[i] to bounds[i + 1] is segment i. Results never depend on where.
std::vector<const char*> cut_into_segments(const char* begin, const char* end) {
    const std::int64_t segment_bytes = std::clamp<std::int64_t>((end - begin) / 64, 64, 1 << 18);
    std::vector<const char*> bounds{begin};
    while (bounds.back() < end) {
        const char* last = bounds.back();
        bounds.push_back(end - last <= segment_bytes ? end : next_line(last + segment_bytes - 1, end));
    }
    return bounds;
}

/// Skips blanks, or a blank line, or a comment; stays at `p` if none of them stands there.
const char* skip_no_entry(const char* p, const char* end) {
    p = skip_blanks(p);
    if (p == end) return end;
    return *p == '%' ? next_line(p, end) : p + (*p == '\n');
}

/// Calls f(start of line, entry) for the entries between `p` and `end`, up to the first line with a fault.
template <class E, class F>
SegmentResult for_each_entry(EntryParser<E> parser, const char* p, const char* end, F&& f) {
    SegmentResult result;
    while (p < end) {
        const char* start = p;
        E entry;
        Fault fault = parser.parse(p, entry);
        if (fault == Fault::none && *p != '\n' && p < end) fault = Fault::end_of_line;  // a zero byte
        if (fault == Fault::none) [[likely]] {
            f(start, entry);
            ++result.entries;
            p += *p == '\n';
            continue;
        }
        const char* next = p == start ? skip_no_entry(start, end) : start;
        if (next == start) {
            result.fault = fault;
            result.where = p;
            break;
        }
        p = next;
    }
    result.found = parser.found();
    return result;
}

/// Whether something stands behind row and column in the line of an entry.
bool has_value(const char* line) {
    for (int word = 0; word < 2; ++word) {
        line = skip_blanks(line);
        while (!ends_word(*line)) ++line;
    }
    line = skip_blanks(line);
    return *line != '\n' && *line != '\0';
}

class Parsing {
public:
    Parsing(const TextFile& file, const Header& header)
        : file_(file),
          header_(header),
          bounds_(cut_into_segments(header.body, file.end())),
          results_(bounds_.size() - 1) {}

    template <class E>
    EntryStore<E> run(Progress& progress, double share, Findings& found) {
        const auto segments = static_cast<std::int64_t>(results_.size());
        const auto backed = most_entries(file_.end() - header_.body);
        const index_t rows = header_.layout == Layout::array ? 1 : header_.rows;
        EntryStore<E> store(rows, std::min(header_.entries, backed) * copies(), segments);
        Scratch<typename EntryStore<E>::Segment> scratch;
        std::atomic<std::int64_t> first_fault = segments;
        parallel_for(0, segments, 1, [&](std::int64_t i) {
            if (i > first_fault) return;
            scratch.use([&](auto& segment) {
                segment.start(store, most_entries(bounds_[i + 1] - bounds_[i]) * copies());
                results_[i] = parse_segment<E>(i, segment);
                store.add(i, segment);
            });
            if (results_[i].fault != Fault::none) lower(first_fault, i);
            progress.advance(share * static_cast<double>(bounds_[i + 1] - bounds_[i]) /
                             static_cast<double>(file_.end() - header_.body));
        });
        check<E>();
        for (const auto& result : results_) found += result.found;
        if (found.values > 0 && found.values < header_.entries) fail_some_values<E>();
        return store;
    }

private:
    /// How many matrix entries an entry of the file can stand for.
    [[nodiscard]] int copies() const { return header_.expands() ? 2 : 1; }

    /// How many entries a text of that length can hold: the shortest lines are "1\n", "1 1\n" and "1 1 1\n".
    [[nodiscard]] offset_t most_entries(std::int64_t bytes) const {
        const int shortest = header_.layout == Layout::array ? 2 : header_.field == Field::pattern ? 4 : 6;
        return bytes / shortest + 1;
    }

    static void lower(std::atomic<std::int64_t>& value, std::int64_t candidate) {
        auto current = value.load();
        while (candidate < current && !value.compare_exchange_weak(current, candidate)) {
        }
    }

    template <class E>
    SegmentResult parse_segment(std::int64_t i, typename EntryStore<E>::Segment& segment) const {
        const bool expands = header_.expands();
        const bool skew = header_.symmetry == Symmetry::skew_symmetric;
        return for_each_entry(EntryParser<E>(header_), bounds_[i], bounds_[i + 1], [&](const char*, const E& entry) {
            segment.add(entry);
            if (expands && entry.row != entry.col) segment.add(entry.mirrored(skew));
        });
    }

    /// Throws for the first line that is wrong, if there is one.
    template <class E>
    void check() const {
        offset_t before = 0;
        for (std::size_t i = 0; i < results_.size(); ++i) {
            const auto& result = results_[i];
            if (before + result.entries > header_.entries) fail_excess<E>(i, before);
            if (result.fault != Fault::none) fail<E>(result);
            before += result.entries;
        }
        if (before < header_.entries) {
            file_.fail(file_.end(), fmt::format("end of file after {} entries", before),
                       fmt::format("{} as the size line says", header_.entries));
        }
    }

    template <class E>
    [[noreturn]] void fail_excess(std::size_t segment, offset_t before) const {
        const char* excess = nullptr;
        for_each_entry(EntryParser<E>(header_), bounds_[segment], bounds_[segment + 1],
                       [&](const char* start, const E&) {
                           if (before++ == header_.entries) excess = start;
                       });
        file_.fail(excess, "one more entry", fmt::format("{} entries as the size line says", header_.entries));
    }

    /// Of a pattern, of which some entries have values.
    template <class E>
    [[noreturn]] void fail_some_values() const {
        std::optional<bool> all_have;
        const char* odd = nullptr;
        for_each_entry(EntryParser<E>(header_), header_.body, file_.end(), [&](const char* start, const E&) {
            if (has_value(start) != all_have.value_or(has_value(start)) && odd == nullptr) odd = start;
            all_have = all_have.value_or(has_value(start));
        });
        file_.fail(odd, fmt::format("an entry {} a value", *all_have ? "without" : "with"),
                   "values behind all entries of a pattern or behind none");
    }

    template <class E>
    [[noreturn]] void fail(const SegmentResult& result) const {
        const auto expected = expectation<E>(result.fault);
        if (result.fault != Fault::on_diagonal) file_.fail(result.where, expected);
        std::uint64_t row = 0;
        std::uint64_t col = 0;
        append_digits(skip_blanks(append_digits(result.where, row)), col);
        file_.fail(result.where, fmt::format("an entry in row {}, column {}", row, col), expected);
    }

    template <class E>
    [[nodiscard]] std::string expectation(Fault fault) const {
        switch (fault) {
            case Fault::row:
                return fmt::format("a row from 1 to {}", header_.rows);
            case Fault::column:
                return fmt::format("a column from 1 to {}", header_.cols);
            case Fault::value:
                return header_.field == Field::integer ? "an integer" : "a real number";
            case Fault::overflow:
                return expected_range(E::type);
            case Fault::on_diagonal:
                return "zeros on the diagonal of a skew-symmetric matrix";
            default:
                return "end of line";
        }
    }

    const TextFile& file_;
    const Header& header_;
    std::vector<const char*> bounds_;
    std::vector<SegmentResult> results_;
};

}  // namespace

template <class E>
EntryStore<E> parse_entries(const TextFile& file, const Header& header, Progress& progress, double share,
                            Findings& found) {
    return Parsing(file, header).run<E>(progress, share, found);
}

#define TILESPMV_INSTANTIATE(V) \
    template EntryStore<Entry<V>> parse_entries(const TextFile&, const Header&, Progress&, double, Findings&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)
template EntryStore<PatternEntry> parse_entries(const TextFile&, const Header&, Progress&, double, Findings&);

}  // namespace tilespmv::matrix_market
