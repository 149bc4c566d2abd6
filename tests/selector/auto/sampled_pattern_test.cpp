// Features of a matrix of which a sample is read.
#include <cstddef>
#include <list>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "selector/auto/features_of.hpp"
#include "selector/auto/pattern_reader.hpp"
#include "selector/auto/sample.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv {
namespace {

/// Has copies of what it is asked for, so that nothing else can be looked at.
class CopyingReader final : public PatternReader {
public:
    explicit CopyingReader(const CsrMatrix<double>& a) : a_(a), of_rows_(tilespmv::row_statistics(a.row_ptrs)) {}
    Found read(const ElementRanges& row_ptrs, const ElementRanges& columns) override {
        ++reads;
        Found found;
        for (const auto& range : row_ptrs) found.row_ptrs.push_back(row_ptrs_.emplace_back(copy(a_.row_ptrs, range)));
        for (const auto& range : columns) {
            found.columns.push_back(columns_.emplace_back(copy(a_.col_idxs, range)));
            listed += range.size;
        }
        return found;
    }
    const SampleCounts& count(const CountedSample& sample) override {
        return counts_ = tilespmv::count(sample, a_.row_ptrs, a_.col_idxs);
    }
    const RowStatistics& row_statistics() override { return of_rows_; }
    offset_t count_diagonals(const std::vector<offset_t>& known) override {
        std::set<offset_t> diagonals(known.begin(), known.end());
        EXPECT_EQ(diagonals.size(), known.size());
        for (std::size_t row = 0; row + 1 < a_.row_ptrs.size(); ++row) {
            for (offset_t k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k)
                diagonals.insert(a_.col_idxs[static_cast<std::size_t>(k)] - static_cast<offset_t>(row));
        }
        return static_cast<offset_t>(diagonals.size());
    }

    int reads = 0;
    offset_t listed = 0;  ///< columns

private:
    template <class T>
    static std::vector<T> copy(const Buffer<T>& all, const ElementRange& range) {
        EXPECT_GE(range.first, 0);
        EXPECT_GE(range.size, 0);
        EXPECT_LE(range.first + range.size, static_cast<offset_t>(all.size()));
        return {all.data() + range.first, all.data() + range.first + range.size};
    }

    const CsrMatrix<double>& a_;
    RowStatistics of_rows_;
    std::list<std::vector<offset_t>> row_ptrs_;  // whose elements stay where they are
    std::list<std::vector<index_t>> columns_;
    SampleCounts counts_{};
};

MatrixFeatures sizes_of(const CsrMatrix<double>& a) { return {.rows = a.rows, .cols = a.cols, .nnz = a.nnz()}; }

TEST(SampledPattern, TellsTheFeaturesThatTheMatrixTells) {
    for (const char* generator :
         {"laplace2d:n=230", "laplace2d:n=7", "fem:n=12,dof=3", "rmat:scale=14,degree=16", "arrow:n=90000",
          "dense:rows=640,cols=640", "dense:rows=650,cols=640", "banded:n=90000,half=3",
          "uniform:n=20,cols=90000,per_row=20000", "hypersparse:n=900000,nnz=300000", "laplace3d:n=40",
          "uniform:n=300,cols=90000,per_row=1500", "stencil27:n=30", "laplace2d:n=900"}) {
        SCOPED_TRACE(generator);
        const auto a = generate<double>(generator);
        CopyingReader reader(a);
        EXPECT_EQ(features_of(sizes_of(a), reader), features_of(pattern_of(a)));
        EXPECT_EQ(reader.reads, 2) << "each of which is waited for";
        EXPECT_LE(reader.listed, 900'000);
    }
}

TEST(SampledPattern, OfAMatrixWithoutNonzerosIsNotRead) {
    CsrMatrix<double> a{2, 5, Buffer<offset_t>(3), {}, {}};
    for (offset_t& at : a.row_ptrs) at = 0;
    CopyingReader reader(a);
    EXPECT_EQ(features_of(sizes_of(a), reader).empty_rows, 1);
    EXPECT_EQ(reader.reads, 0);
}

}  // namespace
}  // namespace tilespmv
