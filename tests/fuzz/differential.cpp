// Random matrices by random selectors in every value type, after every arrival, through every operator of a device,
// with several alpha, beta and numbers of threads, by one vector and by blocks of several in both layouts, and by the
// transpose: each product is compared with the oracle, each matrix that comes
// back with the original, and each y with that of the same operator in another arrival or with other threads, bit by
// bit.
//
//     differential [--device cpu|cuda] [--seconds N] [--seed N] [--case N]
//
// Stops at the first case that fails and prints the command that repeats it. Exit codes: 0 nothing is wrong, 1
// something is, 2 wrong usage, 4 no GPU.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <omp.h>
#include <CLI/CLI.hpp>

#include "kernels/check.hpp"
#include "kernels/choose_operator.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_csr_copy.hpp"
#include "kernels/sweeps.hpp"
#include "kernels/transpose.hpp"
#include "selector/policy.hpp"
#include "tests/fuzz/random_block.hpp"
#include "tests/fuzz/random_matrix.hpp"
#include "tests/support/arrival.hpp"
#include "tests/support/joined_options.hpp"
#include "tests/support/refusal.hpp"
#include "tests/temporary_directory.hpp"
#include "tile/error.hpp"
#include "tile/transpose.hpp"

namespace tilespmv::fuzz {
namespace {

using testing::Arrival;

/// What was found wrong, in one line.
struct Wrong {
    std::string what;
};

std::string random_selector(Random& random) {
    static constexpr std::array often{
        "bytes", "paper-deferred", "paper-tuned", "paper-tuned:coo=0,hyb=0,defer_hyb=1", "paper-csr", "bytes:defer=0"};
    switch (random.below(4)) {
        case 0:
            return std::string(random.pick(selectors()).name);
        case 1:
            return fmt::format("paper-deferred:defer={},coo={},dense={:.1f},ell_fill={:.1f}", random.below(40),
                               random.below(20), 0.3 + 0.1 * static_cast<double>(random.below(8)),
                               0.25 * static_cast<double>(random.below(5)));
        case 2:
            return fmt::format("bytes:saving={}", random.below(64));
        default:
            return random.pick(often);
    }
}

/// The operator as it is, with a value of each option of its sweeps, and with joined options.
std::vector<std::string> random_specifications(const OperatorEntry& entry, Random& random) {
    std::vector<std::string> all{std::string(entry.name)};
    for (const Sweep& sweep : sweeps_of(entry))
        all.push_back(fmt::format("{}:{}={}", entry.name, sweep.option, random.pick(sweep.values)));
    for (auto& joined : testing::joined_options(entry.name)) all.push_back(std::move(joined));
    return all;
}

bool is_library(std::string_view operator_name) { return operator_name.starts_with("cusparse"); }

template <Value V>
std::vector<ChosenOperator<V>> random_operators(Backend backend, Random& random, bool is_finite) {
    std::vector<ChosenOperator<V>> all;
    if (backend == Backend::cpu && !CpuValue<V>) return all;
    for (const auto& entry : operators<V>(backend)) {
        // A library's time is not ours to spend, and where it pads with zeros, Inf becomes NaN.
        if (is_library(entry.name) && (!is_finite || !random.once_in(8))) continue;
        for (const auto& specification : random_specifications(entry, random)) {
            all.push_back(choose_operator<V>(backend, specification));
        }
    }
    return all;
}

using Clock = std::chrono::steady_clock;

/// One matrix with everything that is done to it, in one value type.
template <Value V>
class Case {
public:
    Case(const RandomMatrix& matrix, const std::string& selector, Backend backend, Random& random,
         const std::filesystem::path& directory)
        : a_(convert_values<V>(matrix.csr)),
          is_finite_(matrix.is_finite),
          policy_(make_policy(selector)),
          backend_(backend),
          directory_(directory),
          x_(vector(a_.cols, random)),
          y_(vector(a_.rows, random)),
          alpha_(static_cast<V>(random.pick(std::array{1.0, -1.0, 2.5, -0.125, 0.0}))),
          beta_(static_cast<V>(random.pick(std::array{0.0, 0.0, 1.0, -0.5}))) {
        if (random.once_in(10) && !x_.empty()) {
            x_[static_cast<std::size_t>(random.below(a_.cols))] = std::numeric_limits<V>::infinity();
            is_finite_ = false;
        }
        const std::span<const V> x(x_);
        expected_ = expected_product<V>(a_, static_cast<double>(alpha_), x, static_cast<double>(beta_), y_);
        operators_ = random_operators<V>(backend, random, is_finite_);
        blocks_.push_back(random_block(a_, Op::none, alpha_, beta_, is_finite_, random));
        blocks_.push_back(random_block(transposed(a_).matrix, Op::transpose, alpha_, beta_, is_finite_, random));
    }

