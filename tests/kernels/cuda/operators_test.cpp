// What every operator for the GPU has to get right; the list is tested, so one that is added to it is, too.
#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "kernels/cuda/this_gpu.hpp"
#include "selector/auto/features_of.hpp"
#include "selector/auto/rank_operators.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/executed.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::testing {
namespace {

/// Values and the type of their sums.
template <class V, Accumulator kAccumulator>
struct Arithmetic {
    using Value = V;
    static constexpr Accumulator accumulator = kAccumulator;
};

template <class Arithmetic>
class EveryDeviceOperator : public OnDevice {
protected:
    using Number = typename Arithmetic::Value;

    static std::vector<Number> poison(index_t rows) {
        return std::vector<Number>(static_cast<std::size_t>(rows), static_cast<Number>(kNaN));
    }

    static void expect_right(const OperatorCase<Number>& a, const ExpectedProduct& expected,
                             const std::vector<Number>& y) {
        const auto result = check_product<Number>(expected, y, Arithmetic::accumulator);
        EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
    }

    /// Of A * x, in vectors in device memory that all operators use.
    static void expect_product(const CsrMatrix<Number>& csr, const std::vector<OperatorCase<Number>>& operators,
                               const std::vector<Number>& x) {
        const auto expected = expected_product<Number>(csr, 1, x, 0, {});
        const auto before = poison(csr.rows);
        DeviceVectors<Number> vectors(x, before);
        for (const auto& a : operators) expect_right(a, expected, vectors.product(*a.made, 1, 0, before));
    }
};
using Arithmetics = ::testing::Types<Arithmetic<double, Accumulator::float64>, Arithmetic<float, Accumulator::float64>,
                                     Arithmetic<float, Accumulator::float32>, Arithmetic<Half, Accumulator::float32>,
                                     Arithmetic<Bfloat16, Accumulator::float32>>;
TYPED_TEST_SUITE(EveryDeviceOperator, Arithmetics);

/// alpha and beta. Products with alpha = 0 have a test of their own: they are the same kernel in all operators.
constexpr std::pair<double, double> kFactors[]{{1, 0}, {-2.5, 1}, {1, -0.5}};

TYPED_TEST(EveryDeviceOperator, IsRightOnEveryMatrixForEveryAlphaAndBeta) {
    using V = typename TypeParam::Value;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        const auto operators = every_operator<V>(csr, TypeParam::accumulator);
        const auto x = numbers<V>(csr.cols, 1);
        DeviceVectors<V> vectors(x, this->poison(csr.rows));
        for (const auto& [alpha, beta] : kFactors) {
            SCOPED_TRACE(::testing::Message() << "alpha " << alpha << " beta " << beta);
            const auto before = beta == 0 ? this->poison(csr.rows) : numbers<V>(csr.rows, 2);
            const auto expected = expected_product<V>(csr, alpha, x, beta, before);
            for (const auto& a : operators) {
                this->expect_right(a, expected, vectors.product(*a.made, alpha, beta, before));
            }
        }
    }
}

TYPED_TEST(EveryDeviceOperator, ReadsNeitherAnorXIfAlphaIsZero) {
    using V = typename TypeParam::Value;
    auto csr = convert_values<V>(matrix_battery().back().csr);
    for (V& value : csr.values) value = static_cast<V>(kNaN);
    const std::vector<V> x(static_cast<std::size_t>(csr.cols), static_cast<V>(kInf));
    for (const auto& a : every_operator<V>(csr, TypeParam::accumulator)) {
        const auto zeros = product<V>(*a.made, 0, x, 0, this->poison(csr.rows));
        EXPECT_EQ(zeros, std::vector<V>(zeros.size(), V(0))) << a.name;
        const auto halves = product<V>(*a.made, 0, x, -0.5, std::vector<V>(zeros.size(), V(3)));
        EXPECT_EQ(halves, std::vector<V>(zeros.size(), V(-1.5))) << a.name;
    }
}

TYPED_TEST(EveryDeviceOperator, PropagatesInfinityAndNaNAsCsrDoes) {
    using V = typename TypeParam::Value;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        auto csr = convert_values<V>(matrix);
        auto x = numbers<V>(csr.cols, 1);
        for (std::size_t i = 0; i < x.size(); i += 5) x[i] = static_cast<V>(i % 2 == 0 ? kInf : kNaN);
        auto operators = every_operator<V>(csr, TypeParam::accumulator);
        std::erase_if(operators, [](const auto& a) { return a.made->facts().pads_with_zeros; });
        this->expect_product(csr, operators, x);
        for (std::size_t i = 0; i < csr.values.size(); i += 7) {
            csr.values[i] = static_cast<V>(i % 2 == 0 ? -kInf : kNaN);
        }
        this->expect_product(csr, every_operator<V>(csr, TypeParam::accumulator), numbers<V>(csr.cols, 1));
    }
}

