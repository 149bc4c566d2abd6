#include "tools/bench/run.hpp"

#if defined(__GLIBC__) || __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdio>
#include <limits>

#include <fmt/format.h>

#include "bench/harness/cpu_device.hpp"
#include "bench/harness/cuda_device.hpp"
#include "bench/harness/experiment.hpp"
#include "bench/harness/machine.hpp"
#include "bench/harness/suite.hpp"
#include "tile/io/file_lock.hpp"
#include "tile/io/output_file.hpp"
#include "tools/bench/plan.hpp"
#include "tools/bench/report.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/value_type.hpp"
#include "tools/terminal/status_line.hpp"

namespace tilespmv::tools {
namespace {

/// From now on, freed memory stays with the process for the next allocation (glibc; elsewhere nothing happens).
/// Preprocessing is measured by repetition, and its repetitions are to measure the work, not how fast the kernel clears
/// fresh pages, which varies tenfold between machines.
void keep_freed_memory() {
#if defined(M_MMAP_MAX) && defined(M_TRIM_THRESHOLD)
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
#endif
}

std::vector<bench::Mode> modes_of(const BenchOptions& options) {
    std::vector<bench::Mode> modes{bench::Mode::warm};
    for (const auto& name : options.modes) modes.push_back(bench::find_mode(name));
    return modes;
}

bench::MeasureOptions measure_options(const BenchOptions& options) {
    bench::MeasureOptions m;
    if (options.quick) {
        m.warm = {.min_samples = 6, .max_samples = 500, .min_seconds = 0.05, .max_seconds = 0.5, .noise = 0.05};
        m.cold.max_seconds = m.preprocess.max_seconds = 0.5;
    }
    if (options.min_seconds) m.warm.min_seconds = *options.min_seconds;
    if (options.max_seconds) {
        m.warm.max_seconds = *options.max_seconds;
        for (auto* rule : {&m.cold, &m.preprocess})
            rule->max_seconds = std::min(rule->max_seconds, *options.max_seconds);
    }
    if (options.noise_percent) m.warm.noise = *options.noise_percent / 100;
    m.baselines = options.baselines;
    m.modes = modes_of(options);
    return m;
}

class BenchRun {
public:
    // What cannot be written is found out before anything is measured.
    BenchRun(const BenchOptions& options, bench::Device& device)
        : options_(options), measure_(measure_options(options)), set_(start()), device_(device) {
        save();
        if (!options.csv.empty() && options.csv != kStdout) csv_.emplace(options.csv);
    }

    bench::ResultSet run() {
        for (const auto& source : options_.sources) {
            for (const auto& values : value_types(options_, source)) {
                for (const auto& kind : product_kinds(options_)) {
                    with_value_type(values, [&]<Value V>() { run_matrix<V>(source, kind); });
                }
            }
        }
        finish();
        return {set_.machine, set_.build, std::move(shown_)};
    }

private:
    [[nodiscard]] bool to_stdout() const { return options_.json == kStdout || options_.csv == kStdout; }

    bench::ResultSet start() {
        const auto machine = bench::this_machine();
        const auto build = bench::this_build();
        if (options_.json.empty() || options_.json == kStdout) return {machine, build, {}};
        lock_.emplace(options_.json);
        if (options_.restart) return {machine, build, {}};
        return bench::resume_results(options_.json, machine, build);
    }

    void save() const {
        if (!options_.json.empty() && options_.json != kStdout) write_results(options_.json, set_);
    }

    template <Value V>
    void run_matrix(const std::string& source, const bench::ProductKind& kind) {
        const auto wanted = candidates<V>(options_, device_, kind);
        std::vector<bench::CaseId> ids;
        for (const auto& candidate : wanted) ids.push_back(bench::case_id(source, candidate, device_));
        measure_unfinished<V>(source, wanted, ids);
        std::vector<bench::Result> results;
        for (const auto& id : ids) results.push_back(*set_.find(id));
        shown_.insert(shown_.end(), results.begin(), results.end());
        status_.wipe();
        if (to_stdout()) return;
        fmt::print("{}\n", results_text(results, options_.baselines));
        std::fflush(stdout);
    }

