// What every operator for the GPU has to get right; the list is tested, so one that is added to it is, too.
#include "kernels/check.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
class EveryDeviceOperator : public OnDevice {
protected:
    static std::vector<V> poison(index_t rows) {
        return std::vector<V>(static_cast<std::size_t>(rows), static_cast<V>(kNaN));
    }

    static void expect_right(const OperatorCase<V>& a, const ExpectedProduct& expected, const std::vector<V>& y) {
        const auto result = check_product<V>(expected, y);
        EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
    }

    static void expect_product(const CsrMatrix<V>& csr, const std::vector<OperatorCase<V>>& operators,
                               const std::vector<V>& x) {
        const auto expected = expected_product<V>(csr, V(1), x, V(0), {});
        for (const auto& a : operators) expect_right(a, expected, product<V>(*a.made, 1, x, 0, poison(csr.rows)));
    }
};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(EveryDeviceOperator, ValueTypes);

TYPED_TEST(EveryDeviceOperator, IsRightOnEveryMatrixForEveryAlphaAndBeta) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        const auto operators = every_operator<V>(csr);
        const auto x = numbers<V>(csr.cols, 1);
        for (const V beta : {V(0), V(1), V(-0.5)}) {
            const auto before = beta == V(0) ? this->poison(csr.rows) : numbers<V>(csr.rows, 2);
            for (const V alpha : {V(1), V(-2.5), V(0)}) {
                SCOPED_TRACE(::testing::Message() << "alpha " << alpha << " beta " << beta);
                const auto expected = expected_product<V>(csr, alpha, x, beta, before);
                for (const auto& a : operators) {
                    this->expect_right(a, expected, product<V>(*a.made, alpha, x, beta, before));
                }
            }
        }
    }
}

TYPED_TEST(EveryDeviceOperator, ReadsNeitherAnorXIfAlphaIsZero) {
    using V = TypeParam;
    auto csr = convert_values<V>(matrix_battery().back().csr);
    for (V& value : csr.values) value = static_cast<V>(kNaN);
    const std::vector<V> x(static_cast<std::size_t>(csr.cols), static_cast<V>(kInf));
    for (const auto& a : every_operator<V>(csr)) {
        const auto y = product<V>(*a.made, 0, x, 0, this->poison(csr.rows));
        EXPECT_EQ(y, std::vector<V>(y.size(), V(0))) << a.name;
    }
}

TYPED_TEST(EveryDeviceOperator, PropagatesInfinityAndNaNAsCsrDoes) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        auto csr = convert_values<V>(matrix);
        auto x = numbers<V>(csr.cols, 1);
        for (std::size_t i = 0; i < x.size(); i += 5) x[i] = static_cast<V>(i % 2 == 0 ? kInf : kNaN);
        auto operators = every_operator<V>(csr);
        std::erase_if(operators, [](const auto& a) { return a.made->pads_with_zeros(); });
        this->expect_product(csr, operators, x);
        for (std::size_t i = 0; i < csr.values.size(); i += 7) {
            csr.values[i] = static_cast<V>(i % 2 == 0 ? -kInf : kNaN);
        }
        this->expect_product(csr, every_operator<V>(csr), numbers<V>(csr.cols, 1));
    }
}

TYPED_TEST(EveryDeviceOperator, GivesTheSameBitsAHundredTimes) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        SCOPED_TRACE(name);
        const auto csr = convert_values<V>(matrix);
        DeviceVectors<V> vectors(numbers<V>(csr.cols, 3), this->poison(csr.rows));
        for (const auto& a : every_operator<V>(csr)) {
            if (!a.made->is_reproducible()) continue;
            vectors.apply(*a.made, 1, 0);
            const auto first = vectors.y();
            for (int run = 1; run < 100; ++run) {
                vectors.apply(*a.made, 1, 0);
                ASSERT_EQ(vectors.y(), first) << a.name << " run " << run;
            }
        }
    }
}

TYPED_TEST(EveryDeviceOperator, CanBeCapturedIntoAGraph) {
    using V = TypeParam;
    const auto csr = convert_values<V>(matrix_of(300, 300, {{0, 0}, {5, 200}, {17, 17}, {299, 3}}));
    const auto x = numbers<V>(300, 1);
    const auto expected = expected_product<V>(csr, V(2), x, V(0), {});
    for (const auto& a : every_operator<V>(csr)) {
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
    using V = TypeParam;
    const auto csr = convert_values<V>(matrix_of(30, 50, {{0, 0}, {5, 20}, {29, 49}}));
    for (const auto& a : every_operator<V>(csr)) {
        SCOPED_TRACE(a.name);
        EXPECT_EQ(a.made->name(), a.info->name);
        EXPECT_EQ(a.made->rows(), 30);
        EXPECT_EQ(a.made->cols(), 50);
        EXPECT_EQ(a.made->nnz(), 3);
        EXPECT_GE(a.made->matrix_bytes(), 3 * sizeof(V));
        EXPECT_GE(a.made->device_bytes(), a.made->matrix_bytes());
        const bool is_ours = !a.info->name.starts_with("cusparse");
        EXPECT_TRUE(a.made->is_reproducible() || !is_ours);
        EXPECT_TRUE(!a.made->pads_with_zeros() || !is_ours);
    }
}

using DeviceMemory = OnDevice;
TEST_F(DeviceMemory, OutOfMemoryNamesTheBytes) {
    try {
        const cuda::DeviceBuffer<double> much(device_.memory_bytes);
        FAIL() << "8 times the memory of the GPU was allocated";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("out of GPU memory: "), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(device_.memory_bytes * 8)), std::string::npos);
    }
}

TEST(DeviceOperatorList, IsFoundByName) {
    for (const auto& info : cuda::device_operators<double>()) {
        EXPECT_EQ(&cuda::find_device_operator<double>(std::string(info.name) + ":any=1"), &info);
    }
    EXPECT_THROW((void)cuda::find_device_operator<double>("magic"), Error);
}

}  // namespace
}  // namespace tilespmv::testing
