#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <vector>

#include "tile/csr.hpp"
#include "tile/matrix_market/entry.hpp"

namespace tilespmv::matrix_market {

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
