// New values for operators in device memory, without a conversion.
#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/graph.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make(const std::string& specification, const Source<V>& source) {
    return cuda::make_device_operator<V>(specification, source, default_accumulator<V>(), nullptr);
}

template <class V>
CsrMatrix<V> with_other_values(const CsrMatrix<double>& a) {
    auto other = a.clone();
    for (double& value : other.values) value = 1 - value / 2;
    return convert_values<V>(other);
}

/// A matrix whose values operators take that were made with others, and what its product must be.
template <class V>
class ValuesToTake {
public:
    explicit ValuesToTake(const CsrMatrix<V>& csr)
        : poison_(static_cast<std::size_t>(csr.rows), static_cast<V>(kNaN)),
          x_(numbers<V>(csr.cols, 1)),
          expected_(expected_product<V>(csr, 1, x_, 0, {})),
          vectors_(x_, poison_),
          values_(csr.values, vectors_.stream()) {}

    std::vector<V> product(const cuda::DeviceOperator<V>& a) { return vectors_.product(a, 1, 0, poison_); }

    /// `a`, which holds other values, takes the new ones in a graph; then its product must have the bits of one that
    /// had them.
    void expect_update(cuda::DeviceOperator<V>& a, const std::vector<V>& fresh) {
        const cuda::Graph graph(vectors_.stream(), [&] { a.update_values(values_.span(), vectors_.stream()); });
        graph.launch();
        const auto y = product(a);
        const auto result = check_product<V>(expected_, y);
        EXPECT_TRUE(result.ok) << result.message();
        EXPECT_EQ(y, fresh);
    }

private:
    std::vector<V> poison_;
    std::vector<V> x_;
    ExpectedProduct expected_;
    DeviceVectors<V> vectors_;
    cuda::DeviceBuffer<V> values_;
};

template <class V>
class UpdateValues : public OnDevice {};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(UpdateValues, ValueTypes);

TYPED_TEST(UpdateValues, OfTilesOfEverySelectorAreThoseOfANewConversion) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        const auto before = with_other_values<V>(matrix);
        const auto after = convert_values<V>(matrix);
        ValuesToTake<V> values(after);
        for (const auto& selector : selectors()) {
            SCOPED_TRACE(name + ' ' + std::string(selector.name));
            const auto policy = make_policy(selector.name);
            const auto tiles = convert(before, *policy);
            const auto new_tiles = convert(after, *policy);
            for (const std::string operator_name : {"tile:scattered=2,", "tile:scattered=0,", "tile-warp:"}) {
                const auto fresh = values.product(*make<V>(operator_name + "updatable=0", new_tiles));
                const auto specification = operator_name + "updatable=1";
                values.expect_update(*make<V>(specification, tiles), fresh);
                values.expect_update(*make<V>(specification, {before, tiles}), fresh);
            }
        }
    }
}

TYPED_TEST(UpdateValues, OfOperatorsOnCsrAreThoseOfANewOne) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        const auto before = with_other_values<V>(matrix);
        const auto after = convert_values<V>(matrix);
        ValuesToTake<V> values(after);
        std::vector<std::string> all{"dia:rows=2", "strip:bytes=1000", "strip:bytes=0,ranks=1000"};
        for (const auto& info : operators<V>(Backend::cuda)) {
            if (info.made_from == Form::csr && info.new_values == NewValues::always) all.emplace_back(info.name);
        }
        for (const std::string& operator_name : all) {
            SCOPED_TRACE(name + ' ' + operator_name);
            const auto& info = find_operator<V>(Backend::cuda, operator_name);
            const auto a = unless_refused(info, [&] { return make<V>(operator_name, before); });
            if (a) values.expect_update(*a, values.product(*make<V>(operator_name, after)));
        }
    }
}

TYPED_TEST(UpdateValues, OfStripsMadeFromTilesAreThoseOfNewOnes) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto before = with_other_values<V>(matrix);
        const auto after = convert_values<V>(matrix);
        const auto tiles = convert(before, *make_policy("bytes"));
        ValuesToTake<V> values(after);
        const auto fresh = values.product(*make<V>("strip", after));
        values.expect_update(*make<V>("strip", tiles), fresh);
    }
}

using UpdateOnDevice = OnDevice;
TEST_F(UpdateOnDevice, WorksThroughVectorsOfTheHost) {
    const auto csr = matrix_of(300, 300, {{0, 0}, {5, 200}, {17, 17}, {299, 3}});
    const auto before = with_other_values<double>(csr);
    const auto a = make_operator<double>("strip", before, {.backend = Backend::cuda});
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
    const auto a = make<double>("tile:scattered=2,updatable=1", {before, tiles});
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
    const auto a = make<double>("tile:scattered=2", tiles);
    const auto with_map = make<double>("tile:scattered=2,updatable=1", tiles);
    EXPECT_GT(with_map->device_bytes(), a->device_bytes());
    EXPECT_THAT(test::message_of([&] { a->update_values(cuda::DeviceSpan<const double>(nullptr, 2), nullptr); }),
                ::testing::HasSubstr("tile:updatable=1"));
}

}  // namespace
}  // namespace tilespmv::testing
