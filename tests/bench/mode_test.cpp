// The modes in which products are measured: what stands between them, and over what speed-ups are given.
#include "bench/harness/mode.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gmock/gmock.h>

#include "bench/harness/experiment.hpp"
#include "tests/bench/fake_device.hpp"
#include "tests/support/message_of.hpp"
#include "tile/generate/generate.hpp"

namespace tilespmv::bench {
namespace {

using testing::AllOf;
using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

FakeStopwatch fake_clock;

// A product that takes so many seconds, and others if its y is that of its last product.
class PrefersAnotherY final : public PlainOperator {
public:
    PrefersAnotherY(const CsrMatrix<double>& a, double seconds, double repeated)
        : PlainOperator(a), seconds_(seconds), repeated_(repeated) {}
    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        PlainOperator::multiply(alpha, x, beta, y);
        fake_clock.pass(y.data() == last_y_ ? repeated_ : seconds_);
        last_y_ = y.data();
    }

private:
    double seconds_;
    double repeated_;
    mutable const double* last_y_ = nullptr;
};

template <int seconds, int repeated>
std::unique_ptr<Operator<double>> make(const Source<double>& source) {
    return std::make_unique<PrefersAnotherY>(source.csr(), seconds, repeated);
}

/// What was asked of products, in this order: 'p' a product, 'c' one of a chain, 'a' an axpy.
std::string asked;

// A product that says what it is asked for.
class ToldProduct final : public Product {
public:
    explicit ToldProduct(std::unique_ptr<Product> product) : product_(std::move(product)) {}
    void run() override {
        asked += 'p';
        product_->run();
    }
    void run_chained(double scale, ChainVector from, ChainVector to) override {
        asked += 'c';
        product_->run_chained(scale, from, to);
    }
    void run_axpy() override {
        asked += 'a';
        product_->run_axpy();
    }
    void poison() override { product_->poison(); }
    [[nodiscard]] std::vector<double> chained(ChainVector which) const override { return product_->chained(which); }
    [[nodiscard]] CheckResult check(const ExpectedProduct& expected) const override {
        return product_->check(expected);
    }
    [[nodiscard]] std::string_view name() const override { return product_->name(); }
    [[nodiscard]] std::uint64_t matrix_bytes() const override { return product_->matrix_bytes(); }
    [[nodiscard]] std::uint64_t device_bytes() const override { return product_->device_bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return product_->executed(); }
    [[nodiscard]] StoredTiles stored() const override { return product_->stored(); }
    [[nodiscard]] double convert_seconds() const override { return product_->convert_seconds(); }

private:
    std::unique_ptr<Product> product_;
};

ProductBuilder told(const ProductBuilder& build) {
    return [build] { return std::make_unique<ToldProduct>(build()); };
}

class Modes : public testing::Test {
protected:
    Modes() {
        const StoppingRule six{.min_samples = 6, .max_samples = 6, .min_seconds = 0, .max_seconds = 1e9, .noise = 0.01};
        options_.warm = options_.cold = options_.preprocess = six;
        options_.min_sample_seconds = 0;
        options_.baselines = {"base"};
        options_.modes = {kModes.begin(), kModes.end()};
    }

    // base:way=1 takes two seconds whatever its y is, base:way=2 and ours three seconds for the same y and else one.
    std::vector<Result> run(index_t rows) {
        Experiment<double> experiment{"small", [rows] { return matrix(rows); }, {}};
        for (const auto& [name, made] :
             {std::pair{"base:way=1", &make<2, 2>}, {"base:way=2", &make<1, 3>}, {"ours", &make<1, 3>}}) {
            const ChosenOperator<double> chosen{name, Form::csr, made};
            experiment.candidates.push_back(
                {name, "", Accumulator::float64, [=](const CsrMatrix<double>& a, std::span<const double> x) {
                     return told(host_product_builder(chosen, "", a, x));
                 }});
        }
        return measure(experiment, options_, device_);
    }

    static CsrMatrix<double> matrix(index_t rows) {
        CsrMatrix<double> a{.rows = rows, .cols = 3, .row_ptrs = {0, 1, 3, 4}, .col_idxs = {0, 0, 1, 1}, .values = {}};
        a.values = {1, 2, 3, 4};
        if (rows == 4) a.row_ptrs = {0, 1, 3, 4, 4};
        return a;
    }

