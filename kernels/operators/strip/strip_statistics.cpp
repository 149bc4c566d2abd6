#include "kernels/operators/strip/strip_statistics.hpp"

#include <bit>

#include "kernels/operators/csr16/csr16.hpp"
#include "kernels/operators/strip/rank_strips.hpp"
#include "kernels/operators/strip/strip.hpp"

namespace tilespmv {
namespace {

StripKind kind_of(const StripRun& run) {
    if (run.slots == 0) return StripKind::empty;
    if (run.groups_log2 != 0) return StripKind::two_groups;
    if (run.shared != 0) return StripKind::one_pattern;
    return run.strips == 1 ? StripKind::single : StripKind::own_patterns;
}

offset_t nonzeros_of_pattern(const Strips& s, const StripRun& run, std::uint32_t i) {
    const std::size_t first = std::size_t{run.quad_of(i)} * kRowPairs;
    offset_t nonzeros = 0;
    for (std::size_t k = 0; k < std::size_t{run.quads()} * kRowPairs; ++k)
        nonzeros += std::popcount(s.masks[first + k]);
    return nonzeros;
}

offset_t nonzeros_of(const Strips& s, const StripRun& run) {
    if (run.shared != 0) return nonzeros_of_pattern(s, run, 0) * run.strips;
    offset_t nonzeros = 0;
    for (std::uint32_t i = 0; i < run.strips; ++i) nonzeros += nonzeros_of_pattern(s, run, i);
    return nonzeros;
}

/// `is_repeated`: it shares the pattern of the run before.
StripKindStatistics statistics_of(const Strips& s, const StripRun& run, bool is_repeated) {
    constexpr std::size_t quad_bytes = kQuad * sizeof(std::int32_t) + kTileSize * sizeof(std::uint16_t) + kRowPairs;
    const offset_t patterns = run.shared == 0 ? run.strips : is_repeated ? 0 : 1;
    const offset_t slots = offset_t{run.slots} * run.strips;
    const offset_t nonzeros = nonzeros_of(s, run);
    return {.tile_rows = run.strips,
            .runs = 1,
            .slots = slots,
            .nnz = nonzeros,
            .holes = slots * kTileSize - nonzeros,
            .column_bytes = static_cast<offset_t>(sizeof(StripRun) + run.strips * sizeof(std::uint32_t)) +
                            patterns * run.quads() * static_cast<offset_t>(quad_bytes),
            .value_bytes = slots * kTileSize * s.value_bytes};
}

template <Value V>
StripKindStatistics statistics_of_ranks(const cuda::RankStrips& s) {
    StripKindStatistics ranks{.tile_rows = static_cast<offset_t>(s.tile_rows.size()),
                              .runs = static_cast<offset_t>(s.runs.size()),
                              .slots = s.slots,
                              .nnz = s.nonzeros,
                              .holes = s.slots * kTileSize - s.nonzeros,
                              .value_bytes = s.slots * kTileSize * static_cast<offset_t>(sizeof(V))};
    ranks.column_bytes = static_cast<offset_t>(s.bytes(sizeof(V))) - ranks.value_bytes;
    return ranks;
}

/// `ranges`: what neither kind of strips holds.
template <Value V>
StripKindStatistics statistics_of_csr16(const StripMatrix<V>& m, const std::vector<RowRange>& ranges) {
    StripKindStatistics rest;
    const auto csr16 = cuda::make_csr16(m.rest, ranges, cuda::csr16_limits(m.nnz, measured_gpu(sizeof(V))));
    for (const auto range : ranges) rest.tile_rows += div_up(range.end - range.first, kTileSize);
    rest.runs = static_cast<offset_t>(csr16.blocks.size());
    rest.nnz = csr16.nonzeros;
    rest.value_bytes = csr16.nonzeros * static_cast<offset_t>(sizeof(V));
    rest.column_bytes = static_cast<offset_t>(csr16.bytes(sizeof(V))) - rest.value_bytes;
    return rest;
}

}  // namespace

StripKindStatistics& StripKindStatistics::operator+=(const StripKindStatistics& other) {
    tile_rows += other.tile_rows;
    runs += other.runs;
    slots += other.slots;
    nnz += other.nnz;
    holes += other.holes;
    column_bytes += other.column_bytes;
    value_bytes += other.value_bytes;
    return *this;
}

StripKindStatistics StripStatistics::all() const {
    StripKindStatistics sum;
    for (const auto& kind : kinds) sum += kind;
    return sum;
}

template <Value V>
StripStatistics strip_statistics(const StripMatrix<V>& m) {
    validate_sizes(m);
    StripStatistics statistics;
    const StripRun* before = nullptr;
    for (const StripRun& run : m.strips.runs) {
        const bool is_repeated = before != nullptr && repeats_pattern(*before, run);
        statistics.kinds[static_cast<std::size_t>(kind_of(run))] += statistics_of(m.strips, run, is_repeated);
        before = &run;
    }
    const auto limits = strip_limits(m.rows, m.nnz, sizeof(V), measured_gpu(sizeof(V)));
    const cuda::RankStrips ranks = cuda::make_rank_strips(m.rest, m.strips.rest, limits);
    statistics.kinds[static_cast<std::size_t>(StripKind::rank)] = statistics_of_ranks<V>(ranks);
    statistics.kinds[static_cast<std::size_t>(StripKind::csr16)] = statistics_of_csr16(m, ranks.rest);
    statistics.archive_bytes = static_cast<offset_t>(m.bytes());
    return statistics;
}

#define TILESPMV_INSTANTIATE(V) template StripStatistics strip_statistics(const StripMatrix<V>&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv
