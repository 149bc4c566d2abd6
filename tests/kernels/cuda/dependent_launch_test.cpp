// Products start before the kernel before them on the stream is complete: whatever that kernel is, they see what it
// left, and it sees nothing of theirs.
#include <array>
#include <set>
#include <string_view>

#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/kernels/cuda/every_operator.hpp"
#include "tests/kernels/cuda/slow_kernels.hpp"
#include "tests/support/battery.hpp"

namespace tilespmv::testing {
namespace {

constexpr int kSize = 1301;  // so few diagonals that dia does not refuse it

/// Square, full rows that are split, an empty one between them, of patterns that strips share, short ones and some
/// that two groups of lanes share; norms below 1, so that chains stay finite.
CsrMatrix<double> square_matrix() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < kSize; ++i) {
        for (const index_t j : {i - 1, i, i + 1}) {
            if (i != 71 && j >= 0 && j < kSize) positions.insert({i, j});
        }
    }
    for (index_t i = 160; i < 256; ++i) {
        for (index_t k = 1; k < 40; ++k) positions.insert({i, i + 3 * k});
    }
    for (index_t j = 0; j < kSize; ++j) {
        positions.insert({70, j});
        positions.insert({72, j});
    }
    auto a = matrix_of(kSize, kSize, positions);
    for (double& value : a.values) value /= 4096;
    return a;
}

