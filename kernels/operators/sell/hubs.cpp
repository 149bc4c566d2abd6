#include "kernels/operators/sell/hubs.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <omp.h>

#include "selector/x_access.hpp"
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
    ColumnCounter(const ColumnRanges& stretches, index_t cols) : stretches_(stretches), cols_(cols) {}

    /// The columns with counted nonzeros, in ascending order.
    [[nodiscard]] std::vector<Column> columns() const {
        const std::int64_t width = std::max<std::int64_t>(div_up(cols_, omp_get_max_threads()), kLeastSlice);
        std::vector<std::vector<Column>> found(static_cast<std::size_t>(div_up(cols_, width)));
        parallel_for(0, static_cast<std::int64_t>(found.size()), 1, [&](std::int64_t i) {
            found[static_cast<std::size_t>(i)] = count(i * width, std::min<std::int64_t>((i + 1) * width, cols_));
        });
        std::vector<Column> all;
        for (const auto& slice : found) all.insert(all.end(), slice.begin(), slice.end());
        return all;
    }

private:
    static constexpr std::int64_t kLeastSlice = 1024;  // columns

    [[nodiscard]] std::vector<Column> count(std::int64_t first, std::int64_t end) const {
        const auto size = static_cast<std::uint64_t>(end - first);
        std::vector<std::uint32_t> counts(size, 0);
        for (const auto& stretch : stretches_) {
            for (const index_t column : stretch) {
                const auto at = static_cast<std::uint64_t>(column - first);
                if (at < size) ++counts[at];
            }
        }
        std::vector<Column> found;
        for (std::uint64_t i = 0; i < size; ++i) {
            if (counts[i] == 0) continue;
            found.push_back({counts[i], static_cast<index_t>(first + static_cast<offset_t>(i))});
        }
        return found;
    }

    const ColumnRanges& stretches_;
    index_t cols_;
};

/// The first `count` by descending count, in the order that they have among those of the same count.
void keep_most_frequent(std::vector<Column>& columns, std::size_t count) {
    const auto most = std::ranges::max(columns, {}, &Column::count).count;
    std::vector<std::size_t> starts(std::size_t{most} + 2, 0);  // of the columns with most - i nonzeros at i
    for (const Column& column : columns) ++starts[most - column.count + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<Column> kept(std::min(count, columns.size()));
    for (const Column& column : columns) {
        const std::size_t at = starts[most - column.count]++;
        if (at < kept.size()) kept[at] = column;
    }
    columns = std::move(kept);
}

}  // namespace

bool may_have_hubs(offset_t nnz, index_t cols, std::size_t value_bytes, const HubTuning& tuning) {
    const bool is_near = static_cast<std::size_t>(cols) * value_bytes <= tuning.near_bytes;
    return !is_near && tuning.max_hubs > 0 && nnz >= tuning.min_nonzeros;
}

HubSample hub_sample(std::span<const index_t> col_idxs, const HubTuning& tuning) {
    constexpr offset_t kStretch = 64;  // neighbours that are counted together
    const auto nnz = static_cast<offset_t>(col_idxs.size());
    const offset_t step =
        nnz <= tuning.sampled ? kStretch : std::max(nnz / std::max<offset_t>(tuning.sampled / kStretch, 1), kStretch);
    HubSample sample{
        nnz, {}, static_cast<double>(step) / static_cast<double>(kStretch), cpu::scattered_samples(col_idxs)};
    if (step == kStretch) {
        sample.stretches.push_back(col_idxs);
        return sample;
    }
    for (offset_t first = 0; first < nnz; first += step) {
        sample.stretches.push_back(col_idxs.subspan(static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(std::min(kStretch, nnz - first))));
    }
    return sample;
}

Buffer<index_t> choose_hubs(const HubSample& sample, index_t cols, std::size_t value_bytes, const HubTuning& tuning) {
    if (!may_have_hubs(sample.nnz, cols, value_bytes, tuning)) return {};
    if (cpu::scattered_share(sample.scattered, value_bytes) < tuning.min_scattered) return {};
    auto columns = ColumnCounter(sample.stretches, cols).columns();
    if (columns.empty()) return {};
    keep_most_frequent(columns, static_cast<std::size_t>(tuning.max_hubs));
    double nonzeros = 0;
    for (const Column& column : columns) nonzeros += column.count * sample.scale;
    const double least =
        std::max(static_cast<double>(tuning.min_nonzeros), tuning.min_share * static_cast<double>(sample.nnz));
    if (nonzeros < least) return {};
    Buffer<index_t> hubs(columns.size());
    std::ranges::transform(columns, hubs.begin(), &Column::column);
    return hubs;
}

Buffer<index_t> choose_hubs(std::span<const index_t> col_idxs, index_t cols, std::size_t value_bytes,
                            const HubTuning& tuning) {
    return choose_hubs(hub_sample(col_idxs, tuning), cols, value_bytes, tuning);
}

}  // namespace tilespmv::cuda
