#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "tile/error.hpp"
#include "tools/command.hpp"

namespace {

int report(const char* message, tilespmv::ExitCode code) {
    fmt::print(stderr, "tilespmv: {}\n", message);
    return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
    using tilespmv::ExitCode;
    CLI::App app{"Tiled sparse matrix-vector multiplication: convert, inspect, multiply, verify and measure."};
    app.require_subcommand(1);
    try {
        app.parse(argc, argv);
        return static_cast<int>(ExitCode::ok);
    } catch (const CLI::ParseError& error) {
        const int code = app.exit(error);
        return static_cast<int>(code == 0 ? ExitCode::ok : ExitCode::usage);
    } catch (const tilespmv::Error& error) {
        return report(error.what(), error.code());
    } catch (const std::exception& error) {
        return report(error.what(), ExitCode::failure);
    }
}
