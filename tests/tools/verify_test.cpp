#include "tools/verify/verify.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/convert.hpp"
#include "selector/policy.hpp"
#include "tests/bench/fake_device.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/message_of.hpp"

namespace tilespmv::tools {
namespace {

using ::testing::HasSubstr;
using Outcome = VerifyCase::Outcome;

/// What an operator may do wrong after it has done everything right.
enum class Fault { none, wrong_row, wrong_scaling, unwritten_row, reads_y, throws };

template <Fault fault>
class FaultyOperator final : public bench::PlainOperator {
public:
    using PlainOperator::PlainOperator;

    void multiply(double alpha, std::span<const double> x, double beta, std::span<double> y) const override {
        if (fault == Fault::throws) throw Error("no memory left");
        const double before = y[2], reads = fault == Fault::reads_y ? 0 * y[3] : 0;
        PlainOperator::multiply(alpha, x, beta, y);
        if (fault == Fault::unwritten_row) y[2] = before;
        y[3] += reads;
        if (fault == Fault::wrong_row || (fault == Fault::wrong_scaling && beta != 0)) y[3] *= 1 + 1e-13;
    }
};

template <Fault fault>
ChosenOperator<double> faulty(const std::string& name) {
    return {name, Form::csr, [](const Source<double>& source) -> std::unique_ptr<Operator<double>> {
                return std::make_unique<FaultyOperator<fault>>(source.csr());
            }};
}

CsrMatrix<double> tridiagonal() {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t i = 0; i < 20; ++i) {
        for (index_t j = std::max(0, i - 1); j < std::min(20, i + 2); ++j) positions.insert({i, j});
    }
    return testing::matrix_of(20, 20, positions);
}

struct VerifierTest : ::testing::Test {
    /// The exit code that the operators end the command with; what was reported is in `reported`.
    ExitCode check_csr(const std::vector<ChosenOperator<double>>& operators) {
        Verifier<double> verifier(a, operators, 1, report());
        verifier.check_csr();
        return verdict(verifier);
    }
    ExitCode check_tiles(const TileMatrix<double>& tiles) {
        std::vector<ChosenOperator<double>> all;
        for (const auto& info : operators<double>(Backend::cpu)) {
            all.push_back(choose_operator<double>(Backend::cpu, std::string(info.name)));
        }
        Verifier<double> verifier(a, all, 1, report());
        verifier.check_tiles("label", tiles);
        return verdict(verifier);
    }
    Verifier<double>::Report report() {
        return [this](const VerifyCase& c) { reported.push_back(c); };
    }
    static ExitCode verdict(const Verifier<double>& verifier) {
        return static_cast<ExitCode>(std::stoi(test::message_of([&] { verifier.require_ok(); })));
    }