    /// Throws `Wrong`. Returns the number of products; after `end` no operator is begun.
    std::size_t run(Clock::time_point end) {
        end_ = end;
        for (const Arrival arrival : testing::kArrivals) {
            if (arrival == Arrival::text && !is_finite_) continue;
            try {
                check(testing::arrive(arrival, a_, *policy_, directory_));
            } catch (const Wrong& wrong) {
                throw Wrong{fmt::format("{}: {}", testing::name_of(arrival), wrong.what)};
            } catch (const Error& error) {
                throw Wrong{fmt::format("{}: {}", testing::name_of(arrival), error.what())};
            }
        }
        return products_;
    }

private:
    static std::vector<V> vector(index_t size, Random& random) {
        std::vector<V> v(static_cast<std::size_t>(size));
        for (V& value : v) value = static_cast<V>(random.number());
        return v;
    }

    void check(const testing::Arrived<V>& arrived) {
        if (!testing::same_matrix(a_, arrived.csr)) throw Wrong{"the matrix that came back is another one"};
        if (!testing::same_matrix(a_, unpack(arrived.tiles))) throw Wrong{"the tiles hold another matrix"};
        for (const auto& chosen : operators_) {
            if (Clock::now() > end_) return;
            check(chosen, arrived.as(chosen.made_from), chosen.name);
            if (chosen.made_from == Form::csr) check(chosen, arrived.tiles, chosen.name + " from tiles");
        }
        check_on_gpu(arrived.csr);
        check_new_values(arrived.csr);
        omp_set_num_threads(2);
    }

    /// Operators on CSR, of a copy in the memory of the GPU: the same bits as of the matrix of the host.
    void check_on_gpu(const CsrMatrix<V>& csr) {
        if (backend_ != Backend::cuda) return;
        const cuda::DeviceCsrCopy<V> copy(csr);
        for (const auto& chosen : operators_) {
            if (Clock::now() > end_) return;
            if (chosen.made_from == Form::csr) check(chosen, copy.view(), chosen.name);
        }
    }

    /// Operators that take new values, made with others, which are replaced: the same bits as made with these.
    void check_new_values(const CsrMatrix<V>& csr) {
        const auto other = testing::with_other_values(csr);
        const auto tiles = convert(other, *policy_);
        const std::span<const V> values(csr.values.begin(), csr.values.end());
        for (const auto& chosen : operators_) {
            const auto& info = find_operator<V>(backend_, chosen.name);
            if (info.new_values == NewValues::never) continue;
            const char* const with = info.new_values == NewValues::always         ? ""
                                     : chosen.name.find(':') == std::string::npos ? ":updatable=1"
                                                                                  : ",updatable=1";
            const auto updatable = choose_operator<V>(backend_, chosen.name + with, chosen.accumulator);
            const auto op = testing::unless_refused(info, [&] {
                return updatable.make(chosen.made_from == Form::tiles ? Source<V>(tiles) : Source<V>(other));
            });
            if (!op) continue;
            op->update_values(values);
            check(updatable, *op, chosen.name, 2);
        }
    }

