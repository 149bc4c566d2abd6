#pragma once

namespace tilespmv {

/// The command `tilespmv`, with the operators that the program registered before (`register_operator`); `main` returns
/// what this returns, the exit code. Throws nothing.
int run_command(int argc, char** argv);

}  // namespace tilespmv
