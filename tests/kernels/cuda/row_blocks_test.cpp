// csr16 and csr-adaptive take row blocks in three sizes, one or two of them in a block of threads, by how many nonzeros
// there are and whether rows are long.
#include "kernels/check.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "selector/work_sizes.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"

namespace tilespmv::testing {
namespace {

constexpr index_t kCols = 140'001;
constexpr index_t kShort = 7;    // row blocks are nearly full
constexpr index_t kLong = 5003;  // several pieces

/// Rows of `kShort` nonzeros, every `long_every`-th (0: none) of `kLong`; about `nonzeros` in all.
template <class V>
CsrMatrix<V> rows_of(offset_t nonzeros, index_t long_every) {
    std::vector<offset_t> ends{0};
    while (ends.back() < nonzeros) {
        const auto row = static_cast<index_t>(ends.size());
        ends.push_back(ends.back() + (long_every > 0 && row % long_every == 0 ? kLong : kShort));
    }
    CsrMatrix<V> a;
    a.rows = static_cast<index_t>(ends.size()) - 1;
    a.cols = kCols;
    a.row_ptrs = Buffer<offset_t>(ends.size());
    std::ranges::copy(ends, a.row_ptrs.begin());
    a.col_idxs = Buffer<index_t>(static_cast<std::size_t>(ends.back()));
    a.values = Buffer<V>(a.col_idxs.size());
    for (index_t row = 0; row < a.rows; ++row) {
        const index_t length = static_cast<index_t>(ends[row + 1] - ends[row]);
        const index_t step = row / 256 % 2 == 0 ? kCols / length : 3;  // codes of csr16 in 32 bits and in 16
        for (index_t i = 0; i < length; ++i) {
            a.col_idxs[ends[row] + i] = i * step;
            a.values[ends[row] + i] = static_cast<V>(1 + (row + i) % 5);
        }
    }
    return a;
}

class SanitizerRowBlocks : public OnDevice {
protected:
    template <class V>
    static void expect_right(Accumulator accumulator) {
        const Gpu gpu = cuda::this_gpu(sizeof(V));
        const offset_t row_blocks = offset_t{gpu.multiprocessors} * gpu.tuning.row_blocks.blocks_per_multiprocessor;
        for (const int nonzeros_of_a_block : {140, 300}) {
            for (const index_t long_every : {0, 30'000, 100}) {  // none, 2% of the nonzeros, nearly all
                const auto a = rows_of<V>(row_blocks * nonzeros_of_a_block, long_every);
                const std::vector<V> x = numbers<V>(kCols, 3);
                const auto expected = expected_product<V>(a, 1, x, 0, {});
                for (const char* name : {"csr16", "csr-adaptive"}) {
                    const auto made = cuda::make_device_operator<V>(name, a, accumulator, nullptr);
                    const std::vector<V> nan(static_cast<std::size_t>(a.rows), std::numeric_limits<V>::quiet_NaN());
                    const auto result = check_product<V>(expected, product<V>(*made, 1, x, 0, nan), accumulator);
                    EXPECT_TRUE(result.ok)
                        << name << ' ' << nonzeros_of_a_block << ' ' << long_every << ' ' << result.message();
                }
            }
        }
    }
};

TEST_F(SanitizerRowBlocks, Double) { expect_right<double>(Accumulator::float64); }
TEST_F(SanitizerRowBlocks, Float) { expect_right<float>(Accumulator::float32); }
TEST_F(SanitizerRowBlocks, Half) { expect_right<Half>(Accumulator::float32); }

}  // namespace
}  // namespace tilespmv::testing
