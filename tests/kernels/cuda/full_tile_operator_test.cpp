#include "kernels/operators/tile/full_tile_operator.hpp"

#include "formats/convert.hpp"
#include "kernels/check.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/tile_rows.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
class FullTileOperator : public OnDevice {
protected:
    static std::unique_ptr<cuda::DeviceOperator<V>> make(const CsrMatrix<V>& a) {
        const cuda::DeviceContext on;
        auto made = cuda::make_full_tile_operator<V>(a, {Backend::cuda, default_accumulator<V>(), &on});
        if (made == nullptr) return nullptr;
        auto op = cuda::as_device_operator(std::move(made));
        op->make_own_workspace(nullptr);
        return op;
    }
    static std::vector<V> product_of(const cuda::DeviceOperator<V>& a) {
        return product<V>(a, 2, numbers<V>(a.cols(), 1), -0.5, numbers<V>(a.rows(), 2));
    }
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(FullTileOperator, ValueTypes);

/// Tile rows of one run, of several, and of several numbers of tiles.
std::vector<CsrMatrix<double>> matrices() {
    std::vector<CsrMatrix<double>> all;
    all.push_back(generate<double>("dense:rows=16,cols=16"));
    all.push_back(generate<double>("dense:rows=64,cols=4096"));
    all.push_back(generate<double>("block-dense:n=3200,block=16,blocks_per_row=5"));
    auto positions = positions_of(blocks(16, 37));
    for (index_t r = 16; r < 32; ++r) {
        for (index_t c = 16; c < 48; ++c) positions.insert({r, c});
    }
    all.push_back(matrix_of(32, 37 * kTileSize, positions));
    return all;
}

TYPED_TEST(FullTileOperator, DoesWhatThatOfTilesDoes) {
    using V = TypeParam;
    for (const auto& matrix : matrices()) {
        const auto csr = convert_values<V>(matrix);
        const auto tiles = convert(csr, *make_policy("paper"));
        const auto of_tiles = cuda::make_device_operator<V>("tile", tiles, default_accumulator<V>(), nullptr);
        const auto a = this->make(csr);
        ASSERT_TRUE(a);
        EXPECT_EQ(this->product_of(*a), this->product_of(*of_tiles));
        EXPECT_EQ(a->name(), "tile");
        EXPECT_EQ(a->nnz(), csr.nnz());
        EXPECT_EQ(a->executed(), of_tiles->executed());
        EXPECT_EQ(a->matrix_bytes(), of_tiles->matrix_bytes());
    }
}

TYPED_TEST(FullTileOperator, TakesNewValues) {
    using V = TypeParam;
    for (const auto& matrix : matrices()) {
        const auto csr = convert_values<V>(matrix);
        auto before = csr.clone();
        std::ranges::fill(before.values, V(3));
        const auto a = this->make(before);
        ASSERT_TRUE(a);
        const cuda::DeviceBuffer<V> values(csr.values, nullptr);
        a->update_values(values.span(), nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));  // products run on another stream
        EXPECT_EQ(this->product_of(*a), this->product_of(*this->make(csr)));
        expect_csr_back(*a, csr);
    }
}

TYPED_TEST(FullTileOperator, IsNoneOfOtherMatrices) {
    EXPECT_FALSE(this->make(convert_values<TypeParam>(generate<double>("laplace2d:n=16"))));
}

}  // namespace
}  // namespace tilespmv::testing
