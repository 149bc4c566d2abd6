#include "kernels/operators/strip/strip_statistics.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "kernels/operators/csr16/csr16.hpp"
#include "kernels/operators/strip/rank_strips.hpp"
#include "kernels/operators/strip/strip_matrix.hpp"
#include "tests/support/strip_sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

constexpr offset_t kRun = 16;
constexpr offset_t kQuadBytes = 16 + 32 + 8;

TEST(StripStatistics, SayWhatEveryKindTakes) {
    const auto m = strip_sample();
    const auto s = strip_statistics(m);
    // Four tile rows of five full slots, one pattern in two quads.
    EXPECT_EQ(s.of(StripKind::one_pattern), (StripKindStatistics{.tile_rows = 4,
                                                                 .runs = 1,
                                                                 .slots = 20,
                                                                 .nnz = 320,
                                                                 .column_bytes = kRun + 4 * 4 + 2 * kQuadBytes,
                                                                 .value_bytes = 20 * 16 * 8}));
    const auto& rest = s.of(StripKind::csr16);
    EXPECT_EQ(rest.tile_rows, 1);
    EXPECT_EQ(rest.nnz, m.rest.nnz());
    EXPECT_EQ(rest.value_bytes, rest.nnz * 8);
    EXPECT_EQ(rest.slots + rest.holes, 0);
    EXPECT_EQ(s.archive_bytes, static_cast<offset_t>(m.bytes()));
}

/// 16 rows each: a full diagonal, one without its last row, nothing, 40 slots.
CsrMatrix<double> a_strip_of_each_kind() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < 16; ++r) positions.insert({r, r});
    for (index_t r = 16; r < 31; ++r) {
        positions.insert({r, r});
        positions.insert({r, r + 100});
    }
    for (index_t r = 48; r < 64; ++r) {
        for (index_t k = 0; k < 40; ++k) positions.insert({r, k * 16});
    }
    return matrix_of(64, 640, positions);
}

TEST(StripStatistics, TellKindsApart) {
    const auto m = make_strip_matrix(a_strip_of_each_kind(), {.most_bytes = 1000});
    const auto s = strip_statistics(m);
    EXPECT_EQ(s.of(StripKind::single), (StripKindStatistics{.tile_rows = 2,
                                                            .runs = 2,
                                                            .slots = 1 + 2,
                                                            .nnz = 16 + 30,
                                                            .holes = 2,
                                                            .column_bytes = 2 * (kRun + 4 + kQuadBytes),
                                                            .value_bytes = 3 * 16 * 8}));
    EXPECT_EQ(s.of(StripKind::empty), (StripKindStatistics{.tile_rows = 1, .runs = 1, .column_bytes = kRun + 4}));
    EXPECT_EQ(s.of(StripKind::two_groups), (StripKindStatistics{.tile_rows = 1,
                                                                .runs = 1,
                                                                .slots = 40,
                                                                .nnz = 640,
                                                                .column_bytes = kRun + 4 + 10 * kQuadBytes,
                                                                .value_bytes = 640 * 8}));
}

/// What all kinds take together is what the matrix and its row blocks take.
template <Value V>
void expect_complete(const CsrMatrix<V>& a) {
    for (const double most_bytes : {1.0, 1000.0}) {
        const auto m = make_strip_matrix(a, most_bytes);
        const auto all = strip_statistics(m).all();
        const auto gpu = measured_gpu(sizeof(V));
        const auto ranks = cuda::make_rank_strips(m.rest, m.strips.rest, strip_limits(a.rows, a.nnz(), sizeof(V), gpu));
        const auto csr16 = make_csr16(m.rest, ranks.rest, cuda::csr16_limits(a.nnz(), gpu));
        EXPECT_EQ(all.tile_rows, div_up(a.rows, kTileSize));
        EXPECT_EQ(all.nnz, a.nnz());
        EXPECT_EQ(all.slots, m.strips.slots + ranks.slots);
        EXPECT_EQ(all.holes, all.slots * kTileSize - m.strips.nonzeros - ranks.nonzeros);
        EXPECT_EQ(all.bytes(),
                  static_cast<offset_t>(m.strips.bytes() + ranks.bytes(sizeof(V)) + csr16.bytes(sizeof(V))));
    }
}

TEST(StripStatistics, CountEverythingOnce) {
    for (const auto& [name, a] : matrix_battery()) {
        SCOPED_TRACE(name);
        expect_complete(a);
        expect_complete(convert_values<float>(a));
        expect_complete(convert_values<Half>(a));
    }
    expect_complete(strips_beside_others());
    expect_complete(generate<double>("stencil27:n=20"));  // runs that share a pattern with the run before
    expect_complete(generate<float>("laplace2d:n=200"));
}

TEST(StripStatistics, CountWhatIsFilledByRank) {
    const auto a = generate<double>("fem:n=26,dof=1,jitter=1");
    expect_complete(a);
    const auto ranks = strip_statistics(make_strip_matrix(a, 1)).of(StripKind::rank);
    EXPECT_GT(ranks.nnz, a.nnz() / 2);
    EXPECT_EQ(ranks.nnz + ranks.holes, ranks.slots * kTileSize);
}

}  // namespace
}  // namespace tilespmv::testing
