#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <vector>

#include "tile/csr.hpp"
#include "tile/matrix_market/header.hpp"
#include "tile/matrix_market/number.hpp"

namespace tilespmv::matrix_market {

/// One nonzero, indices counted from 0. The values of an array are entries of column 0.
template <Value V>
struct Entry {
    index_t row;
    index_t col;
    V value;
    static constexpr std::string_view type = value_name<V>();
    [[nodiscard]] Entry mirrored(bool negated) const { return {col, row, negated ? -value : value}; }
};

/// One nonzero of a pattern, at half the memory.
struct PatternEntry {
    index_t row;
    index_t col;
    static constexpr int value = 1;
    static constexpr std::string_view type = "pattern";
    [[nodiscard]] PatternEntry mirrored(bool /*negated*/) const { return {col, row}; }
};

/// What can be wrong with the line of an entry.
enum class Fault { none, row, column, value, overflow, end_of_line, on_diagonal };

/// What lines have that can be read and that their header does not say.
struct Findings {
    bool above = false;  ///< entries of a symmetric file above the diagonal
    bool below = false;
    offset_t values = 0;                  ///< behind entries of a pattern
    offset_t rounded = 0;                 ///< integers that V has another number for only
    const char* first_rounded = nullptr;  ///< where the first of them stands

    Findings& operator+=(const Findings& later) {
        above |= later.above;
        below |= later.below;
        values += later.values;
        rounded += later.rounded;
        if (first_rounded == nullptr) first_rounded = later.first_rounded;
        return *this;
    }
};

/// Parses the lines of one file below its header.
template <class E>
class EntryParser {
public:
    explicit EntryParser(const Header& header) : header_(header) {}

    /// Parses the entry that starts at `p` up to the end of its line (or a zero byte) and moves `p` there, or, if a
    /// fault is returned, to the word at fault. What precedes the first word, and what is no entry, is a fault of that
    /// first word.
    Fault parse(const char*& p, E& entry) {
        const char* start = p;
        entry.row = entry.col = 0;
        if (header_.layout == Layout::coordinate) {
            if (!parse_index(p, header_.rows, row_digits_, entry.row)) return Fault::row;
            if (!parse_index(p, header_.cols, col_digits_, entry.col)) return Fault::column;
            if (header_.expands()) {
                found_.above |= entry.col > entry.row;
                found_.below |= entry.col < entry.row;
            }
        }
        if constexpr (!std::same_as<E, PatternEntry>) {
            const char* value = p;
            if (const Fault fault = parse_value(p, entry.value); fault != Fault::none) return fault_at(value, p, fault);
        }
        using EntryValue = std::remove_cv_t<decltype(entry.value)>;
        if (header_.symmetry == Symmetry::skew_symmetric && entry.row == entry.col && entry.value != EntryValue{0}) {
            return fault_at(start, p, Fault::on_diagonal);
        }
        if (is_line_end(p) || skips_value(p)) [[likely]]
            return Fault::none;
        return Fault::end_of_line;
    }

    /// In the lines that were parsed.
    [[nodiscard]] const Findings& found() const { return found_; }

private:
    static bool is_line_end(const char* p) { return *p == '\n' || *p == '\0'; }

    /// A pattern has no values; where there are some, as real files have them, they are passed over.
    bool skips_value(const char*& p) {
        if (header_.field != Field::pattern) return false;
        const char* end = p;
        double ignored = 0;
        const bool is_number = parse_real(end, ignored) != NumberFault::malformed;
        if (!is_number || !next_word_or_end(end) || !is_line_end(end)) return false;
        ++found_.values;
        p = end;
        return true;
    }

    static bool next_word_or_end(const char*& p) { return *p == '\n' || next_word(p); }

    static Fault fault_at(const char* word, const char*& p, Fault fault) {
        p = word;
        return fault;
    }

    static bool parse_index(const char*& p, index_t size, int& digits, index_t& index) {
        std::uint64_t number = 0;
        const char* end = append_digits(p, number, digits);
        if (number - 1 >= static_cast<std::uint64_t>(size) || end - p > 19 || !next_word(end)) return false;
        index = static_cast<index_t>(number - 1);
        p = end;
        return true;
    }