/// Products A * x of one x, one after the other without waiting, each into a y of its own; fewer of many rows.
template <class V>
class RepeatedProducts {
public:
    RepeatedProducts(const std::vector<V>& x, index_t rows)
        : rows_(static_cast<std::size_t>(rows)),
          count_(std::clamp<std::size_t>((1 << 19) / std::max<std::size_t>(rows_, 1), 8, 100)),
          x_(std::span<const V>(x), stream_.get()),
          ys_(stride_ * count_, stream_.get()),
          host_(ys_.size()) {
        stream_.synchronize();
    }

    /// The first one that has other bits than the one before, or 0.
    std::size_t first_other(const cuda::DeviceOperator<V>& a) {
        TILESPMV_CUDA(cudaMemsetAsync(ys_.data(), 0xff, ys_.bytes(), stream_.get()));  // NaN in every type
        for (std::size_t i = 0; i < count_; ++i)
            a.apply(1, x_.span(), 0, cuda::DeviceSpan(ys_.data() + stride_ * i, rows_), stream_.get());
        ys_.download(host_, stream_.get());
        stream_.synchronize();
        for (std::size_t i = 1; i < count_; ++i) {
            const V* const y = host_.data() + stride_ * i;
            if (std::memcmp(y, y - stride_, rows_ * sizeof(V)) != 0) return i;
        }
        return 0;
    }

private:
    std::size_t rows_;
    std::size_t stride_ = (rows_ + 127) / 128 * 128;  ///< each y begins where an allocation might
    std::size_t count_;
    cuda::Stream stream_;
    cuda::DeviceBuffer<V> x_;
    cuda::DeviceBuffer<V> ys_;
    std::vector<V> host_;
};

TYPED_TEST(EveryDeviceOperator, GivesTheSameBitsEveryTime) {
    using V = typename TypeParam::Value;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        RepeatedProducts<V> products(numbers<V>(csr.cols, 3), csr.rows);
        for (const auto& a : every_operator<V>(csr, TypeParam::accumulator)) {
            if (!a.made->facts().is_reproducible) continue;
            EXPECT_EQ(products.first_other(*a.made), 0) << a.name;
        }
    }
}

TYPED_TEST(EveryDeviceOperator, CanBeCapturedIntoAGraph) {
    using V = typename TypeParam::Value;
    const auto csr = convert_values<V>(matrix_of(300, 300, {{0, 0}, {5, 200}, {17, 17}, {299, 3}}));
    const auto x = numbers<V>(300, 1);
    const auto expected = expected_product<V>(csr, 2, x, 0, {});
    for (const auto& a : every_operator<V>(csr, TypeParam::accumulator)) {
        DeviceVectors<V> vectors(x, this->poison(csr.rows));
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        TILESPMV_CUDA(cudaStreamBeginCapture(vectors.stream(), cudaStreamCaptureModeThreadLocal));
        vectors.apply(*a.made, 2, 0);
        TILESPMV_CUDA(cudaStreamEndCapture(vectors.stream(), &graph));
        TILESPMV_CUDA(cudaGraphInstantiate(&executable, graph, 0));
        for (int i = 0; i < 3; ++i) TILESPMV_CUDA(cudaGraphLaunch(executable, vectors.stream()));
        this->expect_right(a, expected, vectors.y());
        TILESPMV_CUDA(cudaGraphExecDestroy(executable));
        TILESPMV_CUDA(cudaGraphDestroy(graph));
    }
}

TYPED_TEST(EveryDeviceOperator, SaysWhatItIsAndHolds) {
    using V = typename TypeParam::Value;
    const auto csr = convert_values<V>(matrix_of(30, 50, {{0, 0}, {5, 20}, {29, 49}}));
    for (const auto& a : every_operator<V>(csr, TypeParam::accumulator)) {
        SCOPED_TRACE(a.name);
        // `auto` is the operator that it takes.
        if (a.info->name != "auto") {
            EXPECT_EQ(a.made->name(), a.info->name);
        }
        EXPECT_EQ(a.made->rows(), 30);
        EXPECT_EQ(a.made->cols(), 50);
        EXPECT_EQ(a.made->nnz(), 3);
        EXPECT_GE(a.made->matrix_bytes(), 3 * sizeof(V));
        EXPECT_GE(a.made->device_bytes(), a.made->matrix_bytes());
        const bool is_ours = !a.info->name.starts_with("cusparse");
        EXPECT_TRUE(a.made->facts().is_reproducible || !is_ours);
        EXPECT_TRUE(!a.made->facts().pads_with_zeros || !is_ours);
    }
}

/// Rows in many blocks.
TYPED_TEST(EveryDeviceOperator, TakesManyRows) {
    using V = typename TypeParam::Value;
    if (TypeParam::accumulator != default_accumulator<V>()) GTEST_SKIP() << "the order of rows knows no accumulator";
    const auto csr = generate<V>("laplace2d:n=611,block=2");
    const auto x = numbers<V>(csr.cols, 1);
    const auto expected = expected_product<V>(csr, 2, x, 0, {});
    for (const char* name : {"csr-vector:threads=8", "csr-vector:threads=32,flight=8", "dia:rows=1", "dia:rows=2"}) {
        const auto a = cuda::make_device_operator<V>(name, csr, TypeParam::accumulator, nullptr);
        const auto check = check_product<V>(expected, product<V>(*a, 2, x, 0, this->poison(csr.rows)));
        EXPECT_TRUE(check.ok) << name << ' ' << check.message();
    }
}

