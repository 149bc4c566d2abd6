#include "selector/models/modelled_operators.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/selector/models/synthetic.hpp"

namespace tilespmv {
namespace {

using test::h200_like;
using test::random_features;
using ::testing::ElementsAre;

TEST(ModelledOperators, TakeParametersIntoTheirWork) {
    MatrixFeatures f;
    f.rows = 1000;
    f.nnz = 5000;
    f.row_rounds[2] = {8, 1100, 3};    // 2 threads with four nonzeros each
    f.row_rounds[6] = {128, 1000, 1};  // 32 threads
    const auto rows_of = [&](const char* name) {
        return product_work(modelled_operator(true, name), f, h200_like()).work[static_cast<std::size_t>(Term::rows)];
    };
    EXPECT_EQ(rows_of("csr-vector:threads=2"), 2 * 1100);
    EXPECT_EQ(rows_of("csr-vector:threads=32"), 32 * 1000);
    EXPECT_EQ(rows_of("never-heard-of"), 1000) << "as one on CSR";
}

TEST(ModelledOperators, KnowTheirWavesAndTheSectorsOfAnOrderOfTheirOwn) {
    std::mt19937 random(5);
    MatrixFeatures f = random_features(random);
    f.rows = 132 * 64 * 32 * 3;
    f.slice_sectors = 0.3;
    const auto work_of = [&](const char* name) { return product_work(modelled_operator(true, name), f, h200_like()); };
    EXPECT_DOUBLE_EQ(work_of("ell").launch_waves, 3);
    EXPECT_DOUBLE_EQ(work_of("csr-vector:threads=2").launch_waves, 6);
    EXPECT_EQ(work_of("csr5").launch_waves, 0);
    EXPECT_EQ(work_of("sell").own_sectors, 0.3);
    EXPECT_EQ(work_of("ell").own_sectors, 0) << "in the order of rows";
}

TEST(ModelledOperators, WorkAsCsr16WhereTheyExecuteIt) {
    std::mt19937 random(5);
    MatrixFeatures f = random_features(random);
    f.nnz = 2'000'000;
    f.mean_row = f.strip_slots = 20;
    f.rows = f.cols = 100'000;
    f.longest_row = 25;
    f.strip_fill = 1;
    f.narrow_share = 1;
    const auto work_of = [&](const char* name) {
        const ProductWork work = product_work(modelled_operator(true, name), f, h200_like());
        return std::pair(work.work, work.bytes);
    };
    EXPECT_NE(work_of("strip"), work_of("csr16"));
    f.strip_slots = f.rank_slots = 1000;
    EXPECT_EQ(work_of("strip"), work_of("csr16"));
    f.rank_slots = 21;
    EXPECT_EQ(work_of("strip").second, 100'000 * (21 * (static_cast<double>(f.value_bytes) + 2) + 12.0 / 16 +
                                                  2 * static_cast<double>(f.value_bytes)))
        << "by rank, x and y";
    EXPECT_EQ(work_of("strip").first[static_cast<std::size_t>(Term::nonzeros)], 2'100'000);
}

TEST(ModelledOperators, AreMeasuredByTheirSpecifications) {
    EXPECT_THAT(specifications_of(true, "csr-vector"),
                ElementsAre("csr-vector", "csr-vector:threads=2", "csr-vector:threads=4", "csr-vector:threads=8",
                            "csr-vector:threads=16", "csr-vector:threads=32"));
    EXPECT_THAT(specifications_of(true, "brand-new"), ElementsAre("brand-new"));
    EXPECT_TRUE(specifications_of(true, "cusparse-csr").empty()) << "a baseline";
    EXPECT_THAT(specifications_of(false, "csr-omp"), ElementsAre("csr-omp"));
}

TEST(ModelledOperators, AreInTheCacheByAllOfTheirBytes) {
    MatrixFeatures f;
    f.rows = f.cols = 1'000'000;
    f.nnz = 3'000'000;  // 36 MB, 4 MB of row pointers, 16 MB of x and y
    const auto candidate = modelled_operator(true, "csr-merge");
    EXPECT_EQ(regime_of(product_work(candidate, f, h200_like())), Regime::resident);
    f.nnz += 400'000;
    EXPECT_EQ(regime_of(product_work(candidate, f, h200_like())), Regime::streamed);
    EXPECT_DOUBLE_EQ(naive_seconds(product_work(candidate, f, h200_like())), (12 * 3.4e6 + 4e6 + 16e6) / 4.6e12);
}

}  // namespace
}  // namespace tilespmv
