#include "bench/harness/product.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "bench/harness/timer.hpp"
#include "formats/convert.hpp"
#include "formats/list.hpp"
#include "kernels/transpose.hpp"
#include "selector/policy.hpp"
#include "tile/product_loop.hpp"
#include "tile/statistics.hpp"

namespace tilespmv::bench {
namespace {

template <Value V>
class HostProduct final : public Product {
public:
    HostProduct(const ChosenOperator<V>& chosen, const std::string& selector, const CsrMatrix<V>& a,
                std::span<const V> x, const ProductKind& kind)
        : kind_(kind),
          x_(x),
          y_(static_cast<std::size_t>(kind.x_rows(a.cols, a.rows)) * static_cast<std::size_t>(kind.columns)),
          is_tiled_(chosen.made_from == Form::tiles) {
        if (is_tiled_) tiles_ = convert_timed(a, selector, convert_seconds_);
        operator_ = chosen.make(is_tiled_ ? Source<V>(a, tiles_) : Source<V>(a));
        if (kind.is_transposed) operator_ = with_transpose(std::move(operator_), a, chosen.make);
    }

    void run() override {
        operator_->apply(V{1}, kind_.block(x_), V{0}, kind_.block(std::span(y_.data(), y_.size())), kind_.run());
    }
    void run_chained(double scale, ChainVector from, ChainVector to) override {
        for (Buffer<V>* v : {&one_, &other_}) {
            if (v->size() < y_.size()) *v = Buffer<V>(y_.size());
        }
        Buffer<V>& y = to == ChainVector::one ? one_ : other_;
        operator_->apply(static_cast<V>(scale), chain_vector(from), V{0}, {y.data(), y.size()});
    }
    [[nodiscard]] std::vector<double> chained(ChainVector which) const override {
        std::vector<double> values;
        for (const V v : chain_vector(which)) values.push_back(static_cast<double>(v));
        return values;
    }
    void run_axpy() override {
        if (z_.size() < x_.size()) {
            z_ = Buffer<V>(x_);
            own_x_ = Buffer<V>(x_);
            x_ = {own_x_.data(), own_x_.size()};
        }
        const auto add = [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i)
                own_x_[i] = static_cast<V>(0.5 * static_cast<double>(own_x_[i]) + 0.5 * static_cast<double>(z_[i]));
        };
        product_loop(static_cast<std::int64_t>(z_.size()), kAxpyGrain, add);
    }
    void poison() override { std::fill(y_.begin(), y_.end(), std::numeric_limits<V>::quiet_NaN()); }
    [[nodiscard]] CheckResult check(const ExpectedProduct& expected) const override {
        return check_product<V>(expected, kind_.block(std::span<const V>(y_.data(), y_.size())));
    }
    [[nodiscard]] std::string_view name() const override { return operator_->name(); }
    [[nodiscard]] std::uint64_t matrix_bytes() const override { return operator_->matrix_bytes(); }
    [[nodiscard]] std::uint64_t device_bytes() const override { return operator_->matrix_bytes(); }
    [[nodiscard]] std::vector<ExecutedPart> executed() const override { return operator_->executed(); }
    [[nodiscard]] StoredTiles stored() const override { return is_tiled_ ? describe_tiles(tiles_) : StoredTiles{}; }

    [[nodiscard]] double convert_seconds() const override { return convert_seconds_; }

private:
    [[nodiscard]] std::span<const V> chain_vector(ChainVector which) const {
        if (which == ChainVector::first) return x_;
        const Buffer<V>& v = which == ChainVector::one ? one_ : other_;
        return {v.data(), v.size()};
    }

    static constexpr std::int64_t kAxpyGrain = 1 << 14;

    ProductKind kind_;
    std::span<const V> x_;
    Buffer<V> y_;
    Buffer<V> one_, other_;  // of a chain
    Buffer<V> own_x_, z_;    // of the axpy, which writes no x that others read
    bool is_tiled_;
    double convert_seconds_ = 0;
    TileMatrix<V> tiles_;
    std::unique_ptr<Operator<V>> operator_;
};

}  // namespace

std::string ProductKind::text() const {
    std::string text;
    if (columns != 1) text = fmt::format("{} columns by {}", columns, layout == Layout::row_major ? "rows" : "columns");
    const auto add = [&](const char* word) { text += text.empty() ? word : fmt::format(", {}", word); };
    if (is_transposed) add("transposed");
    if (is_from_gpu) add("CSR on the GPU");
    return text;
}

template <Value V>
Buffer<V> make_x(index_t size) {
    constexpr std::uint32_t kMultiplier = 2654435761u;  // Knuth's multiplicative hash
    Buffer<V> x(static_cast<std::size_t>(size));
    for (index_t i = 0; i < size; ++i) {
        x[i] = static_cast<V>(0.5 + static_cast<std::uint32_t>(i) * kMultiplier * 0x1p-32);
    }
    return x;
}

template <Value V>
TileMatrix<V> convert_timed(const CsrMatrix<V>& a, const std::string& selector, double& seconds) {
    SteadyStopwatch watch;
    watch.start();
    TileMatrix<V> tiles = convert(a, *make_policy(selector));
    seconds = watch.stop();
    return tiles;
}

template <Value V>
StoredTiles describe_tiles(const TileMatrix<V>& tiles) {
    const TiledStatistics statistics = tiled_statistics(tiles, formats::format_table());
    StoredTiles stored{.formats = {}, .bytes = statistics.bytes, .published_bytes = statistics.published.bytes()};
    for (const FormatStatistics& f : statistics.formats) {
        if (f.tiles > 0) stored.formats.push_back({std::string(f.name), f.tiles, f.nnz, f.bytes()});
    }
    if (statistics.deferred.nnz > 0)
        stored.formats.push_back({"deferred", 0, statistics.deferred.nnz, statistics.deferred.bytes});
    return stored;
}

template <Value V>
ProductBuilder host_product_builder(const ChosenOperator<V>& chosen, const std::string& selector, const CsrMatrix<V>& a,
                                    std::span<const V> x, const ProductKind& kind) {
    return [chosen, selector, &a, x, kind] { return std::make_unique<HostProduct<V>>(chosen, selector, a, x, kind); };
}

#define TILESPMV_INSTANTIATE(V)                                                                                     \
    template Buffer<V> make_x(index_t);                                                                             \
    template TileMatrix<V> convert_timed(const CsrMatrix<V>&, const std::string&, double&);                         \
    template StoredTiles describe_tiles(const TileMatrix<V>&);                                                      \
    template ProductBuilder host_product_builder(const ChosenOperator<V>&, const std::string&, const CsrMatrix<V>&, \
                                                 std::span<const V>, const ProductKind&);
TILESPMV_FOR_EACH_VALUE(TILESPMV_INSTANTIATE)

}  // namespace tilespmv::bench
