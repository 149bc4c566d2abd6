#include "kernels/cpu/x_ahead.hpp"

#include <algorithm>
#include <array>

namespace tilespmv::cpu {
namespace {

// Measured on two processors of 32 and 300 MB of last-level cache: twice or half as far differs little.
constexpr offset_t kAhead = 256;
constexpr double kScattered = 0.1;
// Processors run ahead over several short rows less far than over one long row, whose gathers they have at once.
constexpr offset_t kShortRow = 4;
constexpr std::size_t kNearBytes = std::size_t{2} << 20;  // of a second-level cache

constexpr offset_t kSamples = 64;
constexpr offset_t kSampleNonzeros = 512;

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

template <Value V>
double scattered_share(const CsrRows<V>& a) {
    constexpr index_t line = 64 / sizeof(V);
    const offset_t nnz = a.size() > 0 ? a.begin(a.size()) : 0;
    const offset_t samples = std::min(kSamples, nnz / kSampleNonzeros);
    offset_t scattered = 0;
    for (offset_t s = 0; s < samples; ++s) {
        RecentLines recent;
        const index_t* const cols = a.col_idxs.data() + nnz / samples * s;
        for (offset_t i = 0; i < kSampleNonzeros; ++i) {
            const bool known = recent.use(cols[i] / line);
            scattered += !known && i >= kSampleNonzeros / 2;  // the first half makes lines known
        }
    }
    constexpr offset_t counted = kSampleNonzeros / 2;
    return samples > 0 ? static_cast<double>(scattered) / static_cast<double>(samples * counted) : 0.0;
}

template <Value V>
void choose_x_access(CsrRows<V>& a, index_t cols, std::size_t cache_bytes) {
    if (a.size() == 0) return;
    const std::size_t x_bytes = static_cast<std::size_t>(cols) * sizeof(V);
    const bool is_far = x_bytes > cache_bytes / 4;  // the matrix passes through it too
    const bool has_short_rows = a.begin(a.size()) < kShortRow * a.size();
    if (!is_far && !(has_short_rows && x_bytes > kNearBytes)) return;
    if (scattered_share(a) <= kScattered) return;
    a.x_ahead = kAhead;
    a.has_short_rows = has_short_rows;
}

template void choose_x_access(CsrRows<double>&, index_t, std::size_t);
template void choose_x_access(CsrRows<float>&, index_t, std::size_t);
template double scattered_share(const CsrRows<double>&);
template double scattered_share(const CsrRows<float>&);

}  // namespace tilespmv::cpu
