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

/// What rows before `row` weigh.
offset_t weight_before(std::span<const offset_t> row_ptrs, index_t row, const PartitionRule& rule) {
    return row_ptrs[static_cast<std::size_t>(row)] + rule.row_weight * row;
}

/// The multiple of the block, or the last row, before which the weight is nearest to `target`.
index_t nearest_row(std::span<const offset_t> row_ptrs, offset_t target, const PartitionRule& rule) {
    const auto rows = static_cast<index_t>(row_ptrs.size() - 1);
    const auto row_of = [&](std::int64_t block) {
        return static_cast<index_t>(std::min<std::int64_t>(block * rule.block, rows));
    };
    const auto weight = [&](std::int64_t block) { return weight_before(row_ptrs, row_of(block), rule); };
    std::int64_t low = 0;  // the first block before which the weight is at least `target`
    std::int64_t high = div_up(rows, rule.block);
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (weight(middle) < target) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_lower_nearer = low > 0 && target - weight(low - 1) < weight(low) - target;
    return row_of(is_lower_nearer ? low - 1 : low);
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

Partition partition_by_nonzeros(std::span<const offset_t> row_ptrs, int parts, const PartitionRule& rule) {
    require_parts(parts);
    if (rule.block < 1) refuse(fmt::format("blocks of {} rows, expected at least 1", rule.block));
    if (row_ptrs.empty()) refuse("no row pointers, expected one more than rows");
    if (rule.row_weight < 0) refuse(fmt::format("a row weighs {} nonzeros, expected at least 0", rule.row_weight));
    const auto rows = static_cast<index_t>(row_ptrs.size() - 1);
    const offset_t total = weight_before(row_ptrs, rows, rule);
    std::vector<index_t> starts(static_cast<std::size_t>(parts) + 1, 0);
    for (int part = 1; part < parts; ++part) {
        // total / parts * part would lose the remainder, total * part might be too large
        const offset_t target = total / parts * part + total % parts * part / parts;
        starts[static_cast<std::size_t>(part)] = nearest_row(row_ptrs, target, rule);
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

void require_partition(const Partition& partition, index_t rows, int parts, index_t block) {
    if (partition.parts() != parts) {
        refuse(fmt::format("it has {} parts, expected {}, one a rank", partition.parts(), parts));
    }
    if (partition.rows() != rows) refuse(fmt::format("it has {} rows, the matrix has {}", partition.rows(), rows));
    for (int part = 1; part < parts; ++part) {
        const index_t first = partition.first(part);
        if (first % block == 0 || first == rows) continue;
        refuse(fmt::format("part {} starts at row {}, within a block of {}; start parts at multiples of {}", part,
                           first, block, block));
    }
}

}  // namespace tilespmv::multi_gpu
