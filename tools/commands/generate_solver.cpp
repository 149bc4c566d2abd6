#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"
#include "tools/commands/command.hpp"
#include "tools/options/command_files.hpp"
#include "tools/options/options.hpp"
#include "tools/options/value_type.hpp"
#include "tools/solve/program.hpp"
#include "tools/solve/system.hpp"

namespace tilespmv::tools {
namespace {

namespace fs = std::filesystem;

struct GenerateSolverCommand {
    SystemOptions system;
    fs::path directory;
    bool is_forced = false;
};

/// Throws a usage `Error` for a folder with anything in it, and for what is no folder.
void require_free(const GenerateSolverCommand& command) {
    std::error_code error;
    const auto status = fs::status(command.directory, error);
    if (!fs::exists(status)) return;
    if (!fs::is_directory(status)) {
        throw Error(fmt::format("{}: is a file, expected a folder for the program", command.directory.string()),
                    ExitCode::usage);
    }
    if (command.is_forced || fs::is_empty(command.directory, error)) return;
    throw Error(fmt::format("{}: has files in it; give another folder, or --force to replace main.cpp, CMakeLists.txt "
                            "and README.md in it",
                            command.directory.string()),
                ExitCode::usage);
}

constexpr std::array kFiles{std::pair{"main.cpp", &SolverProgram::main},
                            std::pair{"CMakeLists.txt", &SolverProgram::cmake},
                            std::pair{"README.md", &SolverProgram::readme}};

/// Throws a usage `Error` if the program would replace the system.
void require_other_files(const GenerateSolverCommand& command) {
    CommandFiles files;
    files.input("A", command.system.source);
    if (!command.system.b.empty()) files.input("-b", command.system.b);
    for (const auto& [name, text] : kFiles) files.output("--output", command.directory / name);
}

void write(const SolverProgram& program, const fs::path& directory) {
    make_directory(directory);
    for (const auto& [name, text] : kFiles) {
        const std::string file = directory / name;
        write_text(file, program.*text);
        fmt::print("{}\n", printable(file));
    }
}

template <class T>
void generate_solver(const GenerateSolverCommand& command) {
    require_free(command);
    require_other_files(command);
    SolveResult result;
    auto [a, b, options] = load_system<T>(command.system, result);
    const Buffer<T> of_all = vector_to_try(b);
    const std::span<const T> tried(of_all.begin(), of_all.end());
    const int ranks = command.system.gpus;
    if (ranks > 0) {
        make_ranked_solver<T>(a, tried, ranks, options, command.system.goal, result);
    } else {
        make_solver<T>(std::move(a), tried, options, command.system.goal, result);
    }
    write(solver_program(result, options, command.system), command.directory);
}

}  // namespace

void add_generate_solver(CLI::App& app) {
    auto options = std::make_shared<GenerateSolverCommand>();
    auto* command = app.add_subcommand("generate-solver",
                                       "Write a program that solves A*x = b with what solve chooses for A, to build "
                                       "against the installed library");
    add_system(*command, options->system);
    add_output_folder(*command, "-o,--output", options->directory, "Folder for the program, made if it is missing")
        ->required();
    command->add_flag("--force", options->is_forced, "Write into a folder that has files, replacing a program there");
    set_examples(*command, {"tilespmv generate-solver bcsstk16.mtx -o solver",
                            "tilespmv generate-solver A.mtx --precond ssor-ai:order=2 --device cuda -o solver"});
    command->callback([options] {
        with_value_type(value_type_for(options->system.source, options->system.values), [&]<Value V>() {
            if constexpr (CpuValue<V>) {
                generate_solver<V>(*options);
            } else {
                throw Error(
                    fmt::format("a solver works in float64 and float32, not in {}: give --values", value_name<V>()),
                    ExitCode::usage);
            }
        });
    });
}

}  // namespace tilespmv::tools
