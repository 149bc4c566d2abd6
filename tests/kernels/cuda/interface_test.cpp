// What a caller hands to an operator on a GPU: scalars and matrices in device memory, workspaces, an allocator.
#include <atomic>
#include <string>

#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/counting_memory.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::HasSubstr;

/// Hubs, empty rows, tiles that are full and others: rows that blocks share in every representation.
CsrMatrix<double> matrix_with_everything() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 48; ++i) {
        for (index_t j = 0; j < 16; ++j) positions.insert({i, j});
    }
    for (index_t j = 0; j < 9001; j += 2) positions.insert({70, j});
    for (index_t i = 100; i < 400; ++i) positions.insert({i, (i * 37) % 9001});
    return matrix_of(403, 9001, positions);
}

bool is_ours(const std::string& name) { return !name.starts_with("cusparse"); }

/// y = alpha * A * x + beta * y with both scalars in device memory, in the operator's own workspace.
std::vector<double> product_of_device_scalars(const cuda::DeviceOperator<double>& a, double alpha,
                                              const std::vector<double>& x, double beta, const std::vector<double>& y) {
    const auto scalars = on_gpu<double>({alpha, beta});
    const auto device_x = on_gpu(x);
    auto device_y = on_gpu(y);
    a.apply(Scalar::on_device(scalars.data()), device_x.span(), Scalar::on_device(scalars.data() + 1), device_y.span(),
            nullptr);
    std::vector<double> result(y.size());
    device_y.download(result, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return result;
}

using BrokenMatrix = OnDevice;
TEST_F(BrokenMatrix, NoOperatorIsMadeOfOneThatWasMovedFrom) {
    auto csr = matrix_with_everything();
    auto tiles = convert(csr, *make_policy(kDefaultSelector));
    const auto moved_csr = std::move(csr);
    const auto moved_tiles = std::move(tiles);
    for (const auto& info : operators<double>(Backend::cuda)) {
        const auto message = test::message_of([&] {
            cuda::make_device_operator<double>(info.name, {csr, tiles}, default_accumulator(info), nullptr);
        });
        EXPECT_THAT(message, HasSubstr("expected rows + 1")) << info.name;
    }
}

using DeviceScalars = OnDevice;
TEST_F(DeviceScalars, GiveOperatorsOfOursTheSameBitsAsThoseOfTheHost) {
    const auto csr = matrix_with_everything();
    const auto x = numbers<double>(csr.cols, 1);
    const auto y = numbers<double>(csr.rows, 2);
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}, {3.0, 1.0}}) {
            const auto expected = product<double>(*a.made, alpha, x, beta, y);
            const auto got = product_of_device_scalars(*a.made, alpha, x, beta, y);
            if (is_ours(a.name)) {
                EXPECT_EQ(got, expected) << a.name;
            }
            const auto result = check_product<double>(expected_product<double>(csr, alpha, x, beta, y), got);
            EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
        }
    }
}

TEST_F(DeviceScalars, OfZeroTakeNothingFromWhatTheyMultiply) {
    const auto csr = matrix_with_everything();
    const std::vector<double> inf(static_cast<std::size_t>(csr.cols), kInf);
    const auto x = numbers<double>(csr.cols, 1);
    const std::vector<double> nan(static_cast<std::size_t>(csr.rows), kNaN);
    const auto y = numbers<double>(csr.rows, 2);
    auto doubled = y;
    for (double& value : doubled) value *= 2;
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        const auto result = check_product<double>(expected_product<double>(csr, 1, x, 0, {}),
                                                  product_of_device_scalars(*a.made, 1, x, 0, nan));
        EXPECT_TRUE(result.ok) << a.name << ' ' << result.message();
        EXPECT_EQ(product_of_device_scalars(*a.made, 0, inf, 2, y), doubled) << a.name;
        EXPECT_EQ(product_of_device_scalars(*a.made, 0, inf, 0, nan), std::vector<double>(nan.size())) << a.name;
    }
}

