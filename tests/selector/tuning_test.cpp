#include "selector/tuning.hpp"

#include <gtest/gtest.h>

namespace tilespmv::cuda {
namespace {

TEST(Tuning, IsByTheSizeOfValues) {
    EXPECT_EQ(tuning_for(90, 8).sell.warps_per_multiprocessor, 40);
    EXPECT_EQ(tuning_for(90, 4).sell.warps_per_multiprocessor, 67);
    EXPECT_EQ(tuning_for(90, 2).sell.warps_per_multiprocessor, 45);
}

TEST(Tuning, OfAGpuWithoutMeasurementsIsThatOfTheH200) {
    for (const int capability : {0, 80, 100, 120}) {
        for (const std::size_t bytes : {8u, 4u, 2u}) {
            EXPECT_EQ(&tuning_for(capability, bytes), &tuning_for(90, bytes)) << capability << ' ' << bytes;
        }
    }
}

}  // namespace
}  // namespace tilespmv::cuda