    void check(const ChosenOperator<V>& chosen, const Source<V>& source, const std::string& label) {
        const auto op =
            testing::unless_refused(find_operator<V>(backend_, chosen.name), [&] { return chosen.make(source); });
        if (!op) return;
        check_transpose(chosen, source, label);
        for (const int threads : backend_ == Backend::cpu ? std::vector{1, 2, 5} : std::vector{2}) {
            omp_set_num_threads(threads);
            check(chosen, *op, label, threads);
        }
    }

    void check(const ChosenOperator<V>& chosen, const Operator<V>& op, const std::string& label, int threads) {
        check_block(chosen, op, blocks_[0], label, threads);
        ++products_;
        const auto poison = std::vector<V>(y_.size(), std::numeric_limits<V>::quiet_NaN());
        auto y = beta_ == V{0} ? poison : y_;
        op.apply(alpha_, x_, beta_, y);
        const auto result = check_product<V>(expected_, y, chosen.accumulator);
        if (!result.ok) throw Wrong{fmt::format("{}, {} threads: {}", label, threads, result.message())};
        if (!is_library(chosen.name)) require_same(label, y, threads);  // a library's are not reproducible
    }

    static bool same(const std::vector<V>& one, const std::vector<V>& other) {
        return std::ranges::equal(one, other, [](V a, V b) { return a == b || (a != a && b != b); });
    }
    void require_same(const std::string& label, const std::vector<V>& y, int threads) {
        const auto [first, is_first] = first_.try_emplace(label, y);
        if (is_first || same(y, first->second)) return;
        throw Wrong{fmt::format("{}, {} threads: other bits than in memory with one thread", label, threads)};
    }

    void check_transpose(const ChosenOperator<V>& chosen, const Source<V>& source, const std::string& label) {
        if (source.find_csr() == nullptr) return;
        const auto& info = find_operator<V>(backend_, chosen.name);
        const auto op =
            testing::unless_refused(info, [&] { return with_transpose(chosen.make(source), source, chosen.make); });
        if (op) check_block(chosen, *op, blocks_[1], label + " transposed", 2);
    }

    /// The values of some columns of a product, gaps included, which must be what they were.
    std::vector<V> multiply(const Operator<V>& op, const BlockProduct<V>& block, int cols) {
        ++products_;
        std::vector<V> x = block.x, y = block.y;
        const Block<V> to = block.y_shape.of(y);
        for (std::size_t r = 0; beta_ == V{0} && r < to.rows; ++r) {
            for (int c = 0; c < cols; ++c) to.at(r, c) = std::numeric_limits<V>::quiet_NaN();
        }
        Run run;
        run.op = block.op;
        op.apply(alpha_, block.x_shape.of(x).columns(0, cols), beta_, to.columns(0, cols), run);
        return y;
    }

    void check_block(const ChosenOperator<V>& chosen, const Operator<V>& op, const BlockProduct<V>& block,
                     const std::string& label, int threads) {
        const int cols = block.x_shape.cols;
        std::vector<V> found;
        try {
            found = multiply(op, block, cols);
        } catch (const Refusal&) {
            if (is_library(chosen.name)) return;  // whose products may want rows at certain addresses
            throw;
        }
        const Block<V> y = block.y_shape.of(found);
        const auto result = check_product<V>(block.expected, y, chosen.accumulator);
        if (!result.ok) {
            throw Wrong{fmt::format("{}, {} threads, {} columns: {}", label, threads, cols, result.message())};
        }
        if (is_library(chosen.name)) return;
        require_same(label + " of a block", found, threads);
        if (cols <= 2) return;
        std::vector<V> two = multiply(op, block, 2);
        const Block<V> y_of_two = block.y_shape.of(two);
        for (int c = 0; c < 2; ++c) {
            if (same(column_of(y, c), column_of(y_of_two, c))) continue;
            throw Wrong{
                fmt::format("{}, {} threads: column {} of {} has other bits than of 2", label, threads, c, cols)};
        }
    }

