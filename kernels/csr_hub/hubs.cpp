#include "kernels/csr_hub/hubs.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

struct Column {
    std::uint32_t count;
    index_t column;
};

/// Counts nonzeros by columns. A thread counts a slice of the columns in all of the sample, so that no two write to the
/// same place, whatever their number.
class ColumnCounter {
public:
    ColumnCounter(std::span<const index_t> col_idxs, index_t cols, offset_t sampled)
        : col_idxs_(col_idxs), cols_(cols), nnz_(static_cast<offset_t>(col_idxs.size())) {
        step_ = nnz_ <= sampled ? kStretch : std::max(nnz_ / std::max<offset_t>(sampled / kStretch, 1), kStretch);
    }

    /// Nonzeros for each that is counted.
    [[nodiscard]] double scale() const { return static_cast<double>(step_) / static_cast<double>(kStretch); }

    /// The columns of `least` counted nonzeros or more, in ascending order.
    [[nodiscard]] std::vector<Column> columns_from(std::uint32_t least) const {
        const std::int64_t width = std::max<std::int64_t>(div_up(cols_, omp_get_max_threads()), kLeastSlice);
        std::vector<std::vector<Column>> found(static_cast<std::size_t>(div_up(cols_, width)));
        parallel_for(0, static_cast<std::int64_t>(found.size()), 1, [&](std::int64_t i) {
            found[static_cast<std::size_t>(i)] =
                count(i * width, std::min<std::int64_t>((i + 1) * width, cols_), least);
        });
        std::vector<Column> all;
        for (const auto& slice : found) all.insert(all.end(), slice.begin(), slice.end());
        return all;
    }

private:
    static constexpr offset_t kStretch = 64;           // neighbours that are counted together
    static constexpr std::int64_t kLeastSlice = 1024;  // columns

    [[nodiscard]] std::vector<Column> count(std::int64_t first, std::int64_t end, std::uint32_t least) const {
        const auto size = static_cast<std::uint64_t>(end - first);
        std::vector<std::uint32_t> counts(size, 0);
        for (offset_t stretch = 0; stretch < nnz_; stretch += step_) {
            for (offset_t k = stretch; k < std::min(stretch + kStretch, nnz_); ++k) {
                const auto at = static_cast<std::uint64_t>(col_idxs_[static_cast<std::size_t>(k)] - first);
                if (at < size) ++counts[at];
            }
        }
        std::vector<Column> found;
        for (std::uint64_t i = 0; i < size; ++i) {
            if (counts[i] >= least)
                found.push_back({counts[i], static_cast<index_t>(first + static_cast<offset_t>(i))});
        }
        return found;
    }

    std::span<const index_t> col_idxs_;
    index_t cols_;
    offset_t nnz_;
    offset_t step_;  // from stretch to stretch
};

/// Chance alone may count a column of a sample twice.
constexpr std::uint32_t kLeastOfSample = 4;

std::uint32_t least_count(const HubLimits& limits, double scale) {
    const auto least = static_cast<std::uint32_t>(std::max(static_cast<double>(limits.min_count) / scale, 1.0));
    return scale > 1 && limits.min_count > 1 ? std::max(least, kLeastOfSample) : least;
}

}  // namespace

Buffer<index_t> choose_hubs(std::span<const index_t> col_idxs, index_t cols, const HubLimits& limits) {
    if (limits.max_hubs == 0) return {};
    const ColumnCounter counter(col_idxs, cols, limits.sampled);
    auto columns = counter.columns_from(least_count(limits, counter.scale()));
    const auto room = static_cast<std::size_t>(limits.max_hubs);
    if (columns.size() > room) {
        const auto last = columns.begin() + static_cast<std::ptrdiff_t>(room);
        std::nth_element(columns.begin(), last, columns.end(), [](const Column& a, const Column& b) {
            return a.count != b.count ? a.count > b.count : a.column < b.column;
        });
        columns.resize(room);
    }
    double nonzeros = 0;
    for (const Column& column : columns) nonzeros += column.count * counter.scale();
    if (nonzeros < static_cast<double>(limits.min_nonzeros)) return {};
    Buffer<index_t> hubs(columns.size());
    std::ranges::transform(columns, hubs.begin(), &Column::column);
    std::ranges::sort(hubs);
    return hubs;
}

HubLimits hub_limits(index_t max_hubs, std::size_t value_bytes, int multiprocessors, const HubTuning& tuning) {
    const auto copied = static_cast<offset_t>(value_bytes) * multiprocessors * tuning.copy_percent / 100;
    return {.max_hubs = max_hubs,
            .min_count = std::max<offset_t>(div_up(copied, tuning.gather_bytes), 2),
            .min_nonzeros = tuning.min_nonzeros};
}

}  // namespace tilespmv::cuda
