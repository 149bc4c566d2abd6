#include "bench/harness/experiment.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>

#include <gmock/gmock.h>

#include "kernels/refusal.hpp"
#include "tests/bench/fake_device.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

FakeStopwatch fake_time;

// A product of one second that calls `spoil(y, calls so far)` at the end.
template <void (*spoil)(std::span<double>, int)>
class FakeOperator final : public PlainOperator {
public:
    using PlainOperator::PlainOperator;
    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        PlainOperator::multiply(alpha, x, beta, y);
        fake_time.pass(1);
        spoil(y, ++calls_);
    }

private:
    mutable int calls_ = 0;
};

template <void (*spoil)(std::span<double>, int)>
std::unique_ptr<Operator<double>> make(const Source<double>& source) {
    return std::make_unique<FakeOperator<spoil>>(source.csr());
}

void leave(std::span<double>, int) {}
void slow(std::span<double>, int) { fake_time.pass(2); }
void slower(std::span<double>, int) { fake_time.pass(4); }
void bend(std::span<double> y, int) { y[1] *= 1 + 1e-9; }
void forget(std::span<double> y, int) { y[2] = std::numeric_limits<double>::quiet_NaN(); }
void bend_later(std::span<double> y, int calls) { y[1] += calls > 8; }
void bend_first(std::span<double> y, int calls) { y[1] *= calls == 1 ? 1 + 0x1p-51 : 1; }
void break_later(std::span<double>, int calls) {
    if (calls > 8) throw std::runtime_error("out of cards");
}
std::unique_ptr<Operator<double>> refuse(const Source<double>&) { throw Error("cannot hold the matrix"); }
std::unique_ptr<Operator<double>> skip(const Source<double>&) { throw Refusal("it has 3 diagonals"); }

using Fake = ChosenOperator<double>;
const Fake kRight{"right", Form::csr, &make<leave>};
const Fake kSlow{"slow", Form::csr, &make<slow>};
const Fake kAsSlow{"slow:much=0", Form::csr, &make<slow>};
const Fake kSlower{"slow:much=1", Form::csr, &make<slower>};
const Fake kBent{"bent", Form::csr, &make<bend>};
const Fake kForgetful{"forgetful", Form::csr, &make<forget>};
const Fake kBentLater{"bent-later", Form::csr, &make<bend_later>};
const Fake kBentFirst{"bent-first", Form::csr, &make<bend_first>};
const Fake kBreaksLater{"breaks-later", Form::csr, &make<break_later>};
const Fake kRefuses{"refuses", Form::csr, &refuse};
const Fake kDoesNotSuit{"does-not-suit", Form::csr, &skip};

Candidate<double> candidate(const Fake& fake) {
    return {fake.name, "", Accumulator::float64, [=](const CsrMatrix<double>& a, std::span<const double> x) {
                return host_product_builder(fake, "", a, x);
            }};
}

class Measure : public testing::Test {
protected:
    Measure() {
        const StoppingRule six{.min_samples = 6, .max_samples = 6, .min_seconds = 0, .max_seconds = 1e9, .noise = 0.01};
        options_.warm = options_.cold = options_.preprocess = six;
        options_.min_sample_seconds = 0;
        options_.baselines = {"slow"};
    }

    static CsrMatrix<double> matrix() {
        return {.rows = 3, .cols = 2, .row_ptrs = {0, 1, 3, 4}, .col_idxs = {0, 0, 1, 1}, .values = {1, 2, 3, 4}};
    }

    std::vector<Result> run(const std::vector<const Fake*>& fakes) {
        Experiment<double> experiment{.matrix = "small", .load = matrix, .candidates = {}};
        for (const Fake* fake : fakes) experiment.candidates.push_back(candidate(*fake));
        return measure(experiment, options_, device_);
    }

    static void expect_no_times(const Result& result) {
        EXPECT_THAT(result.warm.seconds, IsEmpty());
        EXPECT_THAT(result.cold.seconds, IsEmpty());
        EXPECT_THAT(result.preprocess.seconds, IsEmpty());
        EXPECT_EQ(result.preprocess_products, 0);
        EXPECT_THAT(result.speedups, IsEmpty());
        EXPECT_EQ(metrics(result).seconds, 0);
    }

    FakeDevice device_{fake_time};
    MeasureOptions options_;
};

