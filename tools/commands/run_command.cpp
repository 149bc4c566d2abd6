#include "tools/command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <omp.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "kernels/cpu/vectors.hpp"
#include "tile/error.hpp"
#include "tile/io/printable.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/number_option.hpp"
#include "tools/options/source.hpp"
#include "tools/terminal/signals.hpp"

namespace tilespmv {
namespace {

/// A closed stdin, stdout or stderr gets a descriptor that fails, so that no file of ours is opened in its place.
void occupy_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        const bool closed = fcntl(descriptor, F_GETFD) == -1;
        if (closed) open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

void build(CLI::App& app) {
    app.set_version_flag("--version", std::string("tilespmv " TILESPMV_VERSION), "Print the version");
    static int threads = 0;
    tools::add_number<int>(app, "--threads", threads, 1, 1024, "Threads to use, in any command");
    static std::string vectors;
    app.add_option("--vectors", vectors,
                   "Use no newer vector instructions of the CPU than this set, in any command; 'info' lists the sets")
        ->type_name("SET");
    app.add_flag_callback("--allow-large", tools::lift_input_limits,
                          "Read inputs that ask for over 1 GiB and over 200 times their own size, in any command");
    app.footer("See 'tilespmv COMMAND --help' for the options and examples of a command.");
    app.fallthrough();
    app.require_subcommand(0, 1);
    tools::add_commands(app);
    app.parse_complete_callback([&app] {  // before the subcommand does anything
        if (threads > 0) omp_set_num_threads(threads);
        if (!vectors.empty()) cpu::hold_vectors(vectors);
        for (const auto* command : app.get_subcommands()) tools::check_files(*command);
    });
}

/// Output that did not arrive is a failure: a full disk, a closed pipe.
void flush_output() {
    std::cout.flush();
    if (std::cout && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
    throw Error(fmt::format("cannot write to standard output: {}", std::strerror(errno)));
}

[[noreturn]] void refuse(const CLI::App& app, const CLI::ParseError& error) {
    std::string command = "tilespmv";
    for (const auto* sub : app.get_subcommands()) command += " " + sub->get_name();
    std::string message = error.what();
    const auto unexpected = app.remaining(true);
    if (!unexpected.empty()) {
        const bool named = app.get_subcommands().empty() && !unexpected.front().starts_with('-');
        message = fmt::format("{} '{}'", named ? "unknown command" : "unexpected argument", unexpected.front());
    }
    throw Error(fmt::format("{}; see '{} --help'", message, command), ExitCode::usage);
}

ExitCode run(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) refuse(app, error);
        app.exit(error);  // prints help or version
        return ExitCode::ok;
    }
    if (!app.get_subcommands().empty()) return ExitCode::ok;
    std::cerr << app.help();
    return ExitCode::usage;
}

int report(const std::string& message, ExitCode code) {
    std::fflush(stdout);
    std::fputs(("tilespmv: " + printable(message) + "\n").c_str(), stderr);
    return static_cast<int>(code);
}

}  // namespace

int run_command(int argc, char** argv) {
    occupy_standard_descriptors();
    tools::install_signal_handlers();
    try {
        CLI::App app{"Tiled sparse matrix-vector multiplication: convert, inspect, multiply, verify and measure.",
                     "tilespmv"};
        build(app);
        const ExitCode code = run(app, argc, argv);
        flush_output();
        return static_cast<int>(code);
    } catch (const Error& error) {
        return report(error.what(), error.code());
    } catch (const std::system_error& error) {
        const bool by_output = std::ferror(stdout) != 0;  // met by a print before the last flush
        return report(by_output ? "cannot write to standard output: " + error.code().message() : error.what(),
                      ExitCode::failure);
    } catch (const std::bad_alloc&) {
        return report("out of memory", ExitCode::failure);
    } catch (const std::exception& error) {
        return report(error.what(), ExitCode::failure);
    }
}

}  // namespace tilespmv
