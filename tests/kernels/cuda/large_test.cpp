// A matrix of more than 2^31 nonzeros. Takes 60 GB of host and 60 GB of device memory, so it is a program of its own.
#include <unistd.h>

#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tile/parallel.hpp"

namespace tilespmv::testing {
namespace {

constexpr index_t kRows = (1 << 23) + 5;  // ends within a tile
constexpr index_t kHalfWidth = 131;       // 2.2e9 nonzeros, and tiles that the band fills and others that it cuts

/// Between -1.5 and 1.5, never 0, the same on every machine.
double value_at(std::int64_t row, std::int64_t col) {
    const auto bits = static_cast<std::uint64_t>(row * 1000003 + col) * 0x9e3779b97f4a7c15u;
    const double size = 0.5 + static_cast<double>(bits >> 40) * 0x1p-24;
    return (bits & 1) != 0 ? size : -size;
}

index_t first_column(std::int64_t row) { return static_cast<index_t>(std::max<std::int64_t>(0, row - kHalfWidth)); }
index_t last_column(std::int64_t row) {
    return static_cast<index_t>(std::min<std::int64_t>(kRows - 1, row + kHalfWidth));
}

CsrMatrix<double> band() {
    CsrMatrix<double> a;
    a.rows = a.cols = kRows;
    a.row_ptrs = Buffer<offset_t>(std::size_t{kRows} + 1);
    a.row_ptrs[0] = 0;
    for (index_t row = 0; row < kRows; ++row) {
        a.row_ptrs[row + 1] = a.row_ptrs[row] + last_column(row) - first_column(row) + 1;
    }
    a.col_idxs = Buffer<index_t>(static_cast<std::size_t>(a.row_ptrs[kRows]));
    a.values = Buffer<double>(a.col_idxs.size());
    parallel_for(0, kRows, 1024, [&](std::int64_t row) {
        offset_t p = a.row_ptrs[row];
        for (index_t col = first_column(row); col <= last_column(row); ++col, ++p) {
            a.col_idxs[p] = col;
            a.values[p] = value_at(row, col);
        }
    });
    return a;
}

class LargeOnDevice : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        constexpr double device_bytes = 60e9;
        constexpr double host_bytes = 100e9;
        const double host = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
        if (static_cast<double>(device_.memory_bytes) < device_bytes) GTEST_SKIP() << "needs 60 GB of GPU memory";
        if (host < host_bytes) GTEST_SKIP() << "needs 100 GB of host memory";
    }

    void expect_right_twice(const cuda::DeviceOperator<double>& a) const {
        const std::vector<double> poison(std::size_t{kRows}, kNaN);
        const auto y = product<double>(a, 1, x_, 0, poison);
        const auto result = check_product<double>(expected_, y);
        EXPECT_TRUE(result.ok) << a.name() << ' ' << result.message();
        EXPECT_TRUE(product<double>(a, 1, x_, 0, poison) == y) << a.name() << " gave other bits";
    }

    std::vector<double> x_;
    ExpectedProduct expected_;
};

TEST_F(LargeOnDevice, MoreThanTwoToThe31NonzerosInTilesAndInCsr) {
    const cuda::Stream stream;
    const auto a = band();
    ASSERT_GT(a.nnz(), offset_t{1} << 31);
    x_ = numbers<double>(a.cols, 1);
    expected_ = expected_product<double>(a, 1, x_, 0, {});
    const auto make = [&](const char* name, const TileMatrix<double>* tiles) {
        return cuda::make_device_operator<double>(
            name, tiles != nullptr ? Source<double>(a, *tiles) : Source<double>(a), Accumulator::float64, stream.get());
    };
    {
        const auto tiles = convert(a, *make_policy("paper"));
        ASSERT_GT(static_cast<offset_t>(tiles.values.size()), offset_t{1} << 31);
        expect_right_twice(*make("tile", &tiles));
    }
    for (const char* name :
         {"csr-vector", "csr-merge", "csr5", "sell", "csr-inode", "strip:bytes=1000", "strip:bytes=0,ranks=1000"})
        expect_right_twice(*make(name, nullptr));
}

}  // namespace
}  // namespace tilespmv::testing
