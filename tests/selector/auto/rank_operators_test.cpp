#include "selector/auto/rank_operators.hpp"

#include <algorithm>
#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "selector/auto/features_of.hpp"
#include "selector/work_sizes.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

using test::message_of;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// 1000 rows of 10 nonzeros.
MatrixFeatures even_matrix() {
    MatrixFeatures f;
    f.rows = f.cols = 1000;
    f.nnz = 10'000;
    f.mean_row = 10;
    f.longest_row = 10;
    f.x_sectors = 0.5;
    f.tile_nonzeros = 20;
    return f;
}

double twelve_bytes(const MatrixFeatures& f) { return 12 * static_cast<double>(f.nnz); }
bool never(const MatrixFeatures&) { return false; }

constexpr std::array kCandidates{
    Candidate{.name = "slow", .matrix_bytes = twelve_bytes},
    Candidate{.name = "fast", .is_made_from_tiles = true, .matrix_bytes = twelve_bytes},
    Candidate{.name = "slowest", .options = "option=1", .matrix_bytes = twelve_bytes},
    Candidate{.name = "unsuited", .matrix_bytes = twelve_bytes, .suits = never},
};
/// slow: 1 s in any case, 1 ms a sector; ready after 2 s. fast: 1 ms a row; ready after 1 ms a nonzero, 10 ms a tile.
constexpr std::array kCosts{
    Cost{"slow", 8, {1, 0, 0, 1e-3, 0, 0}, {2, 0, 0, 0}},
    Cost{"fast", 8, {0, 0, 0, 0, 1e-3, 0}, {0, 1e-3, 0, 1e-2}},
    Cost{"slowest", 8, {9, 0, 0, 0, 0, 0}, {9, 0, 0, 0}},
    Cost{"fast", 4, {0, 0, 0, 0, 1e-4, 0}, {0, 1e-3, 0, 1e-2}},
};
const CostTable kTable{"test machine", "nowhere", kCandidates, kCosts};

std::vector<std::string> names(const std::vector<RankedOperator>& ranked) {
    std::vector<std::string> all;
    for (const auto& one : ranked) all.push_back(one.specification);
    return all;
}

OperatorQuestion question(offset_t products = 0) {
    return {.features = even_matrix(), .gpu = {}, .threads = 2, .products = products};
}

