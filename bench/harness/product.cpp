#include "bench/harness/product.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "formats/convert.hpp"
#include "selector/policy.hpp"

namespace tilespmv::bench {
namespace {

template <Value V>
class HostProduct final : public Product {
public:
    HostProduct(const OperatorInfo<V>& info, const std::string& selector, const CsrMatrix<V>& a, std::span<const V> x)
        : x_(x), y_(static_cast<std::size_t>(a.rows)) {
        if (info.needs_tiles) tiles_ = convert(a, *make_policy(selector));
        operator_ = info.make({.csr = &a, .tiles = &tiles_});
    }

    void run() override { operator_->apply(V{1}, x_, V{0}, {y_.data(), y_.size()}); }
    void poison() override { std::fill(y_.begin(), y_.end(), std::numeric_limits<V>::quiet_NaN()); }
    [[nodiscard]] CheckResult check(const ExpectedProduct& expected) const override {
        return check_product<V>(expected, {y_.data(), y_.size()});
    }
    [[nodiscard]] std::uint64_t matrix_bytes() const override { return operator_->matrix_bytes(); }

private:
    std::span<const V> x_;
    Buffer<V> y_;
    TileMatrix<V> tiles_;
    std::unique_ptr<Operator<V>> operator_;
};

}  // namespace

template <Value V>
Buffer<V> make_x(index_t size) {
    // None of these values underflows, and no row of a positive matrix cancels.
    constexpr std::uint32_t kMultiplier = 2654435761u;  // Knuth's multiplicative hash
    Buffer<V> x(static_cast<std::size_t>(size));
    for (index_t i = 0; i < size; ++i) {
        x[i] = static_cast<V>(0.5 + static_cast<std::uint32_t>(i) * kMultiplier * 0x1p-32);
    }
    return x;
}

template <Value V>
std::unique_ptr<Product> make_host_product(const OperatorInfo<V>& info, const std::string& selector,
                                           const CsrMatrix<V>& a, std::span<const V> x) {
    return std::make_unique<HostProduct<V>>(info, selector, a, x);
}

template Buffer<double> make_x(index_t);
template Buffer<float> make_x(index_t);
template std::unique_ptr<Product> make_host_product(const OperatorInfo<double>&, const std::string&,
                                                    const CsrMatrix<double>&, std::span<const double>);
template std::unique_ptr<Product> make_host_product(const OperatorInfo<float>&, const std::string&,
                                                    const CsrMatrix<float>&, std::span<const float>);

}  // namespace tilespmv::bench
