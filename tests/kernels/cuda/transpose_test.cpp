// The transpose on a GPU: the transposition of CSR there, and products by a second form that is made of it.
#include <string>

#include <gmock/gmock.h>

#include "kernels/check.hpp"
#include "kernels/cuda/graph.hpp"
#include "kernels/cuda/transpose_pattern.hpp"
#include "kernels/transpose.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/refusal.hpp"
#include "tile/generate/generate.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::testing {
namespace {

using ::testing::HasSubstr;

/// The battery; large ones, one with a full column, others with symmetric patterns, whole or but for one nonzero.
std::vector<NamedMatrix> matrices_to_transpose() {
    auto all = matrix_battery();
    for (const char* name : {"arrow:n=30000", "uniform:n=7000,cols=50000,per_row=9", "laplace2d:n=90", "fem:n=7,dof=3",
                             "rmat:scale=13,degree=9", "hypersparse:n=200000,nnz=9000", "stencil27:n=21"}) {
        all.push_back({name, generate<double>(name)});
    }
    std::set<std::pair<index_t, index_t>> nearly;
    for (index_t i = 0; i < 4000; ++i) {
        for (const index_t j : {i - 63, i - 1, i, i + 1, i + 63}) {
            if (j >= 0 && j < 4000) nearly.insert({i, j});
        }
    }
    all.push_back({"symmetric", matrix_of(4000, 4000, nearly)});
    nearly.erase({2017, 2080});
    all.push_back({"symmetric but for one", matrix_of(4000, 4000, nearly)});
    return all;
}

template <class T>
std::vector<offset_t> host_copy(const cuda::DeviceBuffer<T>& there) {
    std::vector<T> host(there.size());
    there.download(host, nullptr);
    TILESPMV_CUDA(cudaStreamSynchronize(nullptr));
    return {host.begin(), host.end()};
}
template <class T>
std::vector<offset_t> wide(const Buffer<T>& host) {
    return {host.begin(), host.end()};
}

/// Returns whether its pattern was found to be symmetric.
template <class P>
bool expect_transposed(const CsrMatrix<double>& a) {
    const auto row_ptrs = on_gpu(std::vector<P>(a.row_ptrs.begin(), a.row_ptrs.end()));
    const auto col_idxs = on_gpu(std::vector<index_t>(a.col_idxs.begin(), a.col_idxs.end()));
    const auto t = cuda::transpose_pattern<P>({a.rows, a.cols, a.nnz(), row_ptrs.data(), col_idxs.data()}, nullptr);
    const auto expected = transpose_pattern(a);
    EXPECT_EQ(host_copy(t.positions), wide(expected.positions));
    EXPECT_EQ(host_copy(t.row_ptrs), wide(expected.matrix.row_ptrs));
    EXPECT_EQ(host_copy(t.col_idxs), wide(expected.matrix.col_idxs));
    return t.is_same;
}

using TransposeOnGpu = OnDevice;
TEST_F(TransposeOnGpu, OfAPatternIsThatOfTheHost) {
    int symmetric = 0;
    for (const auto& [name, a] : matrices_to_transpose()) {
        SCOPED_TRACE(name);
        const auto t = transpose_pattern(a);
        const bool is_same = a.rows == a.cols && t.matrix.row_ptrs == a.row_ptrs && t.matrix.col_idxs == a.col_idxs;
        EXPECT_EQ(expect_transposed<std::uint32_t>(a), is_same);
        EXPECT_EQ(expect_transposed<offset_t>(a), is_same);
        symmetric += is_same ? 1 : 0;
    }
    EXPECT_GE(symmetric, 4) << "both ways are taken";
}

TEST_F(TransposeOnGpu, OfAPatternWhoseColumnsDoNotAscendIsRightAsWell) {
    const CsrMatrix<double> twice{2, 2, {0, 2, 4}, {1, 1, 0, 0}, {1, 2, 3, 4}};
    const CsrMatrix<double> descending{2, 2, {0, 2, 4}, {1, 0, 1, 0}, {1, 2, 3, 4}};
    EXPECT_FALSE(expect_transposed<std::uint32_t>(twice));
    EXPECT_FALSE(expect_transposed<std::uint32_t>(descending));
}

template <class V>
MakeOfSource<V> gpu_maker(const std::string& specification) {
    return
        [specification](const Source<V>& a) { return make_operator<V>(specification, a, {.backend = Backend::cuda}); };
}

Run transposed_run(cudaStream_t stream = nullptr) {
    Run run(stream);
    run.op = Op::transpose;
    return run;
}

/// What `a` makes of x, in the memory of the host, by its transpose.
template <class V>
std::vector<V> transposed_product(const Operator<V>& a, int columns = 1) {
    const auto cols = static_cast<std::size_t>(columns);
    const auto x = numbers<V>(a.rows() * columns, 3);
    std::vector<V> y(static_cast<std::size_t>(a.cols()) * cols, static_cast<V>(kNaN));
    a.apply(
        1, Block<const V>(x.data(), static_cast<std::size_t>(a.rows()), columns, cols, Layout::row_major, Memory::host),
        0, Block<V>(y.data(), static_cast<std::size_t>(a.cols()), columns, cols, Layout::row_major, Memory::host),
        transposed_run());
    return y;
}

template <class V>
void expect_right(const Operator<V>& a, const CsrMatrix<V>& csr) {
    const auto x = numbers<V>(csr.rows, 3);
    const auto result = check_product<V>(expected_product<V>(transposed(csr).matrix, 1, x, 0, {}),
                                         transposed_product(a), default_accumulator<V>());
    EXPECT_TRUE(result.ok) << result.message();
}

template <class V>
class TransposesOnGpu : public OnDevice {};
using TransposedValues = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(TransposesOnGpu, TransposedValues);

constexpr std::array kTransposedBy{"csr-vector", "csr-merge", "sell",      "ell",      "csr-inode", "dia",
                                   "hyb",        "strip",     "sell-spmm", "csr-spmm", "auto"};

TYPED_TEST(TransposesOnGpu, HaveTheBitsOfTheTransposedMatrixWhereverItComesFrom) {
    using V = TypeParam;
    for (const auto& [name, matrix] : matrix_battery()) {
        const auto csr = convert_values<V>(matrix);
        const auto other = transposed(csr).matrix;
        const auto tiles = convert(csr, *make_policy(kDefaultSelector));
        const MatrixOnGpu<std::int32_t, V> narrow(csr);
        const MatrixOnGpu<std::int64_t, V> wide(csr);
        for (const std::string specification : kTransposedBy) {
            SCOPED_TRACE(name + ' ' + specification);
            const auto make = gpu_maker<V>(specification);
            const auto& info = find_operator<V>(Backend::cuda, specification);
            const auto direct = unless_refused(info, [&] { return make(other); });
            if (!direct || !unless_refused(info, [&] { return make(csr); })) continue;
            const auto x = numbers<V>(csr.rows, 3);
            std::vector<V> expected(static_cast<std::size_t>(csr.cols));
            direct->apply(1, std::span<const V>(x), 0, std::span<V>(expected));
            for (const Source<V>& source :
                 {Source<V>(csr), Source<V>(tiles), Source<V>(narrow.view), Source<V>(wide.view)}) {
                const auto made = with_transpose<V>(make(source), source, make, SecondForm::always);
                EXPECT_EQ(transposed_product(*made), expected);
            }
            expect_right(*with_transpose<V>(make(csr), csr, make), csr);
        }
    }
}

TYPED_TEST(TransposesOnGpu, TakeNewValuesFromEitherMemoryAndInAGraph) {
    using V = TypeParam;
    for (const char* name : {"uniform:n=300,cols=200,per_row=5", "laplace2d:n=30", "rmat:scale=9,degree=7"}) {
        const auto csr = generate<V>(name);
        for (const std::string specification : kTransposedBy) {
            SCOPED_TRACE(std::string(name) + ' ' + specification);
            const auto make = gpu_maker<V>(specification);
            const auto& info = find_operator<V>(Backend::cuda, specification);
            const auto made =
                unless_refused(info, [&] { return with_transpose<V>(make(csr), csr, make, SecondForm::always); });
            if (!made) continue;
            auto next = csr.clone();
            const auto change = [&] {
                for (V& value : next.values) value = static_cast<V>(1 - static_cast<double>(value) / 2);
                next.values[0] = V(3);
            };
            const auto expect_next = [&](std::string_view from) {
                EXPECT_EQ(transposed_product(*made, 3),
                          transposed_product(*with_transpose<V>(make(next), next, make, SecondForm::always), 3))
                    << from;
            };
            change();
            made->update_values(std::span<const V>(next.values.data(), next.values.size()));
            expect_next("host");
            change();
            cuda::Stream stream;
            cuda::DeviceBuffer<V> there(next.values, stream.get());
            const Block<const V> block(there.data(), there.size(), Memory::device);
            made->update_values(block, stream.get());
            stream.synchronize();
            expect_next("GPU");
            const cuda::Graph graph(stream.get(), [&] { made->update_values(block, stream.get()); });
            for (int time = 0; time < 2; ++time) {
                change();
                there.upload({next.values.data(), next.values.size()}, stream.get());
                graph.launch();
                stream.synchronize();
                expect_next("graph");
            }
        }
    }
}

TEST_F(TransposeOnGpu, OfASymmetricMatrixIsTheMatrixWhileItsValuesAreSymmetric) {
    auto a = generate<double>("laplace2d:n=40");
    const auto make = gpu_maker<double>("sell");
    const auto found = with_transpose(make(a), a, make);
    EXPECT_EQ(found->facts().other_bytes - make(a)->facts().other_bytes, static_cast<std::size_t>(a.nnz()) * 4);
    expect_right(*found, a);
    for (double& value : a.values) value = 3 * value - 1;
    found->update_values(std::span<const double>(a.values.data(), a.values.size()));
    expect_right(*found, a);
    for (double& value : a.values) value = 1 - value;
    cuda::Stream stream;
    cuda::DeviceBuffer<double> there(a.values, stream.get());
    const Block<const double> block(there.data(), there.size(), Memory::device);
    found->update_values(block, stream.get());
    stream.synchronize();
    expect_right(*found, a);
    EXPECT_THAT(test::message_of(
                    [&] { const cuda::Graph graph(stream.get(), [&] { found->update_values(block, stream.get()); }); }),
                HasSubstr("SecondForm::never if they are"));
    auto other = a.clone();
    other.values[1] += 1;
    there.upload({other.values.data(), other.values.size()}, stream.get());
    for (const Block<const double>& values : {block, Block<const double>(other.values.data(), other.values.size())}) {
        EXPECT_THAT(test::message_of([&] { found->update_values(values, stream.get()); }),
                    HasSubstr("but these values are not"));
    }
    expect_right(*found, a);
    EXPECT_GT(with_transpose(make(other), other, make)->facts().other_bytes, found->facts().other_bytes);
}

TEST_F(TransposeOnGpu, OfASymmetricPatternIsMultipliedByWhatAutoTookForTheMatrix) {
    auto a = generate<double>("laplace2d:n=90");
    a.values[1] += 1;
    std::vector<std::string> taken, preferred;
    const MakeOfSource<double> make = [&](const Source<double>& source) {
        auto made = make_operator<double>("auto", source, {.backend = Backend::cuda});
        taken.emplace_back(made->specification());
        preferred.push_back(source.preferred());
        return made;
    };
    const auto made = with_transpose(make(a), a, make);
    EXPECT_EQ(taken, std::vector(2, taken[0]));
    EXPECT_EQ(preferred, (std::vector<std::string>{"", taken[0]}));
    expect_right(*made, a);
}

TEST_F(TransposeOnGpu, OfAMatrixThatIsReadWhereItLiesTakesTheValuesThatItHasThere) {
    for (const char* name : {"uniform:n=300,cols=200,per_row=5", "laplace2d:n=30"}) {
        auto a = generate<double>(name);
        MatrixOnGpu<std::int32_t> there(a);
        const auto make = gpu_maker<double>("csr-vector");
        const auto made = with_transpose<double>(make(there.view), there.view, make);
        for (double& value : a.values) value = 3 * value - 1;
        there.values.upload({a.values.data(), a.values.size()}, nullptr);
        made->update_values(Block<const double>(there.values.data(), there.values.size(), Memory::device));
        expect_right(*made, a);
    }
}

TEST_F(TransposeOnGpu, ByTheLibraryIsRightAndNotReproducible) {
    const auto is_library = [](const auto& info) { return info.name == "cusparse-csr"; };
    if (std::ranges::none_of(operators<double>(Backend::cuda), is_library)) GTEST_SKIP() << "built without cuSPARSE";
    const auto a = generate<double>("rmat:scale=9,degree=7");
    for (const std::string specification : {"cusparse-csr:alg=1", "cusparse-csr:alg=2", "cusparse-spmm:alg=1"}) {
        SCOPED_TRACE(specification);
        const auto make = gpu_maker<double>(specification);
        const auto made = with_transpose(make(a), a, make);
        EXPECT_FALSE(made->facts().is_reproducible);
        expect_right(*made, a);
        const auto eight = transposed_product(*made, 8);
        const auto other = transposed(a).matrix;
        const auto x = numbers<double>(a.rows * 8, 3);
        for (int c = 0; c < 8; ++c) {
            std::vector<double> of_x, of_y;
            for (index_t r = 0; r < a.rows; ++r) of_x.push_back(x[static_cast<std::size_t>(r * 8 + c)]);
            for (index_t r = 0; r < a.cols; ++r) of_y.push_back(eight[static_cast<std::size_t>(r * 8 + c)]);
            const auto result = check_product<double>(expected_product<double>(other, 1, of_x, 0, {}), of_y);
            EXPECT_TRUE(result.ok) << result.message();
        }
    }
}

// Under compute-sanitizer.
using SanitizerTranspose = OnDevice;
TEST_F(SanitizerTranspose, OfPatternsAndNewValues) {
    for (const char* name : {"rmat:scale=6,degree=5", "laplace2d:n=9", "arrow:n=300"}) {
        auto a = generate<double>(name);
        expect_transposed<std::uint32_t>(a);
        expect_transposed<offset_t>(a);
        a.values[1] += 1;
        for (const std::string specification : {"csr-vector", "sell", "ell"}) {
            const auto make = gpu_maker<double>(specification);
            const auto made = with_transpose(make(a), a, make);
            made->update_values(std::span<const double>(a.values.data(), a.values.size()));
            expect_right(*made, a);
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
