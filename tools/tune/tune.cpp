#include "tools/tune/tune.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>

#include "selector/models/profile_file.hpp"
#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tile/seconds_since.hpp"
#include "tools/tune/outdated_checks.hpp"

namespace tilespmv::tools {
namespace {

using Clock = std::chrono::steady_clock;

/// A measurement is taken to need up to so many times as long as the one before: matrices of a family get larger by it.
constexpr double kGrowth = 3;

/// Replaces what was measured of a machine where today's is clearly better: other programs make rates too low and
/// launches too long, never the other way round. What differs by noise stays, since models were fitted with it.
void keep_better(Probe& known, const Probe& now) {
    constexpr double kClearly = 1.5;
    for (double Probe::*rate : {&Probe::read_rate, &Probe::copy_rate, &Probe::triad_rate, &Probe::cache_rate}) {
        if (now.*rate > kClearly * known.*rate) known.*rate = now.*rate;
    }
    for (double Probe::*launch : {&Probe::loop_launch_seconds, &Probe::graph_launch_seconds}) {
        if (now.*launch * kClearly < known.*launch) known.*launch = now.*launch;
    }
}

/// Whether `only` names this operator.
bool is_named(const std::string& only, std::string_view specification) {
    return only == specification || only == specification.substr(0, specification.find(':'));
}

/// A matrix, with the operators that have not been measured on it.
struct MatrixTask {
    std::string values;
    std::string source;
    std::vector<std::string> operators;
};

class Tuner {
public:
    Tuner(bench::Measurer& measurer, const TuneOptions& options)
        : measurer_(measurer), options_(options), profile_(start()) {
        require_name();
        forget_named();
    }

    TuneOutcome run() {
        measure_matrices();
        options_.progress("fitting models");
        const Profile before = profile_;
        fit_models(profile_);
        auto outdated = forget_outdated_checks(profile_, before);
        save();
        return {std::move(profile_), measured_, left_, std::move(outdated), is_other_build_};
    }

private:
    Profile start() {
        options_.progress("probing the machine");
        Profile profile{
            .probe = measurer_.probe(), .build = options_.build, .date = options_.date, .set = options_.set};
        if (options_.restart || !std::filesystem::exists(options_.file)) return profile;
        Profile known = read_profile(options_.file);
        if (known.probe.name != profile.probe.name) {
            throw Error(fmt::format("{}: is the profile of another machine ({}, this is {}); write to another file",
                                    printable(options_.file.string()), known.probe.name, profile.probe.name));
        }
        is_other_build_ = known.build != profile.build;
        known.build = profile.build;
        known.date = profile.date;
        known.set = profile.set;
        keep_better(known.probe, profile.probe);
        return known;
    }

    void require_name() const {
        if (options_.only.empty()) return;
        std::string names;
        for (const auto& values : options_.values) {
            for (const auto& one : measurer_.operators(values)) {
                if (is_named(options_.only, one)) return;
                names += one + ", ";
            }
        }
        throw Error(fmt::format("there is no operator '{}' to tune; there are {}", options_.only,
                                names.substr(0, names.size() - std::min<std::size_t>(names.size(), 2))),
                    ExitCode::usage);
    }

    /// What is to be measured again.
    void forget_named() {
        if (options_.only.empty()) return;
        for (auto& matrix : profile_.matrices) {
            const bool is_source =
                std::ranges::find(options_.sources, matrix.name, printable) != options_.sources.end();
            if (!is_wanted(matrix.values) || matrix.features.sum_bytes != measurer_.sum_bytes(matrix.values)) continue;
            if (!is_source) continue;
            std::erase_if(matrix.products, [&](const auto& p) { return is_named(options_.only, p.specification); });
        }
    }
    [[nodiscard]] bool is_wanted(const std::string& values) const {
        return std::ranges::find(options_.values, values) != options_.values.end();
    }
    [[nodiscard]] bool is_asked_for(std::string_view name) const {
        return options_.only.empty() || is_named(options_.only, name);
    }

    MeasuredMatrix* find_matrix(const std::string& values, const std::string& source) {
        const std::size_t sums = measurer_.sum_bytes(values);
        const std::string name = printable(source);  // as it is read from a profile
        const auto found = std::ranges::find_if(profile_.matrices, [&](const auto& m) {
            return m.values == values && m.features.sum_bytes == sums && m.name == name;
        });
        return found == profile_.matrices.end() ? nullptr : &*found;
    }