    FakeDevice device_{fake_clock};
    MeasureOptions options_;
};

TEST_F(Modes, VectorsOfASquareMatrixChangePlaces) {
    const auto results = run(3);
    for (const Result& r : results) EXPECT_EQ(r.status, Status::ok) << r.error;
    const Result& ours = results[2];
    EXPECT_THAT(ours.warm.seconds, Each(3));
    EXPECT_THAT(ours.graph.seconds, AllOf(SizeIs(6), Each(1)));
    EXPECT_THAT(ours.chain.seconds, AllOf(SizeIs(6), Each(1)));
    EXPECT_THAT(ours.axpy.seconds, AllOf(SizeIs(6), Each(3)));
    EXPECT_EQ(ours.graph.batch, kGraphProducts);
    EXPECT_EQ(ours.chain.batch, kChainProducts);
    EXPECT_EQ(ours.axpy.batch, 1);
    EXPECT_EQ(device_.records, 3);
}

TEST_F(Modes, SpeedupsAreOverTheFastestInTheSameMode) {
    const Result ours = run(3)[2];
    ASSERT_NE(find_speedup(ours, "base", Mode::warm), nullptr);
    EXPECT_EQ(find_speedup(ours, "base")->against, "base:way=1");
    EXPECT_EQ(find_speedup(ours, "base")->median, 2.0 / 3);
    for (const Mode mode : {Mode::graph, Mode::chain}) {
        const Speedup* s = find_speedup(ours, "base", mode);
        ASSERT_NE(s, nullptr);
        EXPECT_EQ(s->against, "base:way=2");
        EXPECT_EQ(s->median, 1);
    }
    EXPECT_EQ(find_speedup(ours, "base", Mode::axpy)->against, "base:way=1");
}

TEST_F(Modes, WithoutASquareMatrixXAndYStayAndAnAxpyStandsBetween) {
    const Result ours = run(4)[2];
    EXPECT_EQ(ours.status, Status::ok) << ours.error;
    EXPECT_THAT(ours.chain.seconds, Each(3));
    EXPECT_EQ(ours.chain.batch, 1);
    EXPECT_TRUE(has_axpy(ours, Mode::chain));
}

// Of every contestant alike: products of one x, which an axpy writes before each.
TEST_F(Modes, ProductsInAGraphDependOnWhatIsBeforeThem) {
    options_.modes = {Mode::graph};
    std::string chain(kGraphProducts, 'c');
    std::string pairs;
    for (int i = 0; i < kGraphProducts; ++i) pairs += "ap";
    for (const auto& [rows, expected] : {std::pair{3, chain}, {4, pairs}}) {
        std::vector<std::string> recorded;
        device_.before_record = [&] { asked.clear(); };
        device_.after_record = [&] { recorded.push_back(asked); };
        for (const Result& r : run(rows)) {
            EXPECT_EQ(r.status, Status::ok) << r.error;
            EXPECT_EQ(r.graph.batch, kGraphProducts);
            EXPECT_EQ(has_axpy(r, Mode::graph), rows == 4);
        }
        EXPECT_THAT(recorded, AllOf(SizeIs(3), Each(expected)));
    }
}

TEST_F(Modes, OnlyThoseAskedForAreMeasuredAndWarmAlways) {
    options_.modes = {Mode::chain};
    const Result ours = run(3)[2];
    EXPECT_THAT(ours.warm.seconds, SizeIs(6));
    EXPECT_THAT(ours.chain.seconds, SizeIs(6));
    for (const auto* none : {&ours.cold, &ours.graph, &ours.axpy}) {
        EXPECT_THAT(none->seconds, IsEmpty());
    }
    EXPECT_THAT(ours.speedups, SizeIs(2));
    EXPECT_EQ(device_.records, 0);
}

TEST(Mode, IsFoundByItsName) {
    for (const Mode mode : kModes) EXPECT_EQ(find_mode(mode_name(mode)), mode);
    EXPECT_EQ(test::message_of([] { find_mode("hot"); }),
              "2: unknown mode 'hot'; there are warm, cold, graph, chain, axpy");
}

// The largest element of every vector of a chain on the CPU, and the smallest that is not zero.
template <Value V>
void expect_normal(const std::string& specification) {
    const auto a = generate<V>(specification);
    const Buffer<V> x = make_x<V>(a.cols);
    const std::span<const V> x_span(x.data(), x.size());
    const auto scales = chain_scales<V>(a, x_span);
    ASSERT_THAT(scales, SizeIs(kChainProducts));
    const auto product = host_product_builder(choose_operator<V>(Backend::cpu, "csr-omp"), "", a, x_span)();
    run_chain(scales, 2 * kChainProducts, [&](double scale, ChainVector from, ChainVector to) {
        product->run_chained(scale, from, to);
        double largest = 0;
        for (const double value : product->chained(to)) {
            ASSERT_TRUE(value == 0 || std::isnormal(static_cast<V>(value))) << specification << ": " << value;
            largest = std::max(largest, std::abs(value));
        }
        EXPECT_NEAR(largest, 1, 1e-3) << specification;
    });
}

TEST(Chain, NeitherOverflowsNorUnderflows) {
    for (const char* kind : {"laplace2d:n=20", "rmat:scale=12,degree=8", "arrow:n=3000", "powerlaw:n=3000",
                             "hypersparse:n=200,nnz=400", "circuit:n=3000", "fem:n=5"}) {
        expect_normal<double>(kind);
        expect_normal<float>(kind);
    }
}

TEST(Chain, ScalesOfWhatCannotBeScaledAreOne) {
    const CsrMatrix<double> nilpotent{.rows = 2, .cols = 2, .row_ptrs = {0, 1, 1}, .col_idxs = {1}, .values = {4}};
    const std::vector<double> x{1, 0.5};
    auto scales = chain_scales<double>(nilpotent, x);
    EXPECT_EQ(scales[0], 0.5);
    scales.erase(scales.begin());
    EXPECT_THAT(scales, Each(1));
    const CsrMatrix<double> infinite{.rows = 1, .cols = 1, .row_ptrs = {0, 1}, .col_idxs = {0}, .values = {INFINITY}};
    EXPECT_THAT(chain_scales<double>(infinite, std::span(x).first(1)), Each(1));
}

TEST(Chain, BeginsAgainWithTheFirstVector) {
    const std::vector<double> scales(kChainProducts, 1);
    std::vector<std::pair<ChainVector, ChainVector>> steps;
    run_chain(scales, kChainProducts + 1,
              [&](double, ChainVector from, ChainVector to) { steps.emplace_back(from, to); });
    const std::pair first{ChainVector::first, ChainVector::one};
    EXPECT_EQ(steps.front(), first);
    EXPECT_EQ(steps.back(), first);
    for (std::size_t i = 1; i + 1 < steps.size(); ++i) EXPECT_EQ(steps[i].first, steps[i - 1].second);
    for (const auto& [from, to] : steps) EXPECT_NE(from, to);
}

}  // namespace
}  // namespace tilespmv::bench
