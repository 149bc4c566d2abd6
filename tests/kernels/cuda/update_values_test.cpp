// New values for operators in device memory, without a conversion.
#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/make_operator.hpp"
#include "kernels/strip/strip_matrix.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make(const std::string& specification, const MatrixForms<V>& source) {
    return cuda::make_device_operator<V>(specification, source, default_accumulator<V>(), nullptr);
}

template <class V>
CsrMatrix<V> with_other_values(const CsrMatrix<double>& a) {
    auto other = a.clone();
    for (double& value : other.values) value = 1 - value / 2;
    return convert_values<V>(other);
}

template <class V>
class UpdateValues : public OnDevice {
protected:
    static std::vector<V> poison(index_t rows) {
        return std::vector<V>(static_cast<std::size_t>(rows), static_cast<V>(kNaN));
    }

    /// `a`, which holds other values, takes those of `csr`; then it must do what `fresh`, made from `csr`, does.
    static void expect_update(cuda::DeviceOperator<V>& a, const cuda::DeviceOperator<V>& fresh,
                              const CsrMatrix<V>& csr) {
        const cuda::Stream stream;
        const cuda::DeviceBuffer<V> values(csr.values, stream.get());
        a.update_values(values.span(), stream.get());
        stream.synchronize();
        const auto x = numbers<V>(csr.cols, 1);
        const auto y = product<V>(a, 1, x, 0, poison(csr.rows));
        const auto result = check_product<V>(expected_product<V>(csr, 1, x, 0, {}), y);
        EXPECT_TRUE(result.ok) << result.message();
        EXPECT_EQ(y, product<V>(fresh, 1, x, 0, poison(csr.rows)));
    }
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(UpdateValues, ValueTypes);

TYPED_TEST(UpdateValues, OfTilesOfEverySelectorAreThoseOfANewConversion) {
    using V = TypeParam;
    for (const auto& selector : selectors()) {
        const auto policy = make_policy(selector.name);
        for (const auto& [name, matrix] : matrix_battery()) {
            SCOPED_TRACE(std::string(selector.name) + ' ' + name);
            const auto before = with_other_values<V>(matrix);
            const auto after = convert_values<V>(matrix);
            const auto tiles = convert(before, *policy);
            const auto new_tiles = convert(after, *policy);
            for (const std::string operator_name :
                 {"tile:scattered=2,", "tile:scattered=0,", "tile:deferred=csr5,", "tile-warp:"}) {
                const auto fresh = make<V>(operator_name + "updatable=0", {&new_tiles});
                const auto specification = operator_name + "updatable=1";
                this->expect_update(*make<V>(specification, {&tiles}), *fresh, after);
                this->expect_update(*make<V>(specification, {&before, &tiles}), *fresh, after);
            }
        }
    }
}

TYPED_TEST(UpdateValues, OfOperatorsOnCsrAreThoseOfANewOne) {
    using V = TypeParam;
    for (const auto* name : {"csr16", "csr-scalar", "csr-vector", "csr-multiround", "csr-merge", "csr-adaptive", "csr5",
                             "sell", "sell:hubs=20", "csr-inode", "ell", "dia", "dia:rows=2", "coo", "hyb", "auto",
                             "strip", "strip:bytes=1000", "strip:bytes=0,ranks=1000"}) {
        for (const auto& [matrix_name, matrix] : matrix_battery()) {
            SCOPED_TRACE(std::string(name) + ' ' + matrix_name);
            const auto before = with_other_values<V>(matrix);
            const auto after = convert_values<V>(matrix);
            const auto& info = find_operator<V>(Backend::cuda, name);
            const auto a = unless_refused(info, [&] { return make<V>(name, {&before}); });
            if (a) this->expect_update(*a, *make<V>(name, {&after}), after);
        }
    }
}

TYPED_TEST(UpdateValues, OfStripsFromEveryFormAreThoseOfNewOnes) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto before = with_other_values<V>(matrix);
        const auto after = convert_values<V>(matrix);
        const auto strips = make_strip_matrix(before);
        const auto tiles = convert(before, *make_policy("bytes"));
        const auto fresh = make<V>("strip", {&after});
        this->expect_update(*make<V>("strip", {&strips}), *fresh, after);
        this->expect_update(*make<V>("strip", {&tiles}), *fresh, after);
    }
}

using UpdateOnDevice = OnDevice;
TEST_F(UpdateOnDevice, WorksThroughVectorsOfTheHost) {
    const auto csr = matrix_of(300, 300, {{0, 0}, {5, 200}, {17, 17}, {299, 3}});
    const auto before = with_other_values<double>(csr);
    const auto a = cuda::make_operator_on_gpu<double>("strip", {&before}, Accumulator::float64);
    a->update_values(csr.values);
    const auto x = numbers<double>(300, 1);
    std::vector<double> y(300, kNaN);
    a->apply(1, x, 0, y);
    const auto result = check_product<double>(expected_product<double>(csr, 1, x, 0, {}), y);
    EXPECT_TRUE(result.ok) << result.message();
    EXPECT_THROW(a->update_values(std::vector<double>(3)), Error);
}

TEST_F(UpdateOnDevice, CanBeCapturedIntoAGraphWithItsProduct) {
    const auto csr = matrix_of(300, 300, {{0, 0}, {5, 200}, {17, 17}, {299, 3}});
    const auto before = with_other_values<double>(csr);
    const auto tiles = convert(before, *make_policy("paper-deferred"));
    const auto a = make<double>("tile:scattered=2,updatable=1", {&before, &tiles});
    const auto x = numbers<double>(300, 1);
    DeviceVectors<double> vectors(x, std::vector<double>(300, kNaN));
    const cuda::DeviceBuffer<double> values(csr.values, vectors.stream());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    TILESPMV_CUDA(cudaStreamBeginCapture(vectors.stream(), cudaStreamCaptureModeThreadLocal));
    a->update_values(values.span(), vectors.stream());
    vectors.apply(*a, 1, 0);
    TILESPMV_CUDA(cudaStreamEndCapture(vectors.stream(), &graph));
    TILESPMV_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    TILESPMV_CUDA(cudaGraphLaunch(executable, vectors.stream()));
    const auto result = check_product<double>(expected_product<double>(csr, 1, x, 0, {}), vectors.y());
    EXPECT_TRUE(result.ok) << result.message();
    TILESPMV_CUDA(cudaGraphExecDestroy(executable));
    TILESPMV_CUDA(cudaGraphDestroy(graph));
}

TEST_F(UpdateOnDevice, WithoutAMapSaysHowToGetOne) {
    const auto csr = matrix_of(30, 30, {{0, 0}, {29, 3}});
    const auto tiles = convert(csr, *make_policy("paper"));
    const auto a = make<double>("tile:scattered=2", {&tiles});
    const auto with_map = make<double>("tile:scattered=2,updatable=1", {&tiles});
    EXPECT_GT(with_map->device_bytes(), a->device_bytes());
    EXPECT_THAT(test::message_of([&] { a->update_values(cuda::DeviceSpan<const double>(nullptr, 2), nullptr); }),
                ::testing::HasSubstr("tile:updatable=1"));
}

}  // namespace
}  // namespace tilespmv::testing