    std::vector<MatrixTask> matrix_tasks() {
        std::vector<MatrixTask> tasks;
        for (const auto& values : options_.values) {
            const auto all = measurer_.operators(values);
            std::set<std::string_view> seen;  // `--with` may name matrices of the set
            for (const auto& source : options_.sources) {
                if (!seen.insert(source).second) continue;
                MatrixTask task{values, source, {}};
                const MeasuredMatrix* const known = find_matrix(values, source);
                for (const auto& one : all) {
                    const bool is_known =
                        known != nullptr && std::ranges::count(known->products, one, &ProductTime::specification) > 0;
                    if (is_asked_for(one) && !is_known) task.operators.push_back(one);
                }
                if (!task.operators.empty()) tasks.push_back(std::move(task));
            }
        }
        return tasks;
    }

    void measure_matrices() {
        const auto tasks = matrix_tasks();
        double loading = 0;  // of the last one
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            const MatrixTask& task = tasks[i];
            if (is_over(kGrowth * (loading + longest_))) {
                left_ += static_cast<int>(task.operators.size());
                continue;
            }
            options_.progress(fmt::format("matrices {}/{}: {}", i + 1, tasks.size(), task.source));
            const auto begun = Clock::now();
            const auto timer = measurer_.matrix(task.values, task.source);
            loading = seconds_since(begun);
            if (i + 1 < tasks.size()) measurer_.expect(tasks[i + 1].values, tasks[i + 1].source);
            measure_operators(*timer, task, fmt::format("matrices {}/{}", i + 1, tasks.size()));
            save_sometimes();
        }
    }
    void measure_operators(bench::MatrixTimer& timer, const MatrixTask& task, const std::string& where) {
        std::vector<ProductTime> measured = operator_times(timer, task, where);
        left_ += static_cast<int>(task.operators.size() - measured.size());
        if (measured.empty()) return;
        MeasuredMatrix* matrix = find_matrix(task.values, task.source);
        if (matrix == nullptr) {
            matrix = &profile_.matrices.emplace_back(
                MeasuredMatrix{printable(task.source), task.values, timer.features(), {}});
        }
        matrix->features = timer.features();
        // Afterwards, as the next matrix is made meanwhile, by all threads.
        for (auto& product : measured) {
            if (product.error.empty()) product.preparation_seconds = timer.preparation_seconds(product.specification);
            matrix->products.push_back(std::move(product));
            ++measured_;
        }
    }
    /// As many as there is time for, their preparations included, none of which takes longer than the operator here.
    std::vector<ProductTime> operator_times(bench::MatrixTimer& timer, const MatrixTask& task,
                                            const std::string& where) {
        std::vector<ProductTime> measured;
        double preparations = 0;
        longest_ = 0;
        for (const auto& one : task.operators) {
            if (is_over(preparations + 2 * longest_)) break;
            options_.progress(fmt::format("{}: {} of {}", where, one, task.source));
            ++begun_;
            const auto begun = Clock::now();
            measured.push_back(product_time(timer, one));
            const double took = seconds_since(begun);
            preparations += took;
            longest_ = std::max(longest_, took);
        }
        return measured;
    }
    static ProductTime product_time(bench::MatrixTimer& timer, const std::string& specification) {
        ProductTime product{.specification = specification, .error = {}};
        try {
            product.seconds = timer.seconds(specification);
        } catch (const Error& error) {
            if (error.code() == ExitCode::usage) throw;  // it has no such option: nothing that a matrix does
            product.error = error.what();
        }
        return product;
    }

    /// Whether there is no time for what takes so long. There is some for one measurement, or it would never go on.
    [[nodiscard]] bool is_over(double seconds = 0) const {
        if (begun_ == 0 && options_.seconds > 0) return false;
        return seconds_since(started_) + seconds >= options_.seconds;
    }

    void save_sometimes() {
        constexpr double kSeconds = 1;
        if (seconds_since(saved_) < kSeconds) return;
        save();
        saved_ = Clock::now();
    }
    void save() const { write_profile(options_.file, profile_); }

    bench::Measurer& measurer_;
    const TuneOptions& options_;
    Clock::time_point started_ = Clock::now();  // before the machine is probed
    bool is_other_build_ = false;
    Profile profile_;
    int begun_ = 0;  ///< measurements
    int measured_ = 0;
    int left_ = 0;
    double longest_ = 0;  ///< seconds for an operator of the last matrix
    Clock::time_point saved_{};
};

}  // namespace

TuneOutcome tune(bench::Measurer& measurer, const TuneOptions& options) { return Tuner(measurer, options).run(); }

bool is_checked(const Profile& profile, const NumberSizes& sizes) {
    const auto* const known = find_check(profile, sizes);
    return known != nullptr && known->models.choices > 0;
}

bool wants_check(const TuneOptions& options, const TuneOutcome& outcome, const NumberSizes& sizes) {
    if (outcome.left > 0 || options.set == "tiny" || is_checked(outcome.profile, sizes)) return false;
    return options.only.empty() || std::ranges::count(outcome.outdated, sizes) > 0;
}

}  // namespace tilespmv::tools
