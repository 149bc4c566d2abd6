#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bench/harness/machine.hpp"
#include "bench/harness/suite.hpp"
#include "kernels/cpu/processor.hpp"
#include "kernels/cuda/device.hpp"
#include "selector/models/profile_file.hpp"
#include "tile/error.hpp"
#include "tile/io/file_lock.hpp"
#include "tile/io/printable.hpp"
#include "tile/seconds_since.hpp"
#include "tile/types.hpp"
#include "tools/bench/run.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/terminal/status_line.hpp"
#include "tools/tune/benchmark_set.hpp"
#include "tools/tune/check.hpp"
#include "tools/tune/matrix_loader.hpp"
#include "tools/tune/tune.hpp"
#include "tools/tune/tune_text.hpp"

namespace tilespmv::tools {
namespace {

struct TuneCommand {
    std::string device;
    std::string file;
    std::string set = "full";
    std::vector<std::string> with;
    std::vector<std::string> values{"float64"};
    std::optional<Accumulator> accumulator;
    std::string only;
    std::optional<double> seconds;
    bool restart = false;
    std::vector<std::string> check;
    std::string suite;
    std::string models;
    bool models_only = false;
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
};

std::string now() {
    const std::time_t time = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&time, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

ProfileBuild this_profile_build(Backend backend) {
    const auto build = bench::this_build();
    ProfileBuild found{.version = build.version, .revision = build.revision};
    if (backend == Backend::cpu) return found;
    const auto gpu = cuda::require_device();
    found.driver = gpu.driver_version;
    found.runtime = gpu.runtime_version;
    return found;
}

/// The file given, or the machine's own place.
std::filesystem::path file_of(const TuneCommand& command, const std::string& machine) {
    std::filesystem::path file = command.file;
    if (file.empty()) file = default_profile_file(machine);
    if (file.empty()) throw Error("neither XDG_CACHE_HOME nor HOME says where profiles are: name one with -o");
    return file;
}

/// Throws a usage `Error` if what is written beside a profile would replace it: nobody named that at its default place.
void require_other_files(const TuneCommand& command, const std::filesystem::path& profile) {
    CommandFiles files;
    files.output("--profile", profile);
    if (!command.models.empty()) files.output("--models", command.models);
}

/// The sole right to a profile that is gone on with, in a folder that is made if it is missing.
FileLock lock_profile(const TuneCommand& command, const std::filesystem::path& file) {
    require_other_files(command, file);
    if (file.has_parent_path()) make_directory(file.parent_path());
    return FileLock(file);
}

/// A name for the place of a profile, before anything is measured.
std::string machine_name(Backend backend) {
    return backend == Backend::cuda ? cuda::require_device().name : cpu::processor_name();
}

void write_models(const TuneCommand& command, const Profile& profile) {
    if (command.models.empty()) return;
    write_profile(command.models, without_measurements(profile));
    fmt::print("models: {}\n", printable(command.models));
}

std::vector<std::string> sources_of_suite(std::string_view name) {
    const auto& sources = bench::find_suite(name).sources;
    return {sources.begin(), sources.end()};
}

/// Seconds that are left of what the command may measure.
double seconds_left(const TuneCommand& command) {
    return command.seconds ? std::max(0.0, *command.seconds - seconds_since(command.begun))
                           : std::numeric_limits<double>::infinity();
}

std::string decision_text(const Profile& profile, const ProfileCheck& check) {
    return decides(profile, check.sizes)
               ? fmt::format("auto chooses by this profile for {} values, where no other is named\n", check.values)
               : fmt::format("auto does not choose by this profile for {} values: the rules choose as well or better\n",
                             check.values);
}

NumberSizes number_sizes(const std::string& values, const bench::Measurer& measurer) {
    return {value_bytes_of(values), measurer.sum_bytes(values)};
}

/// Says what makes `auto` choose by a profile at its default place, if nothing does yet.
void tell_unchecked(const TuneCommand& command, const TuneOutcome& outcome, const std::string& values,
                    const NumberSizes& sizes) {
    if (!command.file.empty() || outcome.left > 0 || outcome.profile.models.empty()) return;
    if (is_checked(outcome.profile, sizes)) return;
    std::string more = values == "float64" ? "" : " --values " + values;
    if (command.accumulator) more += fmt::format(" --accumulate {}", accumulator_name(*command.accumulator));
    if (!command.device.empty()) more += " --device " + command.device;
    fmt::print(stderr, "tilespmv: auto chooses by this profile only after a check: tilespmv tune --suite unseen{}\n",
               more);
}

/// Checks on matrices that it has not seen what `tune` has fitted for values of a type.
void check_tuned(const std::string& values, const std::filesystem::path& file, bench::Measurer& measurer,
                 double seconds, Profile& profile) {
    constexpr std::string_view kSuite = "unseen";
    StatusLine status;
    const CheckOptions options{.sources = sources_of_suite(kSuite),
                               .values = values,
                               .seconds = seconds,
                               .progress = [&status](std::string_view stage) { status.show(stage); }};
    const CheckOutcome checked = check(measurer, profile, options);
    status.wipe();
    if (checked.left > 0 || checked.matrices.empty()) return;
    keep_check(profile, checked.summary);
    write_profile(file, profile);
    fmt::print("check on the suite {}:\n{}{}", kSuite, check_summary_text(checked),
               decision_text(profile, checked.summary));
}

void run_tune(const TuneCommand& command, bench::Measurer& measurer, Backend backend) {
    StatusLine status;
    TuneOptions options{.file = file_of(command, machine_name(backend)),
                        .set = command.set,
                        .sources = find_benchmark_set(command.set).sources,
                        .values = command.values,
                        .only = command.only,
                        .restart = command.restart,
                        .date = now(),
                        .build = this_profile_build(backend),
                        .progress = [&status](std::string_view stage) { status.show(stage); }};
    const FileLock lock = lock_profile(command, options.file);
    options.sources.insert(options.sources.begin(), command.with.begin(),
                           command.with.end());  // first: names may be wrong
    options.seconds = seconds_left(command);
    TuneOutcome outcome = tune(measurer, options);
    status.wipe();
    if (outcome.is_other_build) {
        fmt::print(stderr,
                   "tilespmv: some of it was measured by another version of tilespmv; --restart measures all again\n");
    }
    fmt::print("{}\nprofile: {}\n", tune_text(outcome), printable(options.file.string()));
    for (const auto& values : command.values) {
        const NumberSizes sizes = number_sizes(values, measurer);
        if (wants_check(options, outcome, sizes))
            check_tuned(values, options.file, measurer, seconds_left(command), outcome.profile);
        tell_unchecked(command, outcome, values, sizes);
    }
    write_models(command, outcome.profile);
}

std::vector<std::string> sources_to_check(const TuneCommand& command) {
    std::vector<std::string> sources = command.check;
    if (command.suite.empty()) return sources;
    const auto suite = sources_of_suite(command.suite);
    sources.insert(sources.end(), suite.begin(), suite.end());
    return sources;
}

void run_check(const TuneCommand& command, const std::vector<std::string>& sources, bench::Measurer& measurer,
               Backend backend) {
    const auto file = file_of(command, machine_name(backend));
    const FileLock lock = lock_profile(command, file);
    Profile profile = read_profile(file);
    for (const auto& values : command.values) {
        StatusLine status;
        CheckOptions options{.sources = sources,
                             .values = values,
                             .seconds = seconds_left(command),
                             .progress = [&status](std::string_view stage) { status.show(stage); }};
        const CheckOutcome outcome = check(measurer, profile, options);
        status.wipe();
        fmt::print("{}", check_text(outcome));
        if (outcome.matrices.empty()) continue;
        keep_check(profile, outcome.summary);
        fmt::print("{}", decision_text(profile, outcome.summary));
    }
    write_profile(file, profile);
    write_models(command, profile);
}

/// The profile of a command that measures nothing: it may be another machine's.
Profile known_profile(const TuneCommand& command) {
    const bool is_named = !command.file.empty();
    return read_profile(is_named ? std::filesystem::path(command.file)
                                 : file_of(command, machine_name(choose_backend(command.device))));
}

void run(const TuneCommand& command) {
    if (command.models_only) return write_models(command, known_profile(command));
    const std::vector<std::string> sources = sources_to_check(command);
    const Backend backend = choose_backend(command.device);
    const auto device = make_device(backend);
    const auto measurer = bench::make_device_measurer(*device, {}, matrix_loader(), command.accumulator);
    for (const auto& values : command.values) static_cast<void>(measurer->sum_bytes(values));  // refuses wrong ones
    const bool is_check = !sources.empty() || !command.suite.empty();
    is_check ? run_check(command, sources, *measurer, backend) : run_tune(command, *measurer, backend);
}

}  // namespace

void add_tune(CLI::App& app) {
    auto options = std::make_shared<TuneCommand>();
    auto* command = app.add_subcommand(
        "tune",
        "Measure this machine once, fit models of times to it, and keep both as a profile, which auto and solvers use. "
        "The set full takes minutes on a GPU and hours on a CPU (--set short, --seconds); what is measured is kept "
        "when "
        "it is interrupted");
    add_device(*command, options->device, "cuda if there is a GPU, else cpu");
    add_output(*command, "-o,--profile", options->file,
               "The profile, gone on with if it is there (default: one for each machine in the user's cache)");
    std::vector<std::string> sets;
    for (const auto& set : benchmark_sets()) sets.emplace_back(set.name);
    command->add_option("--set", options->set, "Matrices to measure operators on")
        ->check(CLI::IsMember(sets))
        ->capture_default_str();
    add_input(*command, "--with", options->with, "Matrices to measure operators on beside those of the set");
    const std::vector<std::string> types(kValueNames.begin(), kValueNames.end());
    command
        ->add_option("--values", options->values,
                     "Value type; may be repeated. Models of 16-bit values are the same for both types")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(types))
        ->default_str("float64");
    add_accumulator(*command, options->accumulator);
    command->add_option("--only", options->only, "Measure this operator again, and nothing else");
    add_number<double>(*command, "--seconds", options->seconds, 0, 1e9,
                       "Begin no measurement that would end after so long; without --check and --suite, run it again "
                       "to go on (default: "
                       "measure all of the set)");
    command->add_flag("--restart", options->restart, "Measure everything again");
    add_input(
        *command, "--check", options->check,
        "Measure all operators on these matrices, and compare what the models of the profile and the rules predict "
        "and choose")
        ->excludes("--only");
    command->add_option("--suite", options->suite, "The same on a suite of tilespmv bench, such as unseen")
        ->excludes("--only");
    add_output(*command, "--models", options->models,
               "Also write the models alone, without what was measured, as tilespmv carries them");
    command
        ->add_flag("--models-only", options->models_only,
                   "Write the models of a profile that is there; measure nothing")
        ->needs("--models")
        ->excludes("--only")
        ->excludes("--with")
        ->excludes("--restart")
        ->excludes("--check")
        ->excludes("--suite");
    set_examples(*command, {"tilespmv tune", "tilespmv tune --device cpu --set tiny -o laptop.json",
                            "tilespmv tune --only csr-merge", "tilespmv tune --values float16",
                            "tilespmv tune --with cant.mtx pwtk.mtx",
                            "tilespmv tune --check cant.mtx gen:fem:n=20,dof=3", "tilespmv tune --suite unseen"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