    template <Value V>
    Fault parse_value(const char*& p, V& value) {
        value = V{1};
        if (header_.field == Field::pattern) return Fault::none;
        const char* start = p;
        const auto fault = header_.field == Field::integer ? parse_integer(p, value) : parse_real(p, value);
        if (fault == NumberFault::overflow) return Fault::overflow;
        if (fault == NumberFault::rounded && found_.rounded++ == 0) found_.first_rounded = start;
        return fault != NumberFault::malformed && next_word_or_end(p) ? Fault::none : Fault::value;
    }

    Header header_;
    Findings found_;
    int row_digits_ = 1;
    int col_digits_ = 1;
};

/// The entries of a file, grouped into buckets of consecutive rows so that each bucket can be worked on in cache and by
/// one thread. Threads add the segments of the file in any order; within a bucket, entries keep the order of the file.
template <class E>
class EntryStore {
public:
    EntryStore(index_t rows, offset_t capacity, std::int64_t segments)
        : rows_(rows),
          shift_(choose_shift(rows, capacity)),
          buckets_(((static_cast<std::int64_t>(rows) - 1) >> shift_) + 1),
          segments_(segments),
          arena_(static_cast<std::size_t>(capacity)),
          firsts_(static_cast<std::size_t>(segments)),
          ends_(static_cast<std::size_t>(segments * buckets_)) {}

    /// The entries of one segment on their way into the store. Reused for the next segment, to save memory. Those of
    /// other threads stand beside it, and every entry writes `end_`: without the alignment they would share cache
    /// lines.
    class alignas(128) Segment {
    public:
        /// Empties the segment and makes room for at most `most` entries.
        void start(const EntryStore& store, offset_t most) {
            shift_ = store.shift_;
            counts_.assign(static_cast<std::size_t>(store.buckets_), 0);
            if (static_cast<offset_t>(entries_.size()) < most) entries_ = Buffer<E>(static_cast<std::size_t>(most));
            end_ = entries_.data();
        }
        void add(const E& entry) {
            ++counts_[entry.row >> shift_];
            *end_++ = entry;
        }

    private:
        friend class EntryStore;
        std::vector<std::uint32_t> counts_;
        Buffer<E> entries_;
        E* end_ = nullptr;
        int shift_ = 0;
    };

    /// Adds a segment of the file; each must be added once. What exceeds the capacity is dropped.
    void add(std::int64_t index, const Segment& segment) {
        const std::span<const E> entries(segment.entries_.data(), segment.end_);
        std::uint32_t* ends = ends_.data() + index * buckets_;
        std::exclusive_scan(segment.counts_.begin(), segment.counts_.end(), ends, 0u);
        firsts_[index] = std::atomic_ref(next_).fetch_add(static_cast<offset_t>(entries.size()));
        if (firsts_[index] + entries.size() > arena_.size()) return;
        E* out = arena_.data() + firsts_[index];
        for (const auto& entry : entries) out[ends[bucket_of(entry.row)]++] = entry;
    }

    [[nodiscard]] std::int64_t buckets() const { return buckets_; }
    [[nodiscard]] index_t first_row(std::int64_t bucket) const {
        return static_cast<index_t>(std::min<std::int64_t>(bucket << shift_, rows_));
    }
    /// Calls f(span of entries) for the entries of a bucket in the order of the file.
    template <class F>
    void for_each_run(std::int64_t bucket, F&& f) const {
        for (std::int64_t segment = 0; segment < segments_; ++segment) {
            const std::uint32_t* ends = ends_.data() + segment * buckets_ + bucket;
            const std::uint32_t begin = bucket == 0 ? 0 : ends[-1];
            if (begin < *ends) f(std::span(arena_.data() + firsts_[segment] + begin, *ends - begin));
        }
    }

private:
    /// Buckets of about 16384 entries, which fit a second-level cache, but not so many that a segment has few for each.
    static int choose_shift(index_t rows, offset_t entries) {
        const auto wanted = std::clamp<offset_t>(entries >> 14, 1, 1024);
        int shift = 0;
        while ((static_cast<std::int64_t>(rows) - 1) >> shift >= wanted) ++shift;
        return shift;
    }
    [[nodiscard]] std::int64_t bucket_of(index_t row) const { return row >> shift_; }

    index_t rows_;
    int shift_;
    std::int64_t buckets_;
    std::int64_t segments_;
    Buffer<E> arena_;
    Buffer<offset_t> firsts_;     ///< per segment: where its entries start in the arena
    Buffer<std::uint32_t> ends_;  ///< segments x buckets: where a bucket ends in the segment
    offset_t next_ = 0;           ///< first free place in the arena
};

}  // namespace tilespmv::matrix_market
