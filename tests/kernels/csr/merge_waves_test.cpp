#include <gtest/gtest.h>

#include "kernels/cuda/tuning.hpp"
#include "selector/models/launch_choice.hpp"
#include "selector/tuning.hpp"

namespace tilespmv::cuda {
namespace {

TEST(CsrMerge, FillsTheGpuAsModelsOfItsTimeTakeIt) {
    ASSERT_EQ(measured_gpu(8).tuning.merge_items, 8);
    constexpr offset_t kOfBlock = kMergeThreads * 8 / kMergeSlack * (kMergeSlack - 1);
    MatrixFeatures f;
    f.rows = 1000;
    f.nnz = offset_t{132} * kMergeBlocks<8> * kOfBlock * 3 - f.rows;
    EXPECT_DOUBLE_EQ(launch_waves("csr-merge", "", f), 3);
}

}  // namespace
}  // namespace tilespmv::cuda
