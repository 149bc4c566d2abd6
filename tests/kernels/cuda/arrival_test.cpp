// Every operator for the GPU on matrices that came by text or from archives.
#include "tests/support/arrival.hpp"
#include "kernels/check.hpp"
#include "kernels/cuda/stream.hpp"
#include "selector/policy.hpp"
#include "tests/kernels/cuda/device_fixture.hpp"
#include "tests/support/battery.hpp"
#include "tests/support/refusal.hpp"
#include "tests/temporary_directory.hpp"

namespace tilespmv::testing {
namespace {

template <class V>
class EveryArrivalOnDevice : public OnDevice {
protected:
    void SetUp() override {
        OnDevice::SetUp();
        if (IsSkipped()) return;
        for (const auto& info : operators<V>(Backend::cuda)) {
            if (!info.name.starts_with("cusparse")) operators_.push_back(&info);  // which are not ours to test
        }
    }

    /// Sets the matrix that arrives.
    void start(CsrMatrix<V> a) {
        a_ = std::move(a);
        x_ = numbers<V>(a_.cols, 1);
        expected_ = expected_product<V>(a_, 1, x_, 0, {});
    }

    /// By a policy that is not the first one only what is made from tiles, and not by text: CSR that arrives is the
    /// same for all.
    void check(const TilePolicy& policy, bool is_first) {
        const cuda::Stream stream;
        const std::vector<V> poison(static_cast<std::size_t>(a_.rows), static_cast<V>(kNaN));
        DeviceVectors<V> vectors(x_, poison);
        for (const Arrival way : {Arrival::text, Arrival::archive, Arrival::wide_archive, Arrival::new_archived}) {
            if (way == Arrival::text && !is_first) continue;
            SCOPED_TRACE(name_of(way));
            const auto arrived = arrive(way, a_, policy, directory_.path());
            for (const auto* info : operators_) {
                if (info->made_from == Form::csr && !is_first) continue;
                const Source<V> source = arrived.as(info->made_from);
                const auto made = unless_refused(*info, [&] {
                    return cuda::make_device_operator<V>(info->name, source, default_accumulator<V>(), stream.get());
                });
                if (!made) continue;
                const auto result = check_product<V>(expected_, vectors.product(*made, 1, 0, poison));
                EXPECT_TRUE(result.ok) << info->name << ' ' << result.message();
            }
        }
    }

private:
    test::TemporaryDirectory directory_;
    std::vector<const OperatorInfo<V>*> operators_;
    CsrMatrix<V> a_;
    std::vector<V> x_;
    ExpectedProduct expected_;
};
using ValueTypes = ::testing::Types<double, float, Half, Bfloat16>;
TYPED_TEST_SUITE(EveryArrivalOnDevice, ValueTypes);

TYPED_TEST(EveryArrivalOnDevice, GivesTheRightProducts) {
    for (const auto& [name, matrix] : matrix_battery()) {
        this->start(convert_values<TypeParam>(matrix));
        for (const auto& selector : selectors()) {
            SCOPED_TRACE(name + ", " + std::string(selector.name));
            this->check(*make_policy(selector.name), &selector == &selectors().front());
        }
    }
}

}  // namespace
}  // namespace tilespmv::testing
