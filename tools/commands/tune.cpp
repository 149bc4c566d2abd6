#include <ctime>
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
#include "tile/io/printable.hpp"
#include "tile/types.hpp"
#include "tools/bench/measuring_options.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/options.hpp"
#include "tools/report/report.hpp"
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
    int sizes = 50;
    std::string keep_times;
    std::string against;
    std::string report;
    std::string models;
    bool report_only = false;
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

/// A name for the place of a profile, before anything is measured.
std::string machine_name(Backend backend) {
    return backend == Backend::cuda ? cuda::require_device().name : cpu::processor_name();
}

void write_extras(const TuneCommand& command, const Profile& profile) {
    if (!command.report.empty()) {
        write_report(command.report, profile);
        fmt::print("report: {}\n", printable(command.report));
    }
    if (!command.models.empty()) {
        write_profile(command.models, without_measurements(profile));
        fmt::print("models: {}\n", printable(command.models));
    }
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
    options.sources.insert(options.sources.begin(), command.with.begin(),
                           command.with.end());  // first: names may be wrong
    if (command.seconds) options.seconds = *command.seconds;
    const TuneOutcome outcome = tune(measurer, options);
    status.wipe();
    if (outcome.is_other_build) {
        fmt::print(stderr,
                   "tilespmv: some of it was measured by another version of tilespmv; --restart measures all again\n");
    }
    fmt::print("{}\nprofile: {}\n", tune_text(outcome), options.file.string());
    write_extras(command, outcome.profile);
}

std::vector<std::string> sources_to_check(const TuneCommand& command) {
    std::vector<std::string> sources = command.check;
    if (command.suite.empty()) return sources;
    const auto& suite = bench::find_suite(command.suite).sources;
    sources.insert(sources.end(), suite.begin(), suite.end());
    return sources;
}

void run_check(const TuneCommand& command, const std::vector<std::string>& sources, bench::Measurer& measurer,
               Backend backend) {
    StatusLine status;
    const auto file = file_of(command, machine_name(backend));
    Profile profile = read_profile(file);
    CheckOptions options{.sources = sources,
                         .values = command.values.front(),
                         .only = command.only,
                         .sizes = command.sizes,
                         .progress = [&status](std::string_view stage) { status.show(stage); }};
    if (command.seconds) options.seconds = *command.seconds;
    const CheckOutcome outcome = check(measurer, profile, options);
    status.wipe();
    keep_check(outcome, profile);
    write_profile(file, profile);
    fmt::print("{}", check_text(outcome));
    if (!command.keep_times.empty()) {
        write_profile(command.keep_times, {.probe = profile.probe,
                                           .build = this_profile_build(backend),
                                           .date = now(),
                                           .set = profile.set,
                                           .vectors = outcome.times});
        fmt::print("times: {}\n", printable(command.keep_times));
    }
    if (backend == Backend::cpu || !outcome.matrices.empty()) {
        fmt::print("auto chooses by the {} here\n", decides(profile) ? "profile" : "rules alone");
    }
    write_extras(command, profile);
}

/// The profile of a command that measures nothing: it may be another machine's.
Profile known_profile(const TuneCommand& command) {
    const bool is_named = !command.file.empty();
    return read_profile(is_named ? std::filesystem::path(command.file)
                                 : file_of(command, machine_name(choose_backend(command.device))));
}

void run_against(const TuneCommand& command) {
    fmt::print("{}", check_text(check_against(known_profile(command), read_profile(command.against).vectors)));
}

void run_report(const TuneCommand& command) {
    if (command.report.empty() && command.models.empty())
        throw Error("--report-only needs --report or --models", ExitCode::usage);
    write_extras(command, known_profile(command));
}

void run(const TuneCommand& command) {
    if (command.report_only) return run_report(command);
    if (!command.against.empty()) return run_against(command);
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
        "Measure this machine once, fit models of times to it, and keep both as a profile, which auto and solvers use");
    add_device(*command, options->device, "cuda if there is a GPU, else cpu");
    add_output(*command, "-o,--profile", options->file,
               "The profile, gone on with if it is there (default: one for each machine in the user's cache)");
    std::vector<std::string> sets;
    for (const auto& set : benchmark_sets()) sets.emplace_back(set.name);
    command->add_option("--set", options->set, "Matrices to measure operators on")
        ->check(CLI::IsMember(sets))
        ->capture_default_str();
    command->add_option("--with", options->with, "Matrices to measure operators on beside those of the set")
        ->type_name("A ...");
    const std::vector<std::string> types(kValueNames.begin(), kValueNames.end());
    command
        ->add_option(
            "--values", options->values,
            "Value type; may be repeated. Models of 16-bit values are of operators alone, the same for both types")
        ->allow_extra_args(false)
        ->check(CLI::IsMember(types))
        ->default_str("float64");
    add_accumulator(*command, options->accumulator);
    command->add_option(
        "--only", options->only,
        "Measure this kernel or operator again, and nothing else; with --check, launch shapes of this kernel alone");
    add_number<double>(
        *command, "--seconds", options->seconds, 0, 1e9,
        "Begin no further measurement after so long; without --check and --suite, run it again to go on");
    command->add_flag("--restart", options->restart, "Measure everything again");
    command
        ->add_option("--check", options->check,
                     "Measure all operators on these matrices, and vectors of other sizes, and compare what the models "
                     "of the profile and the rules predict and choose")
        ->type_name("A ...");
    command->add_option("--suite", options->suite,
                        "The same on a suite of tilespmv bench, such as unseen, or trees: vectors alone");
    add_number<int>(*command, "--sizes", options->sizes, 0, 1000, "Sizes of vectors for --check and --suite")
        ->default_str("50");
    add_output(*command, "--keep-times", options->keep_times,
               "Also write all times of launch shapes that --check and --suite measure, as a profile without models");
    add_input(*command, "--against", options->against,
              "Compare the launch shapes that the profile chooses with times that --keep-times wrote; measure nothing")
        ->excludes("--check")
        ->excludes("--suite")
        ->excludes("--restart")
        ->excludes("--with");
    add_output(*command, "--report", options->report,
               "Also write a page (HTML) that shows everything in the profile: measured times, models and choices");
    add_output(*command, "--models", options->models,
               "Also write the models alone, without what was measured, as tilespmv carries them");
    command
        ->add_flag("--report-only", options->report_only,
                   "Write the report, or the models, of a profile that is there; measure nothing")
        ->excludes("--only")
        ->excludes("--with")
        ->excludes("--restart")
        ->excludes("--check")
        ->excludes("--suite");
    set_examples(*command, {"tilespmv tune", "tilespmv tune --device cpu --set tiny -o laptop.json",
                            "tilespmv tune --only csr-merge", "tilespmv tune --values float16",
                            "tilespmv tune --with cant.mtx pwtk.mtx", "tilespmv tune --report report.html",
                            "tilespmv tune --check cant.mtx gen:fem:n=20,dof=3", "tilespmv tune --suite unseen",
                            "tilespmv tune --suite trees"});
    command->callback([options] { run(*options); });
}

}  // namespace tilespmv::tools