TEST_F(Measure, RightOperatorHasAllItsNumbers) {
    const Result r = run({&kRight}).front();
    EXPECT_EQ(r.id, (CaseId{"small", "right", "", "float64", "float64", "fake", r.id.threads}));
    EXPECT_GE(r.id.threads, 1);
    EXPECT_EQ(r.status, Status::ok);
    EXPECT_EQ(r.error, "");
    EXPECT_LE(r.error_ratio, 1);
    EXPECT_EQ(r.rows, 3);
    EXPECT_EQ(r.cols, 2);
    EXPECT_EQ(r.nnz, 4);
    EXPECT_EQ(r.matrix_bytes, 120u);
    EXPECT_EQ(r.device_bytes, 120u);
    EXPECT_EQ(r.first_seconds, 1);
    EXPECT_NEAR(r.row_variation, std::sqrt(2.0) / 4, 1e-12);  // rows of 1, 2 and 1
    EXPECT_EQ(r.stored, StoredTiles{});
    EXPECT_EQ(r.product_bytes, 120u + (3 + 2) * sizeof(double));
    EXPECT_EQ(r.cache_bytes, 1000u);
    EXPECT_EQ(r.bandwidth.read, 100);
    EXPECT_THAT(r.warm.seconds, ElementsAre(1, 1, 1, 1, 1, 1));
    EXPECT_THAT(r.cold.seconds, ElementsAre(1, 1, 1, 1, 1, 1));
    EXPECT_EQ(r.preprocess.seconds.size(), 6u);
    EXPECT_EQ(device_.flushes, 6);
}

TEST_F(Measure, SpeedupsArePairedWithTheBaseline) {
    const auto results = run({&kRight, &kSlow});
    ASSERT_NE(find_speedup(results[0], "slow"), nullptr);
    EXPECT_EQ(find_speedup(results[0], "slow")->median, 3);
    EXPECT_EQ(find_speedup(results[1], "slow")->median, 1);
    EXPECT_EQ(find_speedup(results[0], "another"), nullptr);
    EXPECT_GT(results[0].preprocess_products, 0);
    EXPECT_LT(results[0].preprocess_products, 1) << "a product of the baseline takes 3 s on its clock";
}

// "slow" stands for "slow" and "slow:much=1", "slow:much=1" for itself alone.
TEST_F(Measure, BaselineIsTheFastestOfItsGroup) {
    options_.baselines = {"slow", "slow:much=1", "slo"};
    const auto results = run({&kSlower, &kRight, &kSlow});
    const auto expect_speedup = [&](int i, const char* baseline, const char* against, double median) {
        const Speedup* s = find_speedup(results[i], baseline);
        ASSERT_NE(s, nullptr) << baseline;
        EXPECT_EQ(s->against, against);
        EXPECT_EQ(s->median, median);
    };
    expect_speedup(0, "slow", "slow", 0.6);
    expect_speedup(1, "slow", "slow", 3);
    expect_speedup(2, "slow", "slow", 1);
    expect_speedup(1, "slow:much=1", "slow:much=1", 5);
    EXPECT_EQ(find_speedup(results[1], "slo"), nullptr);
    const auto fastest_first = run({&kSlow, &kRight, &kSlower});
    EXPECT_EQ(find_speedup(fastest_first[1], "slow")->against, "slow");
    EXPECT_EQ(find_speedup(fastest_first[1], "slow")->median, 3);
}

TEST_F(Measure, TheFirstOfEquallyFastBaselinesStandsForThem) {
    for (const auto& [first, second] : {std::pair{&kSlow, &kAsSlow}, {&kAsSlow, &kSlow}}) {
        const auto results = run({&kRight, &kSlower, first, second});
        EXPECT_EQ(find_speedup(results[0], "slow")->against, first->name);
    }
}

TEST(StandsFor, ItselfAndWhatGoesOnAfterAColonOrAHyphen) {
    EXPECT_TRUE(stands_for("cusparse", "cusparse-csr:alg=1"));
    EXPECT_TRUE(stands_for("cusparse-csr", "cusparse-csr:alg=2"));
    EXPECT_TRUE(stands_for("cusparse-csr:alg=1", "cusparse-csr:alg=1"));
    EXPECT_FALSE(stands_for("cusparse-csr:alg=1", "cusparse-csr:alg=2"));
    EXPECT_FALSE(stands_for("cusparse-csr", "cusparse-csr5"));
    EXPECT_FALSE(stands_for("cusparse-csr:alg=1", "cusparse-csr"));
    EXPECT_TRUE(stands_for("tile", "tile:scattered=0"));
    EXPECT_FALSE(stands_for("tile", "tile-warp")) << "tile is a name, not the beginning of names alone";
}

TEST_F(Measure, ShortProductsAreMeasuredInBatches) {
    options_.min_sample_seconds = 5;
    const Result r = run({&kRight}).front();
    EXPECT_EQ(r.warm.batch, 8);
    EXPECT_EQ(r.cold.batch, 1);
    EXPECT_THAT(r.warm.seconds, Each(1));
}

