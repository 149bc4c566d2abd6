#include "bench/harness/device_measurer.hpp"

#include <future>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/harness/candidate.hpp"
#include "bench/harness/cuda_device.hpp"
#include "kernels/choose_operator.hpp"
#include "selector/models/modelled_operators.hpp"
#include "selector/policy.hpp"
#include "tile/error.hpp"

namespace tilespmv::bench {
namespace {

/// Matrices of one type of values, of which one may be on its way.
template <Value V>
class Matrices {
public:
    explicit Matrices(LoadMatrix<V> load) : load_(std::move(load)) {}

    CsrMatrix<V> get(const std::string& source) {
        if (source != expected_) return load_(source);
        expected_.clear();
        return coming_.get();
    }
    void expect(const std::string& source) {
        if (!expected_.empty()) static_cast<void>(coming_.wait());
        expected_ = source;
        coming_ = std::async(std::launch::async, load_, source);
    }

    /// Returns when what is expected is there.
    void wait() const {
        if (coming_.valid()) coming_.wait();
    }

private:
    LoadMatrix<V> load_;
    std::string expected_;
    std::future<CsrMatrix<V>> coming_;
};

template <Value V>
class DeviceMatrixTimer final : public MatrixTimer {
public:
    DeviceMatrixTimer(Device& device, const RepeatRule& rule, Matrices<V>& matrices, const std::string& source,
                      std::optional<Accumulator> accumulator, std::size_t sum_bytes)
        : device_(device),
          rule_(rule),
          matrices_(matrices),
          a_(matrices.get(source)),
          x_(make_x<V>(a_.cols)),
          accumulator_(accumulator),
          features_(features_of(pattern_of(a_))) {
        features_.sum_bytes = sum_bytes;
    }

    [[nodiscard]] const MatrixFeatures& features() const override { return features_; }

    double seconds(const std::string& specification) override {
        const auto product = builder(specification)();
        return seconds_of_repeat(
            device_, [&] { product->run(); }, rule_);
    }
    double preparation_seconds(const std::string& specification) override {
        const auto build = builder(specification);
        matrices_.wait();
        SteadyStopwatch watch;
        watch.start();
        const auto product = build();
        return watch.stop();
    }

private:
    auto builder(const std::string& specification) {
        // What `auto` converts by.
        const std::string selector(device_.backend() == Backend::cuda ? "paper" : kDefaultSelector);
        const bool has_choice = !find_operator<V>(device_.backend(), specification).sums_in_own_type;
        const auto sums = has_choice ? accumulator_ : std::nullopt;
        return make_candidate<V>(device_, specification, selector, sums).bind(a_, {x_.data(), x_.size()});
    }

    Device& device_;
    RepeatRule rule_;
    const Matrices<V>& matrices_;
    CsrMatrix<V> a_;
    Buffer<V> x_;
    std::optional<Accumulator> accumulator_;
    MatrixFeatures features_;
};

template <Value V>
std::vector<std::string> registered(Backend backend) {
    std::vector<std::string> all;
    for (const OperatorEntry& entry : operators<V>(backend)) {
        if (entry.name == "auto" || entry.name == "reference") continue;
        for (auto& one : specifications_of(backend == Backend::cuda, entry.name)) all.push_back(std::move(one));
    }
    return all;
}

/// Calls f.operator()<V>() for the type of values of this name.
template <class F>
decltype(auto) with_values(std::string_view values, F&& f) {
#define TILESPMV_CALL(V) \
    if (values == value_name<V>()) return f.template operator()<V>();
    TILESPMV_FOR_EACH_VALUE(TILESPMV_CALL)
#undef TILESPMV_CALL
    throw Error(fmt::format("values {} are not tuned for; there are {}", values, fmt::join(kValueNames, ", ")),
                ExitCode::usage);
}

class DeviceMeasurer final : public Measurer {
public:
    DeviceMeasurer(Device& device, const RepeatRule& rule, const MatrixLoader& loader,
                   std::optional<Accumulator> accumulator)
        : device_(device),
          rule_(rule),
          accumulator_(accumulator),
          matrices_(loader.float64, loader.float32, loader.float16, loader.bfloat16) {
        rule_.in_graph = device.backend() == Backend::cuda;
    }

    Probe probe() override { return probe_of(device_); }

    [[nodiscard]] std::size_t sum_bytes(std::string_view values) const override {
        return with_values(values, [this]<Value V>() {
            require_values<V>(device_.backend());
            const Accumulator sums = accumulator_.value_or(default_accumulator<V>());
            require_accumulator<V>(device_.backend(), sums);
            return accumulator_bytes(sums);
        });
    }
    [[nodiscard]] std::vector<std::string> operators(std::string_view values) const override {
        return with_values(values, [this]<Value V>() {
            require_values<V>(device_.backend());
            return registered<V>(device_.backend());
        });
    }
    std::unique_ptr<MatrixTimer> matrix(std::string_view values, const std::string& source) override {
        return with_values(values, [&]<Value V>() -> std::unique_ptr<MatrixTimer> {
            return std::make_unique<DeviceMatrixTimer<V>>(device_, rule_, matrices_of<V>(), source, accumulator_,
                                                          sum_bytes(values));
        });
    }
    // On a CPU it would take the processors from what is measured; files show how far they are.
    void expect(std::string_view values, const std::string& source) override {
        if (device_.backend() == Backend::cpu || !source.starts_with("gen:")) return;
        with_values(values, [&]<Value V>() { matrices_of<V>().expect(source); });
    }

private:
    template <Value V>
    Matrices<V>& matrices_of() {
        return std::get<Matrices<V>>(matrices_);
    }

    Device& device_;
    RepeatRule rule_;
    std::optional<Accumulator> accumulator_;
    std::tuple<Matrices<double>, Matrices<float>, Matrices<Half>, Matrices<Bfloat16>> matrices_;
};

}  // namespace

std::unique_ptr<Measurer> make_device_measurer(Device& device, const RepeatRule& rule, const MatrixLoader& loader,
                                               std::optional<Accumulator> accumulator) {
    return std::make_unique<DeviceMeasurer>(device, rule, loader, accumulator);
}

}  // namespace tilespmv::bench