    CsrMatrix<V> a_;
    bool is_finite_;
    std::unique_ptr<TilePolicy> policy_;
    Backend backend_;
    std::filesystem::path directory_;
    std::vector<V> x_;
    std::vector<V> y_;
    V alpha_;
    V beta_;
    ExpectedProduct expected_;
    std::vector<BlockProduct<V>> blocks_;  // one for the matrix, one for its transpose
    std::vector<ChosenOperator<V>> operators_;
    std::map<std::string, std::vector<V>> first_;  // y by operator and form
    Clock::time_point end_ = Clock::time_point::max();
    std::size_t products_ = 0;
};

struct Settings {
    std::string device = "cpu";
    double seconds = 5;
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> only;

    [[nodiscard]] Backend backend() const { return device == "cpu" ? Backend::cpu : Backend::cuda; }
};

class Driver {
public:
    explicit Driver(const Settings& settings) : settings_(settings) {}

    /// Returns the exit code.
    int run() {
        if (settings_.only) return run_case(*settings_.only, true) ? 0 : 1;
        const auto seconds = std::chrono::duration<double>(settings_.seconds);
        end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
        std::uint64_t i = 0;
        for (; Clock::now() < end_; ++i) {
            if (!run_case(i, false)) return 1;
        }
        fmt::print("differential: {} cases, {} products on the {}, seed {}: all right\n", i, products_,
                   settings_.device, settings_.seed);
        return 0;
    }

private:
    /// False, after a message, if it failed.
    bool run_case(std::uint64_t number, bool describe) {
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;  // tells neighbouring seeds apart
        Random random(settings_.seed * odd + number);
        const RandomMatrix matrix = random_matrix(random);
        const std::string selector = random_selector(random);
        const auto values = random.pick(kValueNames);
        const auto description = fmt::format("{}; {}, {}", matrix.description, values, selector);
        if (describe) fmt::print("case {}: {}\n", number, description);
        try {
#define TILESPMV_RUN(V)            \
    if (values == value_name<V>()) \
        products_ += Case<V>(matrix, selector, settings_.backend(), random, directory_.path()).run(end_);
            TILESPMV_FOR_EACH_VALUE(TILESPMV_RUN)
#undef TILESPMV_RUN
            return true;
        } catch (const Wrong& wrong) {
            fmt::print(stderr, "differential: {}: {}\nto repeat it: differential --device {} --seed {} --case {}\n",
                       description, wrong.what, settings_.device, settings_.seed, number);
            return false;
        }
    }

    Settings settings_;
    test::TemporaryDirectory directory_;
    Clock::time_point end_ = Clock::time_point::max();  // of a case alone: none
    std::size_t products_ = 0;
};

}  // namespace
}  // namespace tilespmv::fuzz

int main(int argc, char** argv) {
    using namespace tilespmv;
    fuzz::Settings settings;
    CLI::App app{"Compares all operators with the oracle and with each other on random matrices"};
    app.add_option("--device", settings.device, "Where products run")->check(CLI::IsMember({"cpu", "cuda"}));
    app.add_option("--seconds", settings.seconds, "How long")->capture_default_str();
    app.add_option("--seed", settings.seed, "Of all cases")->capture_default_str();
    app.add_option("--case", settings.only, "Run this case alone");
    try {
        app.parse(argc, argv);
        if (settings.backend() == Backend::cuda) static_cast<void>(cuda::require_device());
        omp_set_num_threads(2);
        return fuzz::Driver(settings).run();
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    } catch (const Error& error) {
        fmt::print(stderr, "differential: {}\n", error.what());
        return static_cast<int>(error.code());
    }
}
