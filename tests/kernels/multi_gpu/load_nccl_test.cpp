// On machines without NCCL, too: other libraries take its place.
#include "kernels/multi_gpu/load_nccl.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/message_of.hpp"

namespace tilespmv::multi_gpu {
namespace {

constexpr const char* kMissing = "libnccl-that-is-missing.so.2";

TEST(LoadNccl, SaysWhatIsMissing) {
    EXPECT_EQ(test::message_of([] {
                  load_nccl(std::array{kMissing, "/nowhere/libnccl.so.2"});
              }),
              "4: GPUs that do not reach each other's memory need NCCL, which cannot be loaded: "
              "libnccl-that-is-missing.so.2: cannot open shared object file: No such file or directory; install it, "
              "add its folder to LD_LIBRARY_PATH, or take one GPU");
}

TEST(LoadNccl, TakesTheFirstFileThatIsThere) {
    void* const library = load_nccl(std::array{kMissing, "libm.so.6", "libc.so.6"});
    EXPECT_NE(find_in_nccl(library, "cos"), nullptr);
    const auto message = test::message_of([&] { find_in_nccl(library, "ncclSend"); });
    EXPECT_NE(message.find("undefined symbol: ncclSend"), std::string::npos) << message;
    EXPECT_EQ(message.substr(0, 2), "4:");
}

}  // namespace
}  // namespace tilespmv::multi_gpu
