#pragma once

#include <exception>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "tile/error.hpp"
#include "tile/generate/generate.hpp"
#include "tile/matrix_market/matrix_market.hpp"

namespace tilespmv::bench {

/// A Matrix Market file, or a generator specification with or without `gen:`. Throws `Error`.
template <Value V>
CsrMatrix<V> read_source(const std::string& source) {
    if (std::filesystem::exists(source)) return read_matrix_market<V>(std::filesystem::path(source));
    return generate<V>(source.starts_with("gen:") ? source.substr(4) : source);
}

/// Parses the command line of a program and runs it. Errors go to stderr, with their exit codes.
template <class Run>
int run_program(const std::string& name, CLI::App& app, int argc, char** argv, Run&& run) {
    try {
        app.parse(argc, argv);
        return run();
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
    } catch (const Error& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return static_cast<int>(error.code());
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", name, error.what());
        return static_cast<int>(ExitCode::failure);
    }
}

}  // namespace tilespmv::bench
