#include "bench/harness/contest.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "bench/harness/byte_model.hpp"
#include "bench/harness/statistics.hpp"
#include "kernels/refusal.hpp"
#include "tile/io/printable.hpp"

namespace tilespmv::bench {
namespace {

using Contenders = std::vector<Contender*>;

Contenders living(std::span<Contender> contenders) {
    Contenders alive;
    for (Contender& c : contenders) {
        if (c.product) alive.push_back(&c);
    }
    return alive;
}

// What happens to one of them is its own trouble.
template <class F>
void for_each_guarded(const Contenders& contenders, F&& f) {
    for (Contender* c : contenders) {
        try {
            f(*c);
        } catch (const Refusal& refusal) {
            c->fail(Status::skipped, refusal.what());
        } catch (const std::exception& error) {
            c->fail(Status::failed, error.what());
        }
    }
}

void verify(Contender& c, const ExpectedProduct& expected) {
    const CheckResult check = c.product->check(expected);
    c.result.error_ratio = std::max(c.result.error_ratio, check.ratio);
    if (!check.ok) c.fail(Status::wrong, check.message());
}

void build(Contender& c, const ExpectedProduct& expected) {
    c.product = c.build();
    const std::string_view name = c.product->name();
    if (Options("operator", c.result.id.operator_name).name() != name) c.result.runs = name;
    c.result.matrix_bytes = c.product->matrix_bytes();
    c.result.device_bytes = c.product->device_bytes();
    c.result.stored = c.product->stored();
    c.result.executed = c.product->executed();
    c.result.product_bytes = product_bytes({.matrix_bytes = c.result.matrix_bytes,
                                            .rows = c.result.rows,
                                            .cols = c.result.cols,
                                            .columns = c.result.columns,
                                            .value_bytes = c.result.value_bytes});
    c.product->poison();
    c.product->run();
    verify(c, expected);
}

Workload back_to_back(const Contender& c) {
    Product* product = c.product.get();
    return {.prepare = [product] { product->run(); },
            .run = [product] { product->run(); },
            .stopwatch = &c.device->stopwatch()};
}

Workload after_flush(const Contender& c) {
    Workload work = back_to_back(c);
    work.prepare = [device = c.device] { device->flush_cache(); };
    return work;
}

bool is_square(const Contender& c) { return c.result.rows == c.result.cols; }

// An axpy, which writes x, and the product that reads it.
std::function<void()> pair_of(const Contender& c) {
    return [product = c.product.get()] {
        product->run_axpy();
        product->run();
    };
}

// `products` products; a matrix that is not square has no chain, but axpys before its products.
std::function<void()> dependent_products(const Contender& c, std::span<const double> scales, int products) {
    if (!is_square(c)) {
        return [pair = pair_of(c), products] {
            for (int i = 0; i < products; ++i) pair();
        };
    }
    return [product = c.product.get(), scales, products] {
        run_chain(scales, products,
                  [product](double scale, ChainVector from, ChainVector to) { product->run_chained(scale, from, to); });
    };
}

Workload in_mode(const Contender& c, Mode mode, std::span<const double> scales) {
    Workload work = back_to_back(c);
    if (mode == Mode::graph) {
        work.products = kGraphProducts;
        work.run = c.device->record(dependent_products(c, scales, work.products));
    } else if (has_axpy(c.result, mode)) {
        work.run = pair_of(c);
    } else if (mode == Mode::chain) {
        work.products = kChainProducts;
        work.run = dependent_products(c, scales, work.products);
    }
    if (mode != Mode::warm) work.run();  // takes the memory that it needs
    return work;
}

template <class Where>
void keep(const Contenders& contenders, std::vector<Timing> timings, Where&& where) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
        if (timings[i].error.empty()) {
            where(contenders[i]->result) = std::move(timings[i]);
        } else {
            contenders[i]->fail(Status::failed, timings[i].error);
        }
    }
}

void measure_batches(std::span<Contender> contenders, Mode mode, std::span<const double> scales,
                     const MeasureOptions& options) {
    std::vector<Workload> workloads;
    for_each_guarded(living(contenders), [&](Contender& c) {
        workloads.push_back(in_mode(c, mode, scales));
        workloads.back().batch = calibrate_batch(workloads.back(), options.min_sample_seconds);
    });
    keep(living(contenders), sample_in_turn(workloads, options.warm),
         [mode](Result& r) -> Timing& { return timing(r, mode); });
}

void measure_cold(std::span<Contender> contenders, const MeasureOptions& options) {
    std::vector<Workload> workloads;
    for (const Contender* c : living(contenders)) workloads.push_back(after_flush(*c));
    keep(living(contenders), sample_in_turn(workloads, options.cold), [](Result& r) -> Timing& { return r.cold; });
}

constexpr std::array<std::string_view, kModes.size()> kStages{"warm products", "cold products", "products in a graph",
                                                              "products in a chain", "products after an axpy"};

bool is_measured(Mode mode, const MeasureOptions& options) {
    return mode == Mode::warm || std::ranges::count(options.modes, mode) > 0;
}

