#include "kernels/multi_gpu/ranked_solver.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tile/error.hpp"

namespace tilespmv::multi_gpu {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error("partition: " + what, ExitCode::usage); }

void require_parts(int parts) {
    if (parts < 1) refuse(fmt::format("{} parts, expected at least 1", parts));
}

/// The row before which the weight is nearest to `target`.
index_t nearest_row(std::span<const offset_t> row_ptrs, offset_t target, offset_t row_weight) {
    const auto weight = [&](index_t row) { return row_ptrs[static_cast<std::size_t>(row)] + row_weight * row; };
    index_t low = 0;  // the first row before which the weight is at least `target`
    auto high = static_cast<index_t>(row_ptrs.size() - 1);
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (weight(middle) < target) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_lower_nearer = low > 0 && target - weight(low - 1) < weight(low) - target;
    return is_lower_nearer ? low - 1 : low;
}

}  // namespace

Partition::Partition(std::vector<index_t> starts) : starts_(std::move(starts)) {
    if (starts_.size() < 2) {
        refuse(fmt::format("{} starts, expected one for each part and the number of rows", starts_.size()));
    }
    if (starts_.front() != 0) refuse(fmt::format("part 0 starts at row {}, expected 0", starts_.front()));
    const auto down = std::ranges::is_sorted_until(starts_);
    if (down == starts_.end()) return;
    const auto part = down - starts_.begin();
    refuse(fmt::format("part {} ends at row {}, before its start {}", part - 1, *down, down[-1]));
}

int Partition::owner(index_t row) const {
    return static_cast<int>(std::ranges::upper_bound(starts_, row) - starts_.begin()) - 1;
}

Partition partition_by_nonzeros(std::span<const offset_t> row_ptrs, int parts, offset_t row_weight) {
    require_parts(parts);
    if (row_ptrs.empty()) refuse("no row pointers, expected one more than rows");
    if (row_weight < 0) refuse(fmt::format("a row weighs {} nonzeros, expected at least 0", row_weight));
    const auto rows = static_cast<index_t>(row_ptrs.size() - 1);
    const offset_t total = row_ptrs.back() + row_weight * rows;
    std::vector<index_t> starts(static_cast<std::size_t>(parts) + 1, 0);
    for (int part = 1; part < parts; ++part) {
        // total / parts * part would lose the remainder, total * part might be too large
        const offset_t target = total / parts * part + total % parts * part / parts;
        starts[static_cast<std::size_t>(part)] = nearest_row(row_ptrs, target, row_weight);
    }
    starts.back() = rows;
    return Partition(std::move(starts));
}

Partition partition_evenly(index_t rows, int parts) {
    require_parts(parts);
    std::vector<index_t> starts;
    for (std::int64_t part = 0; part <= parts; ++part) starts.push_back(static_cast<index_t>(rows * part / parts));
    return Partition(std::move(starts));
}

void require_partition(const Partition& partition, index_t rows, int parts) {
    if (partition.parts() != parts) {
        refuse(fmt::format("it has {} parts, expected {}, one a rank", partition.parts(), parts));
    }
    if (partition.rows() != rows) refuse(fmt::format("it has {} rows, the matrix has {}", partition.rows(), rows));
}

}  // namespace tilespmv::multi_gpu
