#include <gtest/gtest.h>

#include "kernels/cuda/tuning.hpp"
#include "selector/tuning.hpp"
#include "selector/work_sizes.hpp"
#include "tests/support/launch_choice.hpp"

namespace tilespmv::cuda {
namespace {

TEST(CsrMerge, FillsTheGpuAsModelsOfItsTimeTakeIt) {
    ASSERT_EQ(measured_gpu(8).tuning.merge.items, 8);
    constexpr offset_t kOfBlock = kMergeThreads * 8 / kMergeSlack * (kMergeSlack - 1);
    MatrixFeatures f;
    f.rows = 1000;
    f.nnz = offset_t{132} * kMergeBlocks<8> * kOfBlock * 3 - f.rows;
    EXPECT_DOUBLE_EQ(test::launch_waves("csr-merge", "", f), 3);
}

TEST(CsrMerge, HasMoreBlocksOfFewNonzeros) {
    for (const std::size_t value_bytes : {8, 4, 2}) {
        const MergeTuning& tuning = measured_gpu(value_bytes).tuning.merge;
        EXPECT_EQ(merge_items(tuning.few - 1, tuning), 4);
        EXPECT_EQ(merge_items(tuning.few, tuning), 8);
    }
    EXPECT_GT(measured_gpu(8).tuning.merge.few, measured_gpu(4).tuning.merge.few);
    MatrixFeatures f;
    f.rows = 1000;
    f.nnz = offset_t{132} * kMergeBlocks<4> * kMergeThreads * 4 / kMergeSlack * (kMergeSlack - 1) / 4 - f.rows;
    EXPECT_DOUBLE_EQ(test::launch_waves("csr-merge", "", f), 0.25);
}

}  // namespace
}  // namespace tilespmv::cuda
