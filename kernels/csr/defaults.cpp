#include "kernels/csr/defaults.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::cuda {
namespace {

/// The smallest group of threads, up to a warp, for which a round of `products` a thread holds 8/7 of as many mean
/// rows.
int smallest_group(index_t rows, offset_t nnz, int products) {
    int group = 1;
    while (group < 32 && 8 * nnz > offset_t{7} * products * group * rows) group *= 2;
    return group;
}

RowLengths no_rows() {
    RowLengths lengths;
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i].threads = 2 << i;
    return lengths;
}

RowLengths lengths_of(std::span<const offset_t> row_ptrs, int flight) {
    RowLengths lengths = no_rows();
    for (std::size_t row = 0; row + 1 < row_ptrs.size(); ++row) {
        const offset_t length = row_ptrs[row + 1] - row_ptrs[row];
        for (RowRounds& of : lengths) {
            const int nonzeros = of.threads * flight;
            const int log2 = std::countr_zero(static_cast<unsigned>(nonzeros));
            const offset_t rounds = std::max<offset_t>((length + nonzeros - 1) >> log2, 1);
            of.all += rounds;
            of.longest = std::max(of.longest, rounds);
        }
    }
    return lengths;
}

/// Time of a product, in a 64th of what a warp of one row keeps a GPU busy with a round.
offset_t time_of(const RowRounds& rounds) {
    constexpr offset_t requests = 32;          // of a round, where a lane takes 1
    constexpr offset_t rounds_at_once = 3000;  // full ones that a large GPU finishes in the time that one takes
    constexpr offset_t waiting = rounds_at_once * (requests + 32);
    return rounds.all * (requests + rounds.threads) + rounds.longest * waiting;
}

}  // namespace

int threads_of_mean_row(index_t rows, offset_t nnz) {
    int threads = 2;
    while (threads < 32 && nnz > offset_t{rows} * threads) threads *= 2;
    return threads;
}

RowLengths row_lengths(std::span<const offset_t> row_ptrs, int flight) {
    constexpr std::int64_t grain = 1 << 16;
    const auto rows = static_cast<std::int64_t>(row_ptrs.size()) - 1;
    std::vector<RowLengths> ranges(static_cast<std::size_t>(div_up(rows, grain)));
    parallel_ranges(0, rows, grain, [&](std::int64_t first, std::int64_t end) {
        const auto size = static_cast<std::size_t>(end - first) + 1;
        ranges[static_cast<std::size_t>(first / grain)] =
            lengths_of(row_ptrs.subspan(static_cast<std::size_t>(first), size), flight);
    });
    RowLengths lengths = no_rows();
    for (const RowLengths& range : ranges) {
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            lengths[i].all += range[i].all;
            lengths[i].longest = std::max(lengths[i].longest, range[i].longest);
        }
    }
    return lengths;
}

int threads_per_row(const RowLengths& lengths) { return std::ranges::min_element(lengths, {}, time_of)->threads; }

VectorShape vector_shape(Options& options, std::span<const offset_t> row_ptrs) {
    VectorShape shape;
    shape.threads = options.one_of("threads", 0, {2, 4, 8, 16, 32});
    const std::string rule = options.word("rule", "");
    shape.flight = options.one_of("flight", 4, {1, 4});
    options.finish();
    if (!rule.empty() && rule != "mean" && rule != "rows") {
        options.fail(fmt::format("rule={}, expected mean or rows", rule));
    }
    if (!rule.empty() && shape.threads > 0) options.fail("threads are either given or chosen by a rule");
    if (shape.threads > 0) return shape;
    const auto rows = static_cast<index_t>(row_ptrs.size() - 1);
    shape.threads = rule == "mean" ? threads_of_mean_row(rows, row_ptrs.back())
                                   : threads_per_row(row_lengths(row_ptrs, shape.flight));
    return shape;
}

MultiroundShape multiround_shape(Options& options, index_t rows, offset_t nnz) {
    MultiroundShape shape;
    shape.rows = static_cast<int>(options.whole("rows", 0, 1, kMultiroundMaxThreads));
    shape.threads = options.one_of("threads", 0, {64, 128, 256, kMultiroundMaxThreads});
    shape.products = options.one_of("products", 8, {1, 2, 4, 8});
    shape.group = options.one_of("group", 0, {1, 2, 4, 8, 16, 32, 64, 128, 256, kMultiroundMaxThreads});
    options.finish();
    if (shape.threads == 0) shape.threads = std::max(shape.group, 256);
    if (shape.group == 0) {
        shape.group = smallest_group(rows, nnz, shape.products);
        while (shape.group > 1 && shape.rows * shape.group > shape.threads) shape.group /= 2;
    }
    if (shape.rows == 0) shape.rows = std::max(shape.threads / shape.group, 1);
    if (shape.rows * shape.group > shape.threads) {
        throw Error(fmt::format("csr-multiround: {} rows of a block with {} threads each need {} threads, it has {}",
                                shape.rows, shape.group, shape.rows * shape.group, shape.threads),
                    ExitCode::usage);
    }
    return shape;
}

}  // namespace tilespmv::cuda
