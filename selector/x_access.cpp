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

double scattered_share(std::span<const index_t> col_idxs, std::size_t value_bytes) {
    const index_t line = kLineBytes / static_cast<index_t>(value_bytes);
    const auto nnz = static_cast<offset_t>(col_idxs.size());
    const offset_t samples = std::min(kSamples, nnz / kSampleNonzeros);
    offset_t scattered = 0;
    for (offset_t s = 0; s < samples; ++s) {
        RecentLines recent;
        for (offset_t i = 0; i < kSampleNonzeros; ++i) {
            const bool known = recent.use(col_idxs[static_cast<std::size_t>(nnz / samples * s + i)] / line);
            scattered += !known && i >= kSampleNonzeros / 2;  // the first half makes lines known
        }
    }
    return samples == 0 ? 0.0 : static_cast<double>(scattered) / static_cast<double>(samples * (kSampleNonzeros / 2));
}

offset_t x_prefetch_distance(std::span<const index_t> col_idxs, index_t cols, std::size_t value_bytes,
                             std::size_t cache_bytes, const Tuning& tuning) {
    const bool is_far = static_cast<std::size_t>(cols) * value_bytes > cache_bytes / tuning.cache_parts;
    return is_far && scattered_share(col_idxs, value_bytes) > tuning.scattered_share ? tuning.prefetch_distance : 0;
}

}  // namespace tilespmv::cpu