TEST(RankOperators, AddsTheTermsOfACandidate) {
    const auto ranked = rank_operators(question(), kTable);
    ASSERT_THAT(names(ranked), ElementsAre("fast", "slow", "slowest:option=1")) << "without what does not suit";
    EXPECT_DOUBLE_EQ(ranked[0].seconds, 1);
    EXPECT_DOUBLE_EQ(ranked[0].preparation_seconds, 10 + 5);
    EXPECT_DOUBLE_EQ(ranked[1].seconds, 1 + 5);
    EXPECT_DOUBLE_EQ(ranked[1].preparation_seconds, 2);
    EXPECT_DOUBLE_EQ(ranked[1].matrix_bytes, 120'000);
    EXPECT_EQ(why(ranked[1], question().features.nnz),
              "12.0 bytes a nonzero; 83% of the time for gathers of x from caches");
}

TEST(RankOperators, ExpectedProductsDecideWhetherPreparationPays) {
    const auto ranked = rank_operators(question(), kTable);
    EXPECT_EQ(pays_after(ranked[0], ranked[1]), 3) << "13 s over 5 s a product";
    EXPECT_EQ(pays_after(ranked[1], ranked[0]), 0);
    EXPECT_THAT(names(rank_operators(question(2), kTable)), ElementsAre("slow", "fast", _));
    EXPECT_THAT(names(rank_operators(question(3), kTable)), ElementsAre("fast", "slow", _));
    auto never_faster = ranked[0];
    never_faster.seconds = 7;
    EXPECT_LT(pays_after(never_faster, ranked[1]), 0);
}

TEST(RankOperators, TilesThatAreThereNeedNoPreparation) {
    auto with_tiles = question(1);
    with_tiles.has_tiles = true;
    const auto ranked = rank_operators(with_tiles, kTable);
    EXPECT_EQ(ranked.front().specification, "fast");
    EXPECT_EQ(ranked.front().preparation_seconds, 0);
}

TEST(RankOperators, ThreadsScaleTimesAlike) {
    auto eight = question(2);
    eight.threads = 8;
    const auto two = rank_operators(question(2), kTable);
    const auto ranked = rank_operators(eight, kTable);
    EXPECT_EQ(names(ranked), names(two));
    EXPECT_DOUBLE_EQ(ranked[0].total_seconds(2), two[0].total_seconds(2) / 4);
}

TEST(RankOperators, TakesTheCostsOfTheNearestSizeOfValues) {
    auto narrow = question();
    narrow.features.value_bytes = 2;
    EXPECT_DOUBLE_EQ(rank_operators(narrow, kTable).front().seconds, 0.1);
    EXPECT_EQ(cost_of(kTable, "fast", {8, 8}).seconds[4], 1e-3);
    EXPECT_EQ(cost_of(kTable, "slow", {2, 4}).value_bytes, 8);
    EXPECT_EQ(message_of([] {
                  (void)cost_of(kTable, "unsuited", {8, 8});
              }),
              "1: no costs of operator unsuited on test machine: add them to choice.cpp of its folder");
}

TEST(RankOperators, EveryCandidateHasCosts) {
    for (const auto* table : {&gpu_costs(), &cpu_costs(), &cpu_costs(4)}) {
        for (const auto& candidate : table->candidates) {
            const Cost& cost = cost_of(*table, candidate.name, {8, 8});
            EXPECT_GT(*std::ranges::max_element(cost.seconds), 0) << candidate.name;
            EXPECT_GT(*std::ranges::max_element(cost.preparation), 0) << candidate.name;
        }
    }
}

template <Value V = double>
std::vector<RankedOperator> ranked_for(const char* generator, bool on_gpu, offset_t products = 0) {
    OperatorQuestion q{.features = features_of(pattern_of(generate<V>(generator))), .products = products};
    if (on_gpu) q.gpu = measured_gpu(sizeof(V));
    return rank_operators(q);
}

TEST(RankOperators, PredictsByTheVectorsOfTheCpu) {
    const auto features = features_of(pattern_of(generate<double>("dense:rows=512,cols=512")));
    const auto seconds_of = [&](const char* name, int lanes) {
        const auto ranked = rank_operators({.features = features, .lanes = lanes});
        return std::ranges::find(ranked, name, &RankedOperator::specification)->seconds;
    };
    EXPECT_DOUBLE_EQ(seconds_of("tile-omp", 4), 2.6 * seconds_of("tile-omp", 8)) << "as measured with AVX2";
    EXPECT_EQ(seconds_of("tile-omp", 2), seconds_of("tile-omp", 4)) << "nothing of its own was measured";
    EXPECT_DOUBLE_EQ(seconds_of("csr-omp", 4), 1.25 * seconds_of("csr-omp", 8));
}

TEST(RankOperators, ChoosesAsWasMeasuredOnTheH200) {
    const auto chosen = [](const char* generator) { return ranked_for(generator, true).front().specification; };
    EXPECT_EQ(chosen("stencil27:n=40"), "strip") << "whatever auto takes takes new values";
    EXPECT_EQ(chosen("fem:n=24,dof=6"), "csr-inode");
    EXPECT_EQ(chosen("fem:n=24,dof=3,jitter=1"), "csr-inode") << "columns that no slot holds together";
    EXPECT_EQ(chosen("delaunay:n=200000"), "sell");
    EXPECT_EQ(chosen("dense:rows=600,cols=1000"), "sell") << "several warps of a block share a row";
    EXPECT_EQ(chosen("kronecker:scale=17,degree=10"), "sell");
    EXPECT_EQ(chosen("uniform:n=100000,per_row=4"), "ell") << "a thread a row, for short and even rows";
    EXPECT_EQ(chosen("fem:n=36,dof=1,jitter=1"), "sell");
    EXPECT_NE(chosen("uniform:n=10000,per_row=64"), "ell") << "a thread waits for 64 nonzeros";
    EXPECT_EQ(chosen("road-like:n=400,chain=3"), "csr-scalar");
    EXPECT_NE(chosen("road-like:n=200,chain=2"), "csr-scalar") << "a road in the cache";
    EXPECT_EQ(chosen("hypersparse:n=600000,nnz=90000"), "sell") << "one bit for an empty row";
    EXPECT_EQ(chosen("laplace2d:n=700"), "dia");
    EXPECT_NE(chosen("banded:n=700,half=100"), "dia") << "26 groups of diagonals wait for each other";
    EXPECT_EQ(chosen("laplace3d:n=50"), "dia");
    EXPECT_EQ(chosen("qcd:n=8"), "strip") << "many diagonals, of few nonzeros each";
    EXPECT_EQ(chosen("arrow:n=211984,width=3,half=6"), "sell") << "several blocks share each of three long rows";
    const auto arrow = ranked_for("arrow:n=200000", true);
    for (const auto* name : {"csr-vector", "strip", "ell"}) {
        EXPECT_EQ(std::ranges::count(arrow, name, &RankedOperator::specification), 0)
            << name << " does not suit a row of 200,000 nonzeros";
    }
}

TEST(RankOperators, AThreadARowIsForRoads) {
    OperatorQuestion q{.features = features_of(pattern_of(generate<double>("road-like:n=400,chain=3"))),
                       .gpu = measured_gpu(sizeof(double))};
    const auto is_ranked = [&] {
        return std::ranges::count(rank_operators(q), "csr-scalar", &RankedOperator::specification) == 1;
    };
    for (const double mean : {0.59, 1.0, 1.5, 4.0}) {
        q.features.mean_row = mean;
        EXPECT_TRUE(is_ranked()) << mean;
    }
    for (const double mean : {0.6, 0.99, 4.01}) {
        q.features.mean_row = mean;
        EXPECT_FALSE(is_ranked()) << mean;
    }
    q.features.mean_row = 2;
    q.features.longest_row = 9;
    EXPECT_FALSE(is_ranked());
    q.features.longest_row = 8;
    q.features.nnz = 999'999;
    EXPECT_FALSE(is_ranked());
    q.features.nnz = 1'000'000;
    EXPECT_TRUE(is_ranked());
    q.features.mean_row = 0.5;
    q.features.value_bytes = 4;
    EXPECT_FALSE(is_ranked()) << "a row without nonzeros costs others little";
}

/// Of values of a size, as if `generator` had `times` the rows and nonzeros.
std::vector<RankedOperator> ranked_on_gpu(const char* generator, int times, std::size_t value_bytes) {
    PatternView pattern;
    const auto a = generate<double>(generator);
    pattern = pattern_of(a);
    pattern.value_bytes = value_bytes;
    OperatorQuestion q{.features = features_of(pattern), .gpu = Gpu{132, 64, tuning_for(90, value_bytes)}};
    q.features.rows *= times;
    q.features.cols *= times;
    q.features.nnz *= times;
    return rank_operators(q);
}

TEST(RankOperators, KnowsHowLongStripsMayBe) {
    const auto has_strip = [](const char* generator, int times) {
        return std::ranges::count(ranked_on_gpu(generator, times, 8), "strip", &RankedOperator::specification) == 1;
    };
    EXPECT_TRUE(has_strip("dense:rows=1000,cols=500", 20));
    EXPECT_FALSE(has_strip("dense:rows=1000,cols=520", 20));
}

TEST(RankOperators, TakesSlicesOfUnevenRowsAsLongAsTheyFit) {
    const auto takes_sell = [](const char* generator, int times, std::size_t value_bytes) {
        return ranked_on_gpu(generator, times, value_bytes).front().specification == "sell";
    };
    EXPECT_TRUE(takes_sell("rmat:scale=17,degree=16", 1, 8));
    EXPECT_TRUE(takes_sell("rmat:scale=12,degree=16", 1, 8));
    EXPECT_FALSE(takes_sell("arrow:n=50000,width=1,half=0", 1, 8)) << "a row of a third of all nonzeros";
    EXPECT_FALSE(takes_sell("rmat:scale=17,degree=16", 2000, 8))
        << "3.9 x 10^9 nonzeros, of which CSR and slices are held";
    EXPECT_TRUE(takes_sell("hypersparse:n=10000000,nnz=1000000", 1, 4));
    EXPECT_FALSE(takes_sell("hypersparse:n=10000000,nnz=1000000", 1, 8));
}

TEST(RankOperators, CountsTheWaitForOtherBlocksOfALongRow) {
    OperatorQuestion question{.features = features_of(pattern_of(generate<double>("powerlaw:n=100000,degree=10"))),
                              .gpu = measured_gpu(8)};
    const auto seconds_with = [&](offset_t longest_row) {
        question.features.longest_row = longest_row;
        const auto ranked = rank_operators(question);
        const auto sell = std::ranges::find(ranked, "sell", &RankedOperator::specification);
        return sell == ranked.end() ? 0 : sell->seconds;
    };
    const auto& f = question.features;
    const offset_t in_a_block = 2 * 256 * sell_steps_of(f);
    ASSERT_LT(10 * in_a_block, question.features.nnz);
    EXPECT_NEAR(seconds_with(in_a_block + 1) - seconds_with(in_a_block), 1.2e-6, 1e-9);
}

TEST(RankOperators, TakesTilesWhereAllAreFull) {
    constexpr const char* blocks = "block-dense:n=4000,block=16,blocks_per_row=8";
    struct Measured {
        std::size_t value_bytes;
        double seconds;
    };
    for (const auto& [value_bytes, seconds] : {Measured{8, 98.1e-6}, Measured{4, 52.2e-6}, Measured{2, 28.5e-6}}) {
        const auto first = ranked_on_gpu(blocks, 100, value_bytes).front();
        EXPECT_EQ(first.specification, "tile:updatable=1") << value_bytes;
        EXPECT_NEAR(first.seconds, seconds, 0.1 * seconds) << value_bytes;
        EXPECT_NEAR(first.matrix_bytes / 51.2e6, static_cast<double>(value_bytes) + 0.04, 0.01);
    }
    const auto ranked = ranked_on_gpu(blocks, 100, 8);
    const auto csr = std::ranges::find(ranked, "csr-vector", &RankedOperator::specification);
    ASSERT_NE(csr, ranked.end());
    EXPECT_EQ(ranked.front().preparation_seconds, csr->preparation_seconds) << "nothing is converted";
    const auto has_tile = [](const char* generator, int times) {
        return std::ranges::count(ranked_on_gpu(generator, times, 8), "tile:updatable=1",
                                  &RankedOperator::specification) > 0;
    };
    EXPECT_TRUE(has_tile(blocks, 2));
    EXPECT_FALSE(has_tile(blocks, 1)) << "half a million nonzeros";
    EXPECT_FALSE(has_tile("block-dense:n=4008,block=16,blocks_per_row=8", 100)) << "an edge";
    EXPECT_FALSE(has_tile("block-dense:n=4000,block=8,blocks_per_row=16", 100));
    EXPECT_FALSE(has_tile("block-dense:n=4000,block=16,blocks_per_row=3", 100)) << "short tile rows";
}

template <Value V>
std::string chosen_on_cpu(const char* generator, offset_t products = 0) {
    return ranked_for<V>(generator, false, products).front().specification;
}

TEST(RankOperators, ChoosesAsWasMeasuredOnTheCpu) {
    EXPECT_EQ(chosen_on_cpu<double>("laplace2d:n=300"), "strip-omp");
    EXPECT_EQ(chosen_on_cpu<double>("stencil27:n=24"), "strip-omp");
    EXPECT_EQ(chosen_on_cpu<float>("stencil27:n=24"), "strip-omp");
    EXPECT_EQ(chosen_on_cpu<double>("fem:n=8,dof=6"), "strip-omp");
    EXPECT_EQ(chosen_on_cpu<double>("dense:rows=512,cols=512"), "tile-omp");
    EXPECT_EQ(chosen_on_cpu<float>("delaunay:n=20000"), "csr-omp");
    EXPECT_EQ(chosen_on_cpu<double>("uniform:n=20000,per_row=8"), "csr-omp");
    EXPECT_EQ(chosen_on_cpu<double>("uniform:n=20000,per_row=3"), "ell-omp");
    EXPECT_EQ(chosen_on_cpu<float>("uniform:n=20000,per_row=4"), "ell-omp");
    EXPECT_EQ(chosen_on_cpu<double>("rmat:scale=12"), "csr-omp");
    EXPECT_EQ(chosen_on_cpu<float>("rmat:scale=17"), "csr-omp");
}

TEST(RankOperators, PreparesNothingOnTheCpuForOneProduct) {
    for (const char* generator : {"laplace2d:n=300", "fem:n=8,dof=6", "delaunay:n=20000"}) {
        EXPECT_EQ(chosen_on_cpu<double>(generator, 1), "csr-omp") << generator;
        EXPECT_EQ(chosen_on_cpu<double>(generator, 100'000), chosen_on_cpu<double>(generator)) << generator;
    }
}

TEST(RankOperators, PadsOnTheCpuOnlyWhatFitsTheCache) {
    const auto has = [](const char* generator, const char* name) {
        return std::ranges::count(ranked_for(generator, false), name, &RankedOperator::specification) == 1;
    };
    EXPECT_TRUE(has("laplace2d:n=500", "ell-omp")) << "21 MB";
    EXPECT_FALSE(has("laplace2d:n=700", "ell-omp")) << "41 MB";
    EXPECT_TRUE(has("laplace2d:n=700", "strip-omp"));
}

TEST(RankOperators, ConvertsNothingTinyOnTheCpu) {
    EXPECT_EQ(ranked_for("laplace2d:n=31", false).size(), 1U) << "4,681 nonzeros";
    EXPECT_GT(ranked_for("laplace2d:n=33", false).size(), 1U) << "5,313";
}

TEST(RankOperators, TakesOnTheCpuNearlyFullTilesAlone) {
    MatrixFeatures f = even_matrix();
    const auto has_tiles = [&](double tile_nonzeros) {
        f.tile_nonzeros = tile_nonzeros;
        return std::ranges::count(rank_operators({.features = f}), "tile-omp", &RankedOperator::specification) == 1;
    };
    EXPECT_FALSE(has_tiles(191));
    EXPECT_TRUE(has_tiles(192));
}

TEST(RankOperators, PadsShortRowsAloneOnTheCpu) {
    MatrixFeatures f = even_matrix();
    const auto has = [&](const char* name, double mean_row) {
        f.mean_row = mean_row;
        return std::ranges::count(rank_operators({.features = f}), name, &RankedOperator::specification) == 1;
    };
    EXPECT_TRUE(has("ell-omp", 6));
    EXPECT_FALSE(has("ell-omp", 6.1));
    EXPECT_TRUE(has("hyb-omp", 2.5));
    EXPECT_FALSE(has("hyb-omp", 2.6));
}

TEST(RankOperators, TakesNoStripsOnTheCpuWhereTheSampleMissesMostNonzeros) {
    MatrixFeatures f = even_matrix();
    f.strip_fill = 0.9;
    const auto has_strips = [&](double slots) {
        f.strip_slots = slots;
        return std::ranges::count(rank_operators({.features = f}), "strip-omp", &RankedOperator::specification) == 1;
    };
    EXPECT_TRUE(has_strips(11)) << "all";
    EXPECT_FALSE(has_strips(5)) << "less than half";
}

/// Costs for matrices of up to 1 kB, up to 1 MB and beyond, for those of float32 of any size.
constexpr std::array kCostsBySize{
    Cost{"slow", 8, {3, 0, 0, 0, 0, 0}, {1, 0, 0, 0}},
    Cost{"slow", 8, {1, 0, 0, 0, 0, 0}, {1, 0, 0, 0}, 8, 1e3},
    Cost{"slow", 8, {2, 0, 0, 0, 0, 0}, {1, 0, 0, 0}, 8, 1e6},
    Cost{"slow", 4, {4, 0, 0, 0, 0, 0}, {1, 0, 0, 0}},
};

TEST(RankOperators, TakesTheCostsForTheSizeOfTheMatrix) {
    const CostTable table{"test machine", "nowhere", std::span(kCandidates).first(1), kCostsBySize};
    const auto cost = [&](double bytes, std::size_t value_bytes = 8) {
        return cost_of(table, "slow", {value_bytes, 8}, bytes).seconds[0];
    };
    EXPECT_EQ(cost(1e3), 1);
    EXPECT_EQ(cost(1.1e3), 2);
    EXPECT_EQ(cost(1e6), 2);
    EXPECT_EQ(cost(1e9), 3);
    EXPECT_EQ(cost(1e3, 4), 4) << "sizes of numbers count first";
    EXPECT_DOUBLE_EQ(bytes_in_csr(even_matrix()), 12 * 10'000 + 8 * 1000 + 8 * 2000);
    EXPECT_DOUBLE_EQ(rank_operators(question(), table).front().seconds, 2) << "144 kB";
}

}  // namespace
}  // namespace tilespmv
