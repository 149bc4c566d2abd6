#include "selector/x_access.hpp"

#include <algorithm>
#include <array>

namespace tilespmv::cpu {
namespace {

constexpr offset_t kSamples = 64;
constexpr offset_t kSampleNonzeros = 512;
constexpr index_t kLineBytes = 64;

/// Lines of x used shortly before.
class RecentLines {
public:
    RecentLines() { lines_.fill(-2); }
    /// Whether this line or one beside it is among them; then it is.
    bool use(index_t line) {
        const bool known = at(line - 1) == line - 1 || at(line) == line || at(line + 1) == line + 1;
        at(line) = line;
        return known;
    }

private:
    index_t& at(index_t line) { return lines_[static_cast<std::size_t>(line) % lines_.size()]; }
    std::array<index_t, 4096> lines_;
};

}  // namespace

ColumnRanges scattered_samples(std::span<const index_t> col_idxs) {
    const auto nnz = static_cast<offset_t>(col_idxs.size());
    const offset_t samples = std::min(kSamples, nnz / kSampleNonzeros);
    ColumnRanges all;
    for (offset_t s = 0; s < samples; ++s) {
        all.push_back(col_idxs.subspan(static_cast<std::size_t>(nnz / samples * s), std::size_t{kSampleNonzeros}));
    }
    return all;
}

double scattered_share(const ColumnRanges& samples, std::size_t value_bytes) {
    const index_t line = kLineBytes / static_cast<index_t>(value_bytes);
    offset_t scattered = 0;
    for (const auto& cols : samples) {
        RecentLines recent;
        for (std::size_t i = 0; i < cols.size(); ++i) {
            const bool known = recent.use(cols[i] / line);
            scattered += !known && i >= cols.size() / 2;  // the first half makes lines known
        }
    }
    const auto counted = static_cast<double>(samples.size() * (kSampleNonzeros / 2));
    return samples.empty() ? 0.0 : static_cast<double>(scattered) / counted;
}

XAccess choose_x_access(std::span<const index_t> col_idxs, offset_t rows, index_t cols, std::size_t value_bytes,
                        std::size_t cache_bytes, const Tuning& tuning) {
    if (rows == 0) return {};
    const std::size_t x_bytes = static_cast<std::size_t>(cols) * value_bytes;
    const bool is_far = x_bytes > cache_bytes / tuning.cache_parts;
    const bool has_short_rows = static_cast<offset_t>(col_idxs.size()) < tuning.short_row * rows;
    if (!is_far && !(has_short_rows && x_bytes > tuning.near_cache_bytes)) return {};
    if (scattered_share(col_idxs, value_bytes) <= tuning.scattered_share) return {};
    return {tuning.prefetch_distance, has_short_rows};
}

}  // namespace tilespmv::cpu