/// What an operator may execute, empty for those made of tiles.
template <class V>
std::set<std::string> representations(const OperatorCase<V>& a) {
    const std::string name(a.made->name());  // `auto` is what it takes
    if (a.info->made_from == Form::tiles) return {};
    if (name == "strip") return {"strip", "rank-strip", "csr"};
    if (name == "csr-inode") return {name};
    if (name == "sell-spmm") return {"sell"};
    if (name == "cusparse-spmm") return {"csr"};
    if (name == "hyb") return {"ell", "coo"};
    if (name.starts_with("cusparse-")) return {name.substr(9)};
    return {name.starts_with("csr-") ? "csr" : name};
}

TYPED_TEST(EveryDeviceOperator, AccountsForEveryNonzeroAndByteItExecutes) {
    using V = typename TypeParam::Value;
    for (const auto& [name, matrix] : matrix_battery()) {
        const auto csr = convert_values<V>(matrix);
        for (const auto& a : every_operator<V>(csr, TypeParam::accumulator)) {
            SCOPED_TRACE(name + ' ' + a.name);
            expect_executed(*a.made);
            const auto expected = representations(a);
            if (expected.empty()) continue;
            for (const auto& part : a.made->executed()) {
                const auto what = part.representation + (part.format.empty() ? "" : " " + part.format);
                EXPECT_TRUE(expected.contains(what)) << what;
            }
        }
    }
}

using AutoOperator = OnDevice;
TEST_F(AutoOperator, IsWhatIsRankedFirstForThisGpu) {
    const auto csr = generate<double>("fem:n=10,dof=6");
    const auto ranked = rank_operators({.features = features_of(pattern_of(csr)), .gpu = cuda::this_gpu(8)});
    const auto tiles = convert(csr, *make_policy("paper"));
    for (const auto& source : std::vector<Source<double>>{csr, tiles, Source<double>(csr, tiles)}) {
        const auto a = cuda::make_device_operator<double>("auto", source, Accumulator::float64, nullptr);
        EXPECT_EQ(a->name(), Options("operator", ranked.front().specification).name());
        EXPECT_EQ(a->nnz(), csr.nnz());
    }
}

TEST_F(AutoOperator, StreamsFullTilesFromWhateverFormThereIs) {
    const auto csr = generate<double>("dense:rows=4096,cols=4096");
    const auto dense = convert(csr, *make_policy("bytes"));
    const auto other = convert(csr, *make_policy("only:csr"));
    const auto x = numbers<double>(csr.cols, 1);
    const auto expected = expected_product<double>(csr, 2, x, 0, {});
    auto doubled = csr.clone();
    for (double& value : doubled.values) value *= 2;
    const cuda::Stream stream;
    const cuda::DeviceBuffer<double> values(doubled.values, stream.get());
    for (const auto& source : std::vector<Source<double>>{csr, dense, other, Source<double>(csr, other)}) {
        const auto a = cuda::make_device_operator<double>("auto", source, Accumulator::float64, stream.get());
        ASSERT_EQ(a->name(), "tile");
        ASSERT_EQ(a->executed().size(), 1);
        EXPECT_EQ(a->executed().front().format, "dense");
        a->update_values(values.span(), stream.get());
        stream.synchronize();
        const auto y = product<double>(*a, 1, x, 0, std::vector<double>(static_cast<std::size_t>(csr.rows), kNaN));
        EXPECT_TRUE(check_product<double>(expected, y).ok);
    }
}

TEST_F(AutoOperator, IsTheOneWithoutAName) {
    const auto csr = generate<float>("laplace2d:n=30");
    const auto named = cuda::make_device_operator<float>("auto", csr, Accumulator::float64, nullptr);
    EXPECT_EQ(cuda::make_device_operator<float>(csr, nullptr)->specification(), named->specification());
}

using DeviceMemory = OnDevice;
TEST_F(DeviceMemory, OutOfMemoryNamesTheBytes) {
    const auto said = test::message_of([&] { const cuda::DeviceBuffer<double> much(device_.memory_bytes, nullptr); });
    EXPECT_NE(said.find("out of GPU memory: "), std::string::npos) << said;
    EXPECT_NE(said.find(std::to_string(device_.memory_bytes * 8 + 16)), std::string::npos) << said;
}

using TileOperator = OnDevice;
TEST_F(TileOperator, RefusesTheCsrOfAnotherMatrix) {
    const auto csr = matrix_of(30, 50, {{0, 0}, {5, 20}});
    const auto tiles = convert(csr, *make_policy("paper"));
    const cuda::Stream stream;
    for (const auto& other : {matrix_of(30, 50, {{0, 0}}), matrix_of(31, 50, {{0, 0}, {5, 20}}), CsrMatrix<double>{}}) {
        for (const char* name : {"tile:updatable=1", "tile:scattered=0", "tile-warp:updatable=1"}) {
            EXPECT_THROW(
                (void)cuda::make_device_operator<double>(name, {other, tiles}, Accumulator::float64, stream.get()),
                Error);
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