    CsrMatrix<double> a = tridiagonal();
    std::vector<VerifyCase> reported;
};

TEST_F(VerifierTest, AcceptsARightOperator) {
    EXPECT_EQ(check_csr({faulty<Fault::none>("right")}), ExitCode::ok);
    ASSERT_EQ(reported.size(), 1);
    EXPECT_EQ(reported[0].outcome, Outcome::ok);
    EXPECT_LE(reported[0].worst, 1);
    EXPECT_EQ(reported[0].tiles, "");
}

TEST_F(VerifierTest, ReportsAWrongRowAndGoesOn) {
    EXPECT_EQ(check_csr({faulty<Fault::wrong_row>("wrong"), faulty<Fault::none>("right")}), ExitCode::verification);
    ASSERT_EQ(reported.size(), 2);
    EXPECT_EQ(reported[0].outcome, Outcome::wrong);
    EXPECT_GT(reported[0].worst, 1);
    EXPECT_THAT(reported[0].problem, HasSubstr("row 3"));
    EXPECT_EQ(reported[1].outcome, Outcome::ok);
}

// A checker that judges the first product alone would let it pass.
TEST_F(VerifierTest, ReportsARowThatIsWrongOnlyWhereTheOldYCounts) {
    EXPECT_EQ(check_csr({faulty<Fault::wrong_scaling>("wrong")}), ExitCode::verification);
    EXPECT_GT(reported.at(0).worst, 1);
    EXPECT_THAT(reported[0].problem, HasSubstr("row 3"));
}

TEST_F(VerifierTest, ReportsARowThatIsNotWritten) {
    EXPECT_EQ(check_csr({faulty<Fault::unwritten_row>("lazy")}), ExitCode::verification);
    EXPECT_EQ(reported.at(0).outcome, Outcome::wrong);
    EXPECT_TRUE(std::isinf(reported[0].worst));
    EXPECT_THAT(reported[0].problem, HasSubstr("row 2"));
}

TEST_F(VerifierTest, ReportsAnOperatorThatReadsYAlthoughBetaIsZero) {
    EXPECT_EQ(check_csr({faulty<Fault::reads_y>("curious")}), ExitCode::verification);
    EXPECT_EQ(reported.at(0).outcome, Outcome::wrong);
}

TEST_F(VerifierTest, AnErrorIsAFailureAndNotAWrongResult) {
    EXPECT_EQ(check_csr({faulty<Fault::throws>("broken"), faulty<Fault::none>("right")}), ExitCode::failure);
    ASSERT_EQ(reported.size(), 2);
    EXPECT_EQ(reported[0].outcome, Outcome::failed);
    EXPECT_EQ(reported[0].problem, "no memory left");
    EXPECT_EQ(reported[1].outcome, Outcome::ok);
}

TEST_F(VerifierTest, AWrongResultOutranksAFailure) {
    EXPECT_EQ(check_csr({faulty<Fault::throws>("broken"), faulty<Fault::wrong_row>("wrong")}), ExitCode::verification);
}

TEST_F(VerifierTest, AcceptsTheOperatorsOfThisBuildOnTiles) {
    EXPECT_EQ(check_tiles(convert(a, *make_policy("paper"))), ExitCode::ok);
    ASSERT_GE(reported.size(), 2);
    EXPECT_EQ(reported[0].name, "round trip");
    EXPECT_EQ(reported[0].tiles, "label");
}

TEST_F(VerifierTest, ReportsTilesWithAnotherValue) {
    auto tiles = convert(a, *make_policy("paper-csr"));
    tiles.values[0] *= 2;
    EXPECT_EQ(check_tiles(tiles), ExitCode::verification);
    for (const auto& c : reported) EXPECT_EQ(c.outcome, Outcome::wrong) << c.name;
    EXPECT_THAT(reported[0].problem, HasSubstr("nonzero 0 came back as"));
}

TEST_F(VerifierTest, TheRoundTripSeesTheSignOfZero) {
    a.values[5] = 0.0;
    auto other = a.clone();
    other.values[5] = -0.0;
    EXPECT_EQ(check_tiles(convert(other, *make_policy("bytes"))), ExitCode::verification);
    EXPECT_THAT(reported.at(0).problem, HasSubstr("nonzero 5 came back as -0"));
}

// Of an archive there is no other matrix to compare with, so that its encoding has to show what is wrong.
TEST_F(VerifierTest, ReportsTilesThatTheirFormatWouldWriteInAnotherWay) {
    auto tiles = convert(a, *make_policy("only:coo"));
    std::swap(tiles.indices[1], tiles.indices[2]);
    std::swap(tiles.values[1], tiles.values[2]);
    EXPECT_EQ(unpack(tiles), a);
    EXPECT_EQ(check_tiles(tiles), ExitCode::verification);
    EXPECT_EQ(reported.at(0).outcome, Outcome::wrong);
    EXPECT_THAT(reported[0].problem, HasSubstr("tile (0, 0): coo does not write"));
}

}  // namespace
}  // namespace tilespmv::tools