    // Whether a case needs no measuring: it was right, with these values, and has times of all modes, or was skipped.
    [[nodiscard]] bool is_finished(const bench::CaseId& id) const {
        if (!set_.finished(id)) return false;
        const bench::Result& result = *set_.find(id);
        if (result.status == bench::Status::skipped) return true;
        const auto values = pattern_values_name(options_.pattern_values);
        if (!result.pattern_values.empty() && result.pattern_values != values) return false;
        return std::ranges::all_of(modes_of(options_),
                                   [&](auto mode) { return !timing(result, mode).seconds.empty(); });
    }

    // Modes asked for and those that these cases have already, which a new measurement replaces.
    [[nodiscard]] std::vector<bench::Mode> modes_to_measure(const std::vector<bench::CaseId>& ids) const {
        auto modes = modes_of(options_);
        for (const auto& id : ids) {
            const bench::Result* result = set_.find(id);
            for (const auto mode : bench::kModes) {
                if (result && !timing(*result, mode).seconds.empty()) modes.push_back(mode);
            }
        }
        return modes;
    }

    // Finished cases are kept; baselines run again beside the others, for the speed-ups.
    template <Value V>
    void measure_unfinished(const std::string& source, const std::vector<bench::Candidate<V>>& wanted,
                            const std::vector<bench::CaseId>& ids) {
        if (std::ranges::all_of(ids, [&](const auto& id) { return is_finished(id); })) return;
        std::string values;
        const auto load = [&] {
            ReadNotes notes;
            auto a = load_csr<V>(source, options_.pattern_values, &notes);
            if (notes.is_pattern) values = pattern_values_name(options_.pattern_values);
            return a;
        };
        bench::Experiment<V> experiment{source, load, {}};
        for (std::size_t i = 0; i < ids.size(); ++i) {
            if (is_baseline(ids[i]) || !is_finished(ids[i])) experiment.candidates.push_back(wanted[i]);
        }
        measure_.modes = modes_to_measure(ids);
        measure_.progress = [&](std::string_view stage) {
            status_.show(fmt::format("{}: {}", source_name(source), stage));
        };
        for (auto& result : bench::measure(experiment, measure_, device_)) {
            result.pattern_values = values;
            if (!is_finished(result.id)) set_.put(std::move(result));
        }
        save();
    }

    bool is_baseline(const bench::CaseId& id) const {
        return std::ranges::any_of(options_.baselines,
                                   [&](const auto& name) { return bench::stands_for(name, id.operator_name); });
    }

    void finish() {
        const std::string csv = results_csv(shown_, options_.baselines);
        if (csv_) {
            csv_->write(csv);
            csv_->commit();
        }
        if (options_.csv == kStdout) fmt::print("{}", csv);
        if (options_.json == kStdout) fmt::print("{}", results_json(set_));
        if (!to_stdout()) print_end();
    }

    void print_end() const {
        const auto sizes = options_.suite.empty() ? bench::SizeGroups{} : bench::find_suite(options_.suite).groups;
        for (const auto mode : bench::kModes) {
            for (const auto& baseline : options_.baselines) {
                const std::string summary = summary_text(shown_, baseline, mode, sizes);
                if (!summary.empty()) fmt::print("{}\n", summary);
            }
        }
        fmt::print("{}", legend_text(shown_));
        print_machine();
    }

    void print_machine() const {
        const auto ok = std::ranges::find(shown_, bench::Status::ok, &bench::Result::status);
        if (ok == shown_.end()) return;
        fmt::print("{}; {} build by {}; memory bandwidth of {}: read {:.1f}, copy {:.1f} GB/s\n",
                   describe(set_.machine), set_.build.type, set_.build.compiler, ok->id.device,
                   ok->bandwidth.read * 1e-9, ok->bandwidth.copy * 1e-9);
    }

    const BenchOptions& options_;
    bench::MeasureOptions measure_;
    std::optional<FileLock> lock_;  // from before the file is read
    bench::ResultSet set_;
    bench::Device& device_;
    std::optional<OutputFile> csv_;
    StatusLine status_;
    std::vector<bench::Result> shown_;  // of this call, finished before or not
};

}  // namespace

std::unique_ptr<bench::Device> make_device(Backend backend) {
    if (backend == Backend::cuda) return bench::make_cuda_device();
    return std::make_unique<bench::CpuDevice>();
}

void run_bench(BenchOptions options, bench::Device& device) {
    complete(options, device.backend());
    check_plan(options, device);
    keep_freed_memory();
    require_right(BenchRun(options, device).run().results);
}

}  // namespace tilespmv::tools