TEST_F(Measure, WrongResultIsReportedAsWrongAndNeverAsATime) {
    const auto results = run({&kBent, &kForgetful, &kSlow});
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(results[i].status, Status::wrong);
        EXPECT_THAT(results[i].error, HasSubstr("wrong: row"));
        EXPECT_GT(results[i].error_ratio, 1);
        expect_no_times(results[i]);
    }
    EXPECT_EQ(results[2].status, Status::ok);
}

TEST_F(Measure, ResultThatGoesWrongWhileMeasuredIsWrong) {
    const auto results = run({&kBentLater, &kSlow});
    EXPECT_EQ(results[0].status, Status::wrong);
    expect_no_times(results[0]);
    EXPECT_EQ(results[1].status, Status::ok);
}

TEST_F(Measure, TheLargestErrorOfAllChecksIsKept) {
    const auto results = run({&kBentFirst, &kSlow});
    EXPECT_EQ(results[0].status, Status::ok);
    EXPECT_GT(results[0].error_ratio, results[1].error_ratio);
}

TEST_F(Measure, CaseThatFailsIsAResultAndTheOthersGoOn) {
    const auto results = run({&kRefuses, &kBreaksLater, &kRight});
    EXPECT_EQ(results[0].status, Status::failed);
    EXPECT_EQ(results[0].error, "cannot hold the matrix");
    EXPECT_EQ(results[1].status, Status::failed);
    EXPECT_EQ(results[1].error, "out of cards");
    expect_no_times(results[0]);
    expect_no_times(results[1]);
    EXPECT_EQ(results[2].status, Status::ok);
}

TEST_F(Measure, OperatorThatDoesNotSuitTheMatrixIsSkipped) {
    const auto results = run({&kDoesNotSuit, &kRight});
    EXPECT_EQ(results[0].status, Status::skipped);
    EXPECT_EQ(results[0].error, "it has 3 diagonals");
    expect_no_times(results[0]);
    EXPECT_EQ(results[1].status, Status::ok);
}

TEST_F(Measure, MatrixThatCannotBeLoadedFailsAllItsCases) {
    Experiment<double> experiment{.matrix = "gone",
                                  .load = []() -> CsrMatrix<double> { throw Error("gone: no such file"); },
                                  .candidates = {candidate(kRight), candidate(kSlow)}};
    const auto results = measure(experiment, options_, device_);
    ASSERT_EQ(results.size(), 2u);
    for (const Result& r : results) {
        EXPECT_EQ(r.status, Status::failed);
        EXPECT_EQ(r.error, "gone: no such file");
        EXPECT_EQ(r.id.matrix, "gone");
        EXPECT_THAT(r.id.operator_name, Not(IsEmpty()));
    }
}

// The operators of this build, from CSR and from tiles, on the processors of this machine.
TEST_F(Measure, OperatorsOfThisBuildAreRight) {
    const std::map<std::string, std::string> representations{
        {"reference", "csr"}, {"csr-omp", "csr"}, {"strip-omp", "csr"}, {"ell-omp", "ell"},
        {"dia-omp", "dia"},   {"coo-omp", "coo"}, {"hyb-omp", "ell"}};
    Experiment<double> experiment{.matrix = "small", .load = matrix, .candidates = {}};
    for (const auto& info : operators<double>(Backend::cpu)) {
        experiment.candidates.push_back(make_candidate<double>(device_, std::string(info.name), "paper"));
    }
    for (const Result& r : measure(experiment, options_, device_)) {
        EXPECT_EQ(r.status, Status::ok) << r.error;
        EXPECT_EQ(!r.runs.empty(), r.id.operator_name == "auto") << "which is another one";
        if (!r.runs.empty()) continue;
        // Index and values take 4 * 8 + 4 bytes; level 1 takes 8 + 28 + 24, as published 15 + 4 + 4.
        const StoredTiles one_tile{.formats = {{"coo", 1, 4, 4 * 8 + 4 + 8}}, .bytes = 96, .published_bytes = 59};
        const bool tiles = r.id.operator_name == "tile-omp";
        EXPECT_EQ(r.id.selector, tiles ? "paper" : "");
        EXPECT_EQ(r.convert_seconds > 0, tiles);
        EXPECT_EQ(r.stored, tiles ? one_tile : StoredTiles{});
        EXPECT_GE(r.matrix_bytes, 4 * sizeof(double)) << r.id.operator_name;
        EXPECT_GE(r.device_bytes, r.matrix_bytes) << r.id.operator_name;
        const ExecutedPart as_tiles{"tiles", "coo", 1, 4, r.matrix_bytes};
        const auto known = representations.find(r.id.operator_name);
        if (tiles) {
            EXPECT_THAT(r.executed, ElementsAre(as_tiles));
        }
        if (known == representations.end()) continue;
        EXPECT_THAT(r.executed, ElementsAre(ExecutedPart{known->second, "", 1, 4, r.matrix_bytes}));
    }
}

}  // namespace
}  // namespace tilespmv::bench