TEST_F(DeviceScalars, CombineTheProductInTheTypeOfTheValues) {
    const auto csr = convert_values<Half>(matrix_with_everything());
    const auto scalars = on_gpu<double>({2, -1});
    const auto x = numbers<Half>(csr.cols, 1);
    const auto y = numbers<Half>(csr.rows, 2);
    const std::vector<Half> nan(y.size(), static_cast<Half>(kNaN));
    for (const auto& a : every_operator<Half>(csr, Accumulator::float32)) {
        if (!a.made->facts().is_reproducible) continue;
        const auto device_x = on_gpu(x);
        auto device_y = on_gpu(y);
        a.made->apply(Scalar::on_device(scalars.data()), device_x.span(), Scalar::on_device(scalars.data() + 1),
                      device_y.span(), nullptr);
        std::vector<Half> got(y.size());
        device_y.download(got, nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
        auto expected = product<Half>(*a.made, 1, x, 0, nan);
        for (std::size_t i = 0; i < y.size(); ++i) {
            expected[i] = static_cast<Half>(2 * static_cast<double>(expected[i]) - static_cast<double>(y[i]));
        }
        EXPECT_EQ(got, expected) << a.name;
    }
}

using Blocks = OnDevice;
TEST_F(Blocks, AreMultipliedColumnByColumnInTheMemoryOfTheGpuAndOfTheHost) {
    const auto csr = matrix_with_everything();
    const auto rows = static_cast<std::size_t>(csr.rows);
    const auto cols = static_cast<std::size_t>(csr.cols);
    const auto xs = numbers<double>(2 * csr.cols, 1);
    const std::vector<double> nan(2 * rows, kNaN);
    const auto block = []<class T>(T* data, std::size_t size, Memory memory) {
        return Block<T>(data, size, 2, size, Layout::column_major, memory);
    };
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        if (!a.made->facts().is_reproducible) continue;
        const auto device_xs = on_gpu(xs);
        auto device_ys = on_gpu(nan);
        a.made->apply(1, block(device_xs.data(), cols, Memory::device), 0,
                      block(device_ys.data(), rows, Memory::device));
        std::vector<double> there(nan);
        device_ys.download(there, nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
        std::vector<double> here(nan);
        a.made->apply(1, block(xs.data(), cols, Memory::host), 0, block(here.data(), rows, Memory::host));
        EXPECT_EQ(here, there) << a.name;
        for (std::size_t c = 0; c < 2; ++c) {
            const auto at = [&](const std::vector<double>& v, std::size_t size) {
                return std::vector<double>(v.begin() + static_cast<std::ptrdiff_t>(c * size),
                                           v.begin() + static_cast<std::ptrdiff_t>((c + 1) * size));
            };
            EXPECT_EQ(product<double>(*a.made, 1, at(xs, cols), 0, at(nan, rows)), at(there, rows)) << a.name;
        }
        EXPECT_THAT(test::message_of([&] { a.made->apply(1, xs, 0, device_ys.span()); }), HasSubstr("expected"));
    }
}

// Under memcheck: what vectors of the host are copied to does not belong to the stream of the first product.
TEST_F(Blocks, OfTheHostOutliveTheStreamOfAProduct) {
    const auto csr = matrix_with_everything();
    const auto x = numbers<double>(csr.cols, 1);
    const auto a = cuda::make_device_operator<double>("csr-merge", csr, Accumulator::float64, nullptr);
    std::vector<double> first(static_cast<std::size_t>(csr.rows), kNaN);
    std::vector<double> second(first);
    {
        const cuda::Stream stream;
        a->apply(1, x, 0, first, stream.get());
    }
    a->apply(1, x, 0, second);
    EXPECT_EQ(first, second);
    EXPECT_TRUE(check_product<double>(expected_product<double>(csr, 1, x, 0, {}), first).ok);
}

using Workspaces = OnDevice;
TEST_F(Workspaces, LetOneOperatorServeSeveralStreams) {
    constexpr int kStreams = 4;
    constexpr int kProducts = 50;
    const auto csr = matrix_with_everything();
    for (const auto& a : every_operator<double>(csr, Accumulator::float64)) {
        if (!a.made->facts().takes_workspace) continue;
        std::vector<std::vector<double>> expected;
        std::vector<cuda::DeviceBuffer<double>> xs;
        std::vector<cuda::DeviceBuffer<double>> ys;
        std::vector<cuda::Stream> streams(kStreams);
        std::vector<cuda::Workspace> workspaces;
        for (int s = 0; s < kStreams; ++s) {
            const auto x = numbers<double>(csr.cols, s);
            const std::vector<double> nan(static_cast<std::size_t>(csr.rows), kNaN);
            expected.push_back(product<double>(*a.made, 1, x, 0, nan));
            xs.push_back(on_gpu(x));
            ys.push_back(on_gpu(nan));
            workspaces.push_back(a.made->make_workspace(nullptr));
        }
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
        for (int i = 0; i < kProducts; ++i) {
            for (int s = 0; s < kStreams; ++s) {
                a.made->apply(1, std::as_const(xs[s]).span(), 0, ys[s].span(), {streams[s].get(), &workspaces[s]});
            }
        }
        for (int s = 0; s < kStreams; ++s) {
            std::vector<double> y(expected[s].size());
            ys[s].download(y, streams[s].get());
            streams[s].synchronize();
            EXPECT_EQ(y, expected[s]) << a.name << " stream " << s;
        }
    }
}

TEST_F(Workspaces, OfAnotherOperatorAndWhereNoneIsTakenAreRefused) {
    const auto csr = matrix_of(30, 50, {{0, 0}, {5, 20}});
    const auto one = cuda::make_device_operator<double>("csr-merge", csr, Accumulator::float64, nullptr);
    const auto other = cuda::make_device_operator<double>("csr-merge", csr, Accumulator::float64, nullptr);
    const auto x = on_gpu(numbers<double>(50, 1));
    auto y = on_gpu(numbers<double>(30, 1));
    auto workspace = one->make_workspace(nullptr);
    EXPECT_EQ(test::message_of([&] {
                  other->apply(1, x.span(), 0, y.span(), {nullptr, &workspace});
              }),
              "1: csr-merge: the workspace is that of another operator");
    for (const auto& info : operators<double>(Backend::cuda)) {
        if (is_ours(std::string(info.name))) continue;
        const auto library = cuda::make_device_operator<double>(info.name, csr, Accumulator::float64, nullptr);
        auto none = library->make_workspace(nullptr);
        EXPECT_THAT(test::message_of([&] {
                        library->apply(1, x.span(), 0, y.span(), {nullptr, &none});
                    }),
                    HasSubstr("works in its own workspace only"));
    }
}

using Sizes = OnDevice;
TEST_F(Sizes, OfVectorsAreChecked) {
    const auto csr = matrix_of(30, 50, {{0, 0}, {5, 20}});
    const auto x = on_gpu(numbers<double>(50, 1));
    auto y = on_gpu(numbers<double>(30, 1));
    const auto a = cuda::make_device_operator<double>("csr-merge", csr, Accumulator::float64, nullptr);
    EXPECT_EQ(test::message_of([&] { a->apply(1, cuda::DeviceSpan(x.data(), 49), 0, y.span(), nullptr); }),
              "1: csr-merge: x has 49 values, expected 50, the columns of the matrix");
    EXPECT_EQ(test::message_of([&] { a->apply(0, x.span(), 0, cuda::DeviceSpan(y.data(), 31), nullptr); }),
              "1: csr-merge: y has 31 values, expected 30, the rows of the matrix");
    int current = -1;
    TILESPMV_CUDA(cudaGetDevice(&current));
    EXPECT_EQ(a->device(), current);
}

template <class P>
class MatricesInDeviceMemory : public OnDevice {};
using RowPointers = ::testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(MatricesInDeviceMemory, RowPointers);

TYPED_TEST(MatricesInDeviceMemory, AreMultipliedAsThoseOfTheHostAre) {
    for (const auto& [name, csr] : matrix_battery()) {
        SCOPED_TRACE(name);
        const MatrixOnGpu<TypeParam> there(csr);
        const auto x = numbers<double>(csr.cols, 1);
        const std::vector<double> nan(static_cast<std::size_t>(csr.rows), kNaN);
        const auto expected = expected_product<double>(csr, 1, x, 0, {});
        for (const auto& info : operators<double>(Backend::cuda)) {
            const auto a = unless_refused(info, [&] {
                return cuda::make_device_operator<double>(info.name, there.view, Accumulator::float64, nullptr);
            });
            if (!a) continue;
            const auto result = check_product<double>(expected, product<double>(*a, 1, x, 0, nan));
            EXPECT_TRUE(result.ok) << info.name << ' ' << result.message();
        }
    }
}

TYPED_TEST(MatricesInDeviceMemory, AreReadWhereTheyAreByOperatorsOnCsr) {
    const auto csr = matrix_with_everything();
    auto doubled = csr.clone();
    for (double& value : doubled.values) value *= 2;
    const auto x = numbers<double>(csr.cols, 1);
    const std::vector<double> nan(static_cast<std::size_t>(csr.rows), kNaN);
    int in_place = 0;
    for (const auto& info : operators<double>(Backend::cuda)) {
        if (!info.reads_csr_in_place) continue;
        ++in_place;
        MatrixOnGpu<TypeParam> there(csr);
        const auto a = cuda::make_device_operator<double>(info.name, there.view, Accumulator::float64, nullptr);
        there.values.upload(std::span<const double>(doubled.values.data(), doubled.values.size()), nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
        const auto result =
            check_product<double>(expected_product<double>(doubled, 1, x, 0, {}), product<double>(*a, 1, x, 0, nan));
        EXPECT_TRUE(result.ok) << info.name << ' ' << result.message();
        EXPECT_THAT(test::message_of([&] { a->update_values(there.values.span(), nullptr); }),
                    HasSubstr("change them there"));
    }
    EXPECT_EQ(in_place, 4);
}

using DeviceMatrix = OnDevice;
TEST_F(DeviceMatrix, ThatIsNotWhatItSaysIsRefused) {
    const auto csr = matrix_of(3, 5, {{0, 0}, {1, 2}});
    const MatrixOnGpu<std::int64_t> there(csr);
    const auto error = [](cuda::DeviceCsrView<double> view) {
        return test::message_of(
            [&] { (void)cuda::make_device_operator<double>("csr-merge", view, Accumulator::float64, nullptr); });
    };
    auto on_host = there.view;
    on_host.values = csr.values.data();
    EXPECT_EQ(error(on_host), "1: the values of a matrix in device memory are not in device memory");
    auto short_of_one = there.view;
    short_of_one.nnz = 1;
    EXPECT_EQ(error(short_of_one), "1: CSR: row_ptrs runs from 0 to 2, expected 0 to 1");
    auto negative = there.view;
    negative.rows = -1;
    EXPECT_EQ(error(negative), "1: a matrix in device memory has a negative size");
    const auto descending = on_gpu<std::int32_t>({0, 2, 1, 2});
    auto unordered = there.view;
    unordered.row_ptrs = descending.data();
    EXPECT_EQ(error(unordered), "1: CSR: row_ptrs descends from 2 to 1 at row 1");
}

TEST_F(DeviceMatrix, IsRefusedOnTheCpu) {
    const MatrixOnGpu<std::int64_t> there(matrix_of(3, 5, {{0, 0}, {1, 2}}));
    EXPECT_EQ(test::message_of([&] { (void)make_operator<double>("csr-omp", there.view); }),
              "1: the matrix is in the memory of a GPU: an operator on the CPU needs it in that of the host");
}

using Allocators = OnDevice;
TEST_F(Allocators, OfTheCallerGiveAllMemoryAndGetItBack) {
    const auto csr = matrix_with_everything();
    const auto tiles = convert(csr, *make_policy("paper-tuned-deferred"));
    for (const auto& info : operators<double>(Backend::cuda)) {
        const auto memory = std::make_shared<CountingMemory>();
        {
            const auto a =
                cuda::make_device_operator<double>(info.name, {csr, tiles}, Accumulator::float64, {nullptr, memory});
            EXPECT_GE(memory->held, a->device_bytes()) << info.name;
            EXPECT_GE(a->device_bytes(), a->matrix_bytes() + a->workspace_bytes()) << info.name;
            const auto before = memory->held;
            const auto workspace = a->make_workspace({nullptr, memory});
            EXPECT_GE(memory->held, before + a->workspace_bytes()) << info.name;
        }
        EXPECT_EQ(memory->held, 0U) << info.name;
        EXPECT_GT(memory->most, 0U) << info.name;
    }
}

class TwoGpus : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        int gpus = 0;
        if (!IsSkipped() && (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus < 2)) GTEST_SKIP() << "one GPU";
    }
    void TearDown() override { static_cast<void>(cudaSetDevice(0)); }
};

TEST_F(TwoGpus, EachMultiplyTheirOwnMatrixAndRefuseTheOthers) {
    const auto csr = matrix_with_everything();
    const auto x = numbers<double>(csr.cols, 1);
    const std::vector<double> nan(static_cast<std::size_t>(csr.rows), kNaN);
    for (const std::string name : {"csr-vector", "csr-merge", "strip", "sell:steps=1"}) {
        TILESPMV_CUDA(cudaSetDevice(0));
        const auto first = cuda::make_device_operator<double>(name, csr, Accumulator::float64, nullptr);
        const auto y = product<double>(*first, 1, x, 0, nan);
        TILESPMV_CUDA(cudaSetDevice(1));
        EXPECT_EQ(
            test::message_of([&] { (void)product<double>(*first, 1, x, 0, nan); }),
            "1: " + std::string(first->name()) + " was made on GPU 0, but GPU 1 is current; call cudaSetDevice(0)");
        const auto second = cuda::make_device_operator<double>(name, csr, Accumulator::float64, nullptr);
        EXPECT_EQ(second->device(), 1);
        EXPECT_EQ(product<double>(*second, 1, x, 0, nan), y) << name;
    }
}

}  // namespace
}  // namespace tilespmv::testing