void measure_products(std::span<Contender> contenders, std::span<const double> scales, const MeasureOptions& options) {
    for (const Mode mode : kModes) {
        if (!is_measured(mode, options)) continue;
        options.progress(fmt::format("measuring {}", kStages[static_cast<std::size_t>(mode)]));
        if (mode == Mode::cold) {
            measure_cold(contenders, options);
        } else {
            measure_batches(contenders, mode, scales, options);
        }
    }
}

// The one of the lowest median, so that every contender is compared with the same product; null if none takes part.
const Contender* find_baseline(std::span<Contender> contenders, const std::string& name, Mode mode) {
    const Contender* best = nullptr;
    double best_seconds = 0;
    for (const Contender* c : living(contenders)) {
        if (!stands_for(name, c->result.id.operator_name)) continue;
        const double seconds = median_seconds(c->result, mode);
        if (best && best_seconds <= seconds) continue;
        best = c;
        best_seconds = seconds;
    }
    return best;
}

void measure_first(Contender& c) {
    const auto fresh = c.build();
    c.device->stopwatch().start();
    fresh->run();
    c.result.first_seconds = c.device->stopwatch().stop();
}

// Samples single products of the baseline in turn with the building, so that their ratio does not suffer from drift.
void measure_building(std::span<Contender> contenders, const MeasureOptions& options) {
    SteadyStopwatch stopwatch;  // building begins on the host, wherever the product runs
    std::unique_ptr<Product> built;
    std::vector<Workload> workloads;
    const Contenders alive = living(contenders);
    std::vector<std::vector<double>> conversions(alive.size());
    for (std::size_t i = 0; i < alive.size(); ++i) {
        workloads.push_back({.prepare = [&] { built.reset(); },
                             .run =
                                 [&, i] {
                                     built = alive[i]->build();
                                     conversions[i].push_back(built->convert_seconds());
                                 },
                             .stopwatch = &stopwatch});
    }
    const Contender* baseline =
        options.baselines.empty() ? nullptr : find_baseline(contenders, options.baselines[0], Mode::warm);
    if (baseline) workloads.push_back(back_to_back(*baseline));
    std::vector<Timing> timings = sample_in_turn(workloads, options.preprocess);
    for (std::size_t i = 0; i < alive.size(); ++i) {
        alive[i]->result.convert_seconds = summarize(conversions[i]).median;
        if (!baseline) continue;
        const auto ratios = paired_ratios(timings[i].seconds, timings.back().seconds);
        alive[i]->result.preprocess_products = summarize(ratios).median;
    }
    keep(alive, std::move(timings), [](Result& r) -> Timing& { return r.preprocess; });
}

void add_speedups(Contender& c, std::span<Contender> contenders, Mode mode, const std::vector<std::string>& baselines) {
    for (const std::string& name : baselines) {
        const Contender* baseline = find_baseline(contenders, name, mode);
        if (!baseline) continue;
        const Summary s =
            summarize(paired_ratios(timing(baseline->result, mode).seconds, timing(c.result, mode).seconds));
        c.result.speedups.push_back({.baseline = name,
                                     .against = baseline->result.id.operator_name,
                                     .median = s.median,
                                     .low = s.low,
                                     .high = s.high,
                                     .mode = mode});
    }
}

}  // namespace

bool stands_for(std::string_view baseline, std::string_view operator_name) {
    if (!operator_name.starts_with(baseline)) return false;
    const auto rest = operator_name.substr(baseline.size());
    if (rest.empty() || rest.front() == ':') return true;
    // "cusparse" is the beginning of names; "tile" is a name, and "tile-warp" another.
    return rest.front() == '-' && !is_operator_name<double>(Backend::cpu, baseline) &&
           !is_operator_name<double>(Backend::cuda, baseline);
}

void Contender::fail(Status status, const std::string& error) {
    result.status = status;
    result.error = printable(error);
    for (const Mode mode : kModes) timing(result, mode) = {};
    result.preprocess = {};
    result.first_seconds = result.convert_seconds = result.preprocess_products = 0;
    product.reset();
}

bool needs_chain_scales(const MeasureOptions& options, index_t rows, index_t cols) {
    return rows == cols && (is_measured(Mode::graph, options) || is_measured(Mode::chain, options));
}

void run_contest(std::span<Contender> contenders, const ExpectedProduct& expected, std::span<const double> scales,
                 const MeasureOptions& options) {
    Contenders all;
    for (Contender& c : contenders) all.push_back(&c);
    for_each_guarded(all, [&](Contender& c) {
        options.progress(fmt::format("checking {} {}", c.result.id.operator_name, c.result.id.selector));
        build(c, expected);
    });
    measure_products(contenders, scales, options);
    options.progress("measuring preprocessing");
    for_each_guarded(living(contenders), measure_first);
    measure_building(contenders, options);
    for_each_guarded(living(contenders), [&](Contender& c) { verify(c, expected); });
    for (Contender* c : living(contenders)) {
        c->result.status = Status::ok;
        for (const Mode mode : kModes) {
            if (is_measured(mode, options)) add_speedups(*c, contenders, mode, options.baselines);
        }
    }
}

}  // namespace tilespmv::bench
