// Every operator of the CPU on every way by which a matrix can reach it.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/check.hpp"
#include "kernels/registry.hpp"
#include "selector/policy.hpp"
#include "tests/support/arrival.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/refusal.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
class EveryArrival : public ::testing::Test {
protected:
    /// Sets the matrix that arrives.
    void start(CsrMatrix<V> a) {
        a_ = std::move(a);
        x_.resize(static_cast<std::size_t>(a_.cols));
        for (std::size_t i = 0; i < x_.size(); ++i) x_[i] = static_cast<V>(std::sin(static_cast<double>(i) * 7 + 1));
        expected_ = expected_product<V>(a_, 1, x_, 0, {});
    }

    /// Every arrival in the tiles of a policy; of one that is not the first, those where tiles arrive, and products of
    /// what is made from tiles, or may be made from tiles alone: CSR that arrives is the same for all.
    void check(const TilePolicy& policy, bool is_first = true) {
        first_.clear();
        for (const Arrival way : kArrivals) {
            if (!is_first && brings_csr(way)) continue;
            SCOPED_TRACE(name_of(way));
            const Arrived<V> arrived = arrive(way, a_, policy, directory_.path());
            EXPECT_TRUE(same_matrix(a_, arrived.csr));
            EXPECT_TRUE(same_matrix(a_, unpack(arrived.tiles)));
            for (const auto& info : operators<V>(Backend::cpu)) {
                if (info.name == "auto") check(*make_operator<V>(info.name, arrived.tiles));
                if (info.made_from == Form::csr && !is_first) continue;
                const auto op = unless_refused(info, [&] {
                    return make_operator<V>(info.name, {arrived.csr, arrived.tiles});
                });
                if (op) check(*op);
                if (way == Arrival::memory) check_new_values(info, arrived.csr, policy);
            }
        }
    }

private:
    /// Whether tiles are made of CSR after it.
    static bool brings_csr(Arrival way) { return way == Arrival::text || way == Arrival::reconverted; }

    /// Made with other values, which were replaced.
    void check_new_values(const OperatorInfo<V>& info, const CsrMatrix<V>& csr, const TilePolicy& policy) {
        const auto other = with_other_values(csr);
        const auto tiles = convert(other, policy);
        const auto op = unless_refused(info, [&] { return make_operator<V>(info.name, {other, tiles}); });
        if (!op) return;
        op->update_values(csr.values);
        check(*op);
    }

    /// The product is right and has the bits of the first arrival, and of the same operator made from another form.
    void check(const Operator<V>& op) {
        std::vector<V> y(static_cast<std::size_t>(a_.rows), std::numeric_limits<V>::quiet_NaN());
        op.apply(V(1), x_, V(0), y);
        const auto result = check_product<V>(expected_, y);
        EXPECT_TRUE(result.ok) << op.name() << ' ' << result.message();
        const auto [first, is_first] = first_.try_emplace(std::string(op.name()), y);
        EXPECT_EQ(first->second, y) << op.name();
    }

    test::TemporaryDirectory directory_;
    CsrMatrix<V> a_;
    std::vector<V> x_;
    ExpectedProduct expected_;
    std::map<std::string, std::vector<V>> first_;  // y of the first arrival, by operator
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(EveryArrival, ValueTypes);

TYPED_TEST(EveryArrival, GivesTheSameMatrixAndTheRightProducts) {
    for (const auto& [name, matrix] : matrix_battery()) {
        this->start(convert_values<TypeParam>(matrix));
        for (const auto& selector : selectors()) {
            SCOPED_TRACE(name + ", " + std::string(selector.name));
            this->check(*make_policy(selector.name), &selector == &selectors().front());
        }
    }
}

/// Tile rows so heavy that they are split, chunks full of rows, all of it in the deferred part or half of it.
TYPED_TEST(EveryArrival, ServesRowsThatAreCut) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t c = 0; c < 30000; ++c) positions.emplace(5, 17 * c);
    for (index_t r = 0; r < 6000; ++r) positions.emplace(r, 83 * r);
    this->start(convert_values<TypeParam>(matrix_of(6000, 510000, positions)));
    for (const char* selector : {"bytes", "paper-deferred", "paper-tuned:coo=0,hyb=0,defer_hyb=1", "paper-adaptive"}) {
        SCOPED_TRACE(selector);
        this->check(*make_policy(selector));
    }
}

/// Windows of tile rows that become strips, with a row that does not, beside one that stays CSR.
TYPED_TEST(EveryArrival, ServesStripsBesideOtherRows) {
    std::set<std::pair<index_t, index_t>> positions;
    for (index_t r = 0; r < 40'000; ++r) {
        const bool scattered = r / 16'384 == 1;
        for (index_t k = 0; k < 3; ++k) positions.emplace(r, scattered ? (r * 977 + k * 5'003) % 40'000 : r + k);
    }
    for (index_t k = 0; k < 9'000; ++k) positions.emplace(1'000, k * 4);
    this->start(convert_values<TypeParam>(matrix_of(40'000, 40'002, positions)));
    this->check(*make_policy("bytes"));
}

}  // namespace
}  // namespace tilespmv::testing
