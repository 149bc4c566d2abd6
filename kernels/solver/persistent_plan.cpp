#include "kernels/solver/persistent_plan.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <ranges>

#include <fmt/format.h>

namespace tilespmv::solver {
namespace {

/// As many as the threads of a block allow for its rows, but not more than half as many as a mean row has nonzeros.
int row_threads(const PersistentPlan& plan, double mean_length, int most) {
    const int wanted = std::max(1, static_cast<int>(mean_length / 2));
    const int room = std::max(1, plan.threads / std::max<index_t>(1, plan.most_rows));
    const int by_length = static_cast<int>(std::bit_ceil(static_cast<unsigned>(wanted)));
    // Long rows need several threads even where those have several rows each.
    const int by_room = static_cast<int>(std::bit_ceil(static_cast<unsigned>(room)));
    const int least = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1.0, mean_length / 8))));
    return std::clamp(std::min(by_length, std::max(by_room, least)), 1, most);
}

void take_blocks(PersistentPlan& plan, const std::vector<RowStart>& starts) {
    for (std::size_t block = 0; block < starts.size(); ++block) {
        plan.first_rows.push_back(starts[block].row);
        if (block == 0) continue;
        plan.most_rows = std::max(plan.most_rows, starts[block].row - starts[block - 1].row);
        plan.most_nonzeros = std::max(plan.most_nonzeros, starts[block].nonzeros - starts[block - 1].nonzeros);
    }
}

/// Whether its vectors fit; A, too, if there is room.
bool fits(PersistentPlan& plan, std::size_t value_bytes, std::size_t limit) {
    const auto kept = static_cast<std::size_t>(plan.most_rows);
    // Each array begins at a multiple of 16 bytes.
    const std::size_t vectors = kKeptVectors * kept * value_bytes + (kept + 1) * sizeof(std::int32_t) + 256;
    const std::size_t matrix = static_cast<std::size_t>(plan.most_nonzeros) * (value_bytes + sizeof(index_t));
    if (vectors > limit) return false;
    plan.keeps_matrix = vectors + matrix <= limit;
    plan.shared_bytes = vectors + (plan.keeps_matrix ? matrix : 0);
    return true;
}

}  // namespace

std::string PersistentPlan::describe() const {
    return fmt::format("a grid of {} thread blocks{}", blocks(), keeps_matrix ? ", A in shared memory" : "");
}

std::vector<RowStart> even_rows(const Buffer<offset_t>& row_ptrs, int blocks, double row_cost) {
    const auto all = static_cast<index_t>(row_ptrs.size()) - 1;
    const auto rows = std::views::iota(index_t{0}, all);
    const auto before = [&](index_t row) {
        return static_cast<double>(row_ptrs[static_cast<std::size_t>(row)]) + row_cost * row;
    };
    std::vector<RowStart> starts;
    for (int i = 0; i <= blocks; ++i) {
        const double wanted = before(all) * i / blocks;
        const auto at = std::ranges::partition_point(rows, [&](index_t row) { return before(row) < wanted; });
        const auto row = i == blocks ? all : static_cast<index_t>(at - rows.begin());
        starts.push_back({row, row_ptrs[static_cast<std::size_t>(row)]});
    }
    return starts;
}

bool has_persistent_size(index_t rows, offset_t nonzeros, const PersistentTuning& tuning) {
    const bool is_large = rows > tuning.most_rows || nonzeros > tuning.most_nonzeros;
    const bool is_small = rows < tuning.least_rows && nonzeros < tuning.least_nonzeros;
    return !is_large && !is_small;
}

std::optional<PersistentPlan> plan_persistent(index_t rows, offset_t nonzeros, const DivideRows& divide,
                                              std::size_t value_bytes, const PersistentLimits& limits, bool any_size,
                                              const PersistentTuning& tuning) {
    if (!any_size && !has_persistent_size(rows, nonzeros, tuning)) return {};
    if (rows == 0 || limits.multiprocessors == 0 || nonzeros > std::numeric_limits<std::int32_t>::max()) return {};
    PersistentPlan plan;
    plan.threads = tuning.threads;
    const auto wanted = static_cast<int>(div_up(rows, tuning.least_block_rows));
    take_blocks(plan, divide(std::min({limits.multiprocessors, wanted, kMostTeamBlocks}), tuning.row_cost));
    if (!fits(plan, value_bytes, limits.shared_bytes)) return {};
    plan.row_threads = row_threads(plan, static_cast<double>(nonzeros) / rows, tuning.most_row_threads);
    return plan;
}

}  // namespace tilespmv::solver
