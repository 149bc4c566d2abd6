// What is read of a pattern in device memory, and what is found in it.
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/cuda/device_diagonals.hpp"
#include "kernels/cuda/sampled_pattern.hpp"
#include "kernels/source.hpp"
#include "selector/auto/features_of.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

template <class P>
class SampledPatternThere : public OnDevice {};
using WidthsOfRowPtrs = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(SampledPatternThere, WidthsOfRowPtrs);

template <class T>
void expect_ranges(const std::vector<std::span<const T>>& found, const ElementRanges& ranges, const Buffer<T>& all) {
    ASSERT_EQ(found.size(), ranges.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const T* const first = all.data() + ranges[i].first;
        EXPECT_EQ(std::vector<T>(found[i].begin(), found[i].end()), std::vector<T>(first, first + ranges[i].size))
            << "range " << i;
    }
}

template <class P>
void expect_reads(const CsrMatrix<double>& csr) {
    const MatrixOnGpu<P> there(csr);
    const Source<double> source(there.view);
    cuda::SampledPattern<double> reader(source, nullptr);
    // Behind each other, twice, none, long and short ones, the last.
    const ElementRanges ptrs{{3, 2}, {5, 1}, {0, csr.rows + 1}, {3, 2}, {csr.rows, 1}, {7, 0}};
    const ElementRanges columns{{csr.nnz() - 1, 1}, {0, 127}, {127, 2}, {129, 1000}, {1, 128}, {9, 0}, {0, csr.nnz()}};
    const auto first = reader.read(ptrs, columns);
    const auto second = reader.read({}, {{5, 3}});
    const auto none = reader.read({}, {});
    expect_ranges(first.row_ptrs, ptrs, csr.row_ptrs);
    expect_ranges(first.columns, columns, csr.col_idxs);
    expect_ranges(second.columns, {{5, 3}}, csr.col_idxs);
    EXPECT_TRUE(none.row_ptrs.empty() && none.columns.empty());
}

TYPED_TEST(SampledPatternThere, HasWhatWasAskedFor) {
    expect_reads<TypeParam>(generate<double>("rmat:scale=12,degree=9"));
}

template <class P, class V>
void expect_features_of_host(const char* generator) {
    SCOPED_TRACE(generator);
    const auto csr = generate<V>(generator);
    const MatrixOnGpu<P, V> there(csr);
    const Source<V> source(there.view);
    cuda::SampledPattern<V> reader(source, nullptr);
    const MatrixFeatures expected = features_of(pattern_of(csr));
    EXPECT_EQ(features_of({.value_bytes = expected.value_bytes,
                           .sum_bytes = expected.sum_bytes,
                           .rows = csr.rows,
                           .cols = csr.cols,
                           .nnz = csr.nnz()},
                          reader),
              expected);
}

TYPED_TEST(SampledPatternThere, TellsTheFeaturesThatTheHostFinds) {
    for (const char* generator :
         {"laplace2d:n=60", "laplace2d:n=700", "laplace3d:n=40", "fem:n=12,dof=3", "rmat:scale=15,degree=16",
          "arrow:n=90000", "banded:n=90000,half=3", "banded:n=9000,half=300", "dense:rows=640,cols=640",
          "stencil27:n=30", "uniform:n=20,cols=90000,per_row=20000", "hypersparse:n=900000,nnz=300000"}) {
        expect_features_of_host<TypeParam, double>(generator);
        expect_features_of_host<TypeParam, float>(generator);
    }
}

void expect_diagonals(const char* generator) {
    SCOPED_TRACE(generator);
    const auto csr = generate<double>(generator);
    std::set<index_t> expected;
    for (std::size_t row = 0; row + 1 < csr.row_ptrs.size(); ++row) {
        for (offset_t k = csr.row_ptrs[row]; k < csr.row_ptrs[row + 1]; ++k)
            expected.insert(csr.col_idxs[static_cast<std::size_t>(k)] - static_cast<index_t>(row));
    }
    const MatrixOnGpu<std::int64_t> there(csr);
    const auto pattern = cuda::pattern_of(there.view);
    EXPECT_EQ(cuda::count_diagonals(pattern, nullptr), static_cast<offset_t>(expected.size()));
    EXPECT_EQ(cuda::diagonals_of(pattern, nullptr), std::vector<index_t>(expected.begin(), expected.end()));
}

using DiagonalsThere = OnDevice;
// Few, which a block knows all, and more than it has places for.
TEST_F(DiagonalsThere, AreThoseWithNonzeros) {
    for (const char* generator : {"laplace2d:n=300", "stencil27:n=20", "banded:n=20000,half=2000",
                                  "uniform:n=2000,cols=90000,per_row=50", "uniform:n=90000,cols=200,per_row=3"})
        expect_diagonals(generator);
}

using SanitizerSampledPattern = OnDevice;
TEST_F(SanitizerSampledPattern, IsReadAndCounted) {
    expect_reads<std::int64_t>(generate<double>("rmat:scale=10,degree=9"));
    expect_features_of_host<std::int32_t, double>("laplace2d:n=50");
    expect_diagonals("uniform:n=200,cols=9000,per_row=50");
}

}  // namespace
}  // namespace tilespmv::testing
