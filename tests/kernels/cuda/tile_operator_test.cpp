#include <cmath>
#include <limits>

#include "kernels/check.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class V>
std::vector<V> numbers(index_t size, int seed) {
    std::vector<V> v(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<V>(std::sin(static_cast<double>(i * 7 + seed)));
    return v;
}

template <class V>
void expect_product(const CsrMatrix<V>& csr, const cuda::DeviceOperator<V>& a, V alpha, V beta) {
    const auto x = numbers<V>(csr.cols, 1);
    const auto before = beta == V(0) ? std::vector<V>(csr.rows, static_cast<V>(kNaN)) : numbers<V>(csr.rows, 2);
    const auto y = product<V>(a, alpha, x, beta, before);
    const auto expected = expected_product<V>(csr, alpha, x, beta, before);
    const auto result = check_product<V>(expected, y);
    EXPECT_TRUE(result.ok) << result.message() << " alpha " << alpha << " beta " << beta;
}

template <class V>
std::unique_ptr<cuda::DeviceOperator<V>> make_tile(const TileMatrix<V>& tiles, const cuda::Stream& stream,
                                                   std::string_view specification = "tile") {
    return cuda::make_device_operator<V>(specification, {.csr = nullptr, .tiles = &tiles}, default_accumulator<V>(),
                                         stream.get());
}

class TileOperatorOnDevice : public OnDevice {
protected:
    template <class V>
    static void every_matrix(std::string_view specification) {
        const cuda::Stream stream;
        for (const auto& info : selectors()) {
            SCOPED_TRACE(std::string(info.name));
            const auto policy = make_policy(info.name);
            for (const auto& [name, csr] : matrix_battery()) {
                SCOPED_TRACE(name);
                const auto typed = convert_values<V>(csr);
                const auto a = make_tile(convert(typed, *policy), stream, specification);
                for (const V alpha : {V(1), V(0), V(-2.5)}) {
                    for (const V beta : {V(0), V(1), V(-0.5)}) expect_product<V>(typed, *a, alpha, beta);
                }
            }
        }
    }
};

TEST_F(TileOperatorOnDevice, EveryMatrixDouble) { every_matrix<double>("tile"); }
TEST_F(TileOperatorOnDevice, EveryMatrixFloat) { every_matrix<float>("tile"); }
TEST_F(TileOperatorOnDevice, SplitTileRows) { every_matrix<double>("tile:item_values=64"); }
TEST_F(TileOperatorOnDevice, GenericPath) { every_matrix<double>("tile:generic=1"); }

TEST_F(TileOperatorOnDevice, PaddingNeverMeetsInfinity) {
    const cuda::Stream stream;
    for (const auto& info : selectors()) {
        const auto policy = make_policy(info.name);
        for (const auto& [name, csr] : matrix_battery()) {
            if (csr.cols == 0) continue;
            auto x = numbers<double>(csr.cols, 1);
            for (std::size_t i = 0; i < x.size(); i += 5)
                x[i] = i % 2 == 0 ? std::numeric_limits<double>::infinity() : kNaN;
            const auto a = make_tile(convert(csr, *policy), stream);
            const auto y = product<double>(*a, 1, x, 0, std::vector<double>(csr.rows, 0.0));
            const auto result = check_product<double>(expected_product<double>(csr, 1, x, 0, {}), y);
            EXPECT_TRUE(result.ok) << info.name << ' ' << name << ' ' << result.message();
        }
    }
}

TEST_F(TileOperatorOnDevice, BitwiseReproducible) {
    const cuda::Stream stream;
    for (const auto& [name, csr] : matrix_battery()) {
        for (const auto* selector : {"paper", "bytes", "paper-deferred"}) {
            const auto a = make_tile(convert(csr, *make_policy(selector)), stream, "tile:item_values=128");
            const auto x = numbers<double>(csr.cols, 3);
            const auto first = product<double>(*a, 1, x, 0, std::vector<double>(csr.rows, kNaN));
            for (int run = 0; run < 100; ++run) {
                ASSERT_EQ(product<double>(*a, 1, x, 0, std::vector<double>(csr.rows, kNaN)), first) << name;
            }
        }
    }
}

TEST_F(TileOperatorOnDevice, CanBeCapturedIntoAGraph) {
    const cuda::Stream stream;
    const auto csr = matrix_of(300, 300, {{0, 0}, {5, 200}, {17, 17}, {299, 3}});
    const auto a = make_tile(convert(csr, *make_policy("paper")), stream);
    const auto x = numbers<double>(300, 1);
    std::vector<double> y(300, kNaN);
    const cuda::DeviceBuffer<double> device_x(std::span<const double>(x), stream.get());
    cuda::DeviceBuffer<double> device_y(std::span<const double>(y), stream.get());
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    TILESPMV_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    a->apply(2, device_x.data(), 0, device_y.data(), stream.get());
    TILESPMV_CUDA(cudaStreamEndCapture(stream.get(), &graph));
    TILESPMV_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; ++i) TILESPMV_CUDA(cudaGraphLaunch(executable, stream.get()));
    device_y.download(y, stream.get());
    stream.synchronize();
    TILESPMV_CUDA(cudaGraphExecDestroy(executable));
    TILESPMV_CUDA(cudaGraphDestroy(graph));
    EXPECT_TRUE(check_product<double>(expected_product<double>(csr, 2, x, 0, {}), y).ok);
}

TEST_F(TileOperatorOnDevice, OutOfMemoryNamesTheBytes) {
    try {
        const cuda::DeviceBuffer<double> much(device_.memory_bytes);
        FAIL() << "8 times the memory of the GPU was allocated";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("out of GPU memory: "), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(device_.memory_bytes * 8)), std::string::npos);
    }
}

}  // namespace
}  // namespace tilespmv::testing