/// A graph of what `work` launches, as often as it is called.
class Graph {
public:
    template <class Work>
    Graph(cudaStream_t stream, Work&& work) : stream_(stream) {
        TILESPMV_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        work();
        TILESPMV_CUDA(cudaStreamEndCapture(stream, &graph_));
        TILESPMV_CUDA(cudaGraphInstantiate(&executable_, graph_, 0));
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph() {
        static_cast<void>(cudaGraphExecDestroy(executable_));
        static_cast<void>(cudaGraphDestroy(graph_));
    }
    void operator()() const { TILESPMV_CUDA(cudaGraphLaunch(executable_, stream_)); }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

/// A type of values, and what they are summed in.
template <class ValueType, Accumulator kAccumulator>
struct Summed {
    using Value = ValueType;
};

template <class Values>
class DependentLaunch;

template <class V, Accumulator kAccumulator>
class DependentLaunch<Summed<V, kAccumulator>> : public OnDevice {
protected:
    static constexpr Accumulator kSums = kAccumulator;

    using Copy = void (*)(const V*, V*, int, cudaStream_t);
    static constexpr std::array<Copy, 2> kCopies{copy_slowly<V>, copy_slowly_letting_others_start<V>};

    using Vector = cuda::DeviceBuffer<V>;

    static Vector on_gpu(std::span<const V> host) {
        Vector buffer(host, nullptr);
        TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
        return buffer;
    }
    static Vector poison() { return on_gpu(std::vector<V>(kSize, static_cast<V>(kNaN))); }
    static std::vector<V> on_host(const Vector& buffer, cudaStream_t stream) {
        std::vector<V> values(buffer.size());
        buffer.download(values, stream);
        TILESPMV_CUDA(cudaStreamSynchronize(stream));
        return values;
    }
    static void expect_right(const ExpectedProduct& expected, const Vector& y, cudaStream_t stream,
                             const std::string& what) {
        const auto result = check_product<V>(expected, on_host(y, stream), kSums);
        EXPECT_TRUE(result.ok) << what << ' ' << result.message();
    }

    static std::vector<V> ramp(int first) {
        std::vector<V> values;
        for (int i = 0; i < kSize; ++i) values.push_back(static_cast<V>(first + i % 17));
        return values;
    }
    /// The same pattern with other values.
    static CsrMatrix<V> with_new_values() {
        auto other = square_matrix();
        for (double& value : other.values) value *= -3;
        return convert_values<V>(other);
    }
    [[nodiscard]] ExpectedProduct expected(double beta = 0, const std::vector<V>& y = {}) const {
        return expected_product<V>(csr_, 1, new_x_, beta, y);
    }
    [[nodiscard]] std::vector<OperatorCase<V>> all() const { return every_operator<V>(csr_, kSums); }

    const CsrMatrix<V> csr_ = convert_values<V>(square_matrix());
    const std::vector<V> old_x_ = ramp(1);
    const std::vector<V> new_x_ = ramp(100);
    const std::vector<V> old_y_ = ramp(7);
};
using SummedTypes = ::testing::Types<Summed<double, Accumulator::float64>, Summed<float, Accumulator::float32>,
                                     Summed<float, Accumulator::float64>, Summed<Half, Accumulator::float32>,
                                     Summed<Bfloat16, Accumulator::float32>>;
TYPED_TEST_SUITE(DependentLaunch, SummedTypes);

TYPED_TEST(DependentLaunch, IsTestedOnEveryOperator) {
    std::set<std::string_view> tested;
    for (const auto& a : this->all()) tested.insert(a.info->name);
    for (const auto& info : operators<typename TypeParam::Value>(Backend::cuda)) {
        const bool sums_so = !info.sums_in_own_type || default_accumulator(info) == this->kSums;
        EXPECT_EQ(tested.contains(info.name), sums_so) << info.name;
    }
}

TYPED_TEST(DependentLaunch, ReadsXThatTheKernelBeforeWrites) {
    const cuda::Stream stream;
    const auto source = this->on_gpu(this->new_x_);
    const auto expected = this->expected();
    for (const auto& a : this->all()) {
        for (const auto copy : this->kCopies) {
            const auto x = this->on_gpu(this->old_x_);
            auto y = this->poison();
            copy(source.data(), x.data(), kSize, stream.get());
            a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            this->expect_right(expected, y, stream.get(), a.name);
        }
    }
}

TYPED_TEST(DependentLaunch, WritesYAfterTheKernelBeforeHasReadAndWrittenIt) {
    const cuda::Stream stream;
    const auto x = this->on_gpu(this->new_x_);
    const auto source = this->on_gpu(this->old_y_);
    const auto expected = this->expected(2, this->old_y_);
    for (const auto& a : this->all()) {
        for (const auto copy : this->kCopies) {
            auto y = this->poison();
            const auto seen = this->on_gpu(this->old_x_);
            copy(source.data(), y.data(), kSize, stream.get());
            a.made->apply(1.0, x.span(), 2.0, y.span(), stream.get());
            copy(y.data(), seen.data(), kSize, stream.get());
            a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            this->expect_right(expected, seen, stream.get(), a.name);
        }
    }
}

/// x and y are written, read and overwritten by kernels of others before and after products.
TYPED_TEST(DependentLaunch, FollowsForeignKernelsInAGraph) {
    const cuda::Stream stream;
    const auto old_x = this->on_gpu(this->old_x_);
    const auto new_x = this->on_gpu(this->new_x_);
    const auto old_y = this->on_gpu(this->old_y_);
    const auto fresh = this->expected();
    const auto added = this->expected(2, this->old_y_);
    for (const auto& a : this->all()) {
        for (const auto copy : this->kCopies) {
            const auto x = this->on_gpu(this->old_x_);
            auto y = this->poison();
            const auto seen = this->poison();
            const Graph graph(stream.get(), [&] {
                copy(new_x.data(), x.data(), kSize, stream.get());
                a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
                copy(y.data(), seen.data(), kSize, stream.get());
                copy(old_y.data(), y.data(), kSize, stream.get());
                a.made->apply(1.0, x.span(), 2.0, y.span(), stream.get());
                copy(old_x.data(), x.data(), kSize, stream.get());
            });
            for (int replay = 0; replay < 2; ++replay) graph();
            this->expect_right(fresh, seen, stream.get(), a.name + ", y read by the kernel after");
            this->expect_right(added, y, stream.get(), a.name + ", y written by the kernel before");
        }
    }
}

/// 20 products in which x and y change places, `between` on the stream after each.
template <class V, class Between>
void chain(const cuda::DeviceOperator<V>& a, cuda::DeviceBuffer<V>& x, cuda::DeviceBuffer<V>& y, cudaStream_t stream,
           Between between) {
    for (int i = 0; i < 10; ++i) {
        a.apply(1.0, x.span(), 1.0, y.span(), stream);
        between();
        a.apply(0.5, y.span(), -0.25, x.span(), stream);
        between();
    }
}

TYPED_TEST(DependentLaunch, ChainsGiveTheBitsOfProductsOneByOne) {
    const cuda::Stream stream;
    for (const auto& a : this->all()) {
        if (!a.made->facts().is_reproducible) continue;
        auto x = this->on_gpu(this->new_x_);
        auto y = this->on_gpu(this->old_x_);
        chain(*a.made, x, y, stream.get(), [&] { stream.synchronize(); });
        const auto expected = this->on_host(x, stream.get());
        for (int repeat = 0; repeat < 5; ++repeat) {
            x = this->on_gpu(this->new_x_);
            y = this->on_gpu(this->old_x_);
            chain(*a.made, x, y, stream.get(), [] {});
            ASSERT_EQ(this->on_host(x, stream.get()), expected) << a.name;
        }
        x = this->on_gpu(this->new_x_);
        y = this->on_gpu(this->old_x_);
        const Graph graph(stream.get(), [&] { chain(*a.made, x, y, stream.get(), [] {}); });
        graph();
        EXPECT_EQ(this->on_host(x, stream.get()), expected) << a.name << " in a graph";
    }
}

TYPED_TEST(DependentLaunch, OperatorsOnOneStreamFollowEachOther) {
    using V = typename TypeParam::Value;
    const cuda::Stream stream;
    const auto all = this->all();
    const auto expected = this->expected();
    const auto x = this->on_gpu(this->new_x_);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        auto y = this->poison();
        auto z = this->poison();
        all[i].made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
        all[i + 1].made->apply(1.0, y.span(), 0.0, z.span(), stream.get());
        this->expect_right(expected, y, stream.get(), all[i].name);
        const auto of_y = expected_product<V>(this->csr_, 1, this->on_host(y, stream.get()), 0, {});
        this->expect_right(of_y, z, stream.get(), all[i].name + ", " + all[i + 1].name);
    }
}

/// New values come from a kernel of others; nothing, a product or another kernel of others stands before the product
/// that is to see them.
TYPED_TEST(DependentLaunch, SeesNewValuesWhateverStandsBetween) {
    using V = typename TypeParam::Value;
    const cuda::Stream stream;
    const auto x = this->on_gpu(this->new_x_);
    const auto other = this->with_new_values();
    const auto old_values = this->on_gpu(this->csr_.values);
    const auto new_values = this->on_gpu(other.values);
    const auto size = static_cast<int>(other.values.size());
    const auto expected = expected_product<V>(other, 1, this->new_x_, 0, {});
    const auto merge = cuda::make_device_operator<V>("csr-merge", this->csr_, this->kSums, nullptr);
    auto z = this->poison();
    const auto w = this->poison();
    const auto nothing = [] {};
    const auto product_between = [&] { merge->apply(1.0, x.span(), 0.0, z.span(), stream.get()); };
    const auto kernel_between = [&] { copy_slowly_letting_others_start(x.data(), w.data(), kSize, stream.get()); };
    for (const auto& a : every_updatable_operator<V>(this->csr_, this->kSums)) {
        auto source = this->on_gpu(this->csr_.values);
        auto y = this->poison();
        const auto update_and_multiply = [&](const auto& between) {
            copy_slowly_letting_others_start(new_values.data(), source.data(), size, stream.get());
            a.made->update_values(source.span(), stream.get());
            between();
            a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
        };
        const auto begin_again = [&] {
            source.upload(this->csr_.values, stream.get());
            a.made->update_values(old_values.span(), stream.get());
            a.made->apply(1.0, x.span(), 0.0, y.span(), stream.get());
        };
        update_and_multiply(nothing);
        this->expect_right(expected, y, stream.get(), a.name);
        begin_again();
        update_and_multiply(product_between);
        this->expect_right(expected, y, stream.get(), a.name + " after a product");
        begin_again();
        update_and_multiply(kernel_between);
        this->expect_right(expected, y, stream.get(), a.name + " after a kernel of others");
        begin_again();
        const Graph graph(stream.get(), [&] { update_and_multiply(kernel_between); });
        graph();
        this->expect_right(expected, y, stream.get(), a.name + " in a graph");
    }
}

TYPED_TEST(DependentLaunch, SeesValuesThatTheirOwnerWrites) {
    using V = typename TypeParam::Value;
    const cuda::Stream stream;
    const auto x = this->on_gpu(this->new_x_);
    const auto& csr = this->csr_;
    const auto other = this->with_new_values();
    const cuda::DeviceBuffer<std::int64_t> row_ptrs(csr.row_ptrs, nullptr);
    const cuda::DeviceBuffer<index_t> cols(csr.col_idxs, nullptr);
    const auto source = this->on_gpu(other.values);
    const auto expected = expected_product<V>(other, 1, this->new_x_, 0, {});
    for (const auto& info : operators<V>(Backend::cuda)) {
        if (!info.reads_csr_in_place) continue;
        for (const auto copy : this->kCopies) {
            const auto values = this->on_gpu(csr.values);
            const cuda::DeviceCsrView<V> view{kSize, kSize, csr.nnz(), row_ptrs.data(), cols.data(), values.data()};
            const auto a = cuda::make_device_operator<V>(info.name, view, this->kSums, nullptr);
            auto y = this->poison();
            copy(source.data(), values.data(), static_cast<int>(csr.nnz()), stream.get());
            a->apply(1.0, x.span(), 0.0, y.span(), stream.get());
            this->expect_right(expected, y, stream.get(), std::string(info.name));
        }
    }
}

TYPED_TEST(DependentLaunch, ServesStreamsThatWaitForEachOther) {
    const cuda::Stream first;
    const cuda::Stream second;
    cudaEvent_t done = nullptr;
    TILESPMV_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    const auto source = this->on_gpu(this->new_x_);
    const auto expected = this->expected();
    for (const auto& a : this->all()) {
        const auto x = this->on_gpu(this->old_x_);
        auto y = this->poison();
        auto z = this->poison();
        a.made->apply(1.0, source.span(), 0.0, z.span(), second.get());
        copy_slowly(source.data(), x.data(), kSize, first.get());
        TILESPMV_CUDA(cudaEventRecord(done, first.get()));
        TILESPMV_CUDA(cudaStreamWaitEvent(second.get(), done));
        a.made->apply(1.0, x.span(), 0.0, y.span(), second.get());
        this->expect_right(expected, y, second.get(), a.name);
    }
    TILESPMV_CUDA(cudaEventDestroy(done));
}

}  // namespace
}  // namespace tilespmv::testing
